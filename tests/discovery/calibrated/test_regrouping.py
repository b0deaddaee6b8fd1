"""Whole groups of articles: stories are divided and joined."""

import numpy as np
import pytest

from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.regrouping import Regrouping, halves
from scstory.discovery.calibrated.settings import CalibratedSettings
from tests.discovery.calibrated.test_second_look import rows_of

SETTINGS = CalibratedSettings(features="learned, terms")
POSTERIOR = PairPosteriors(SETTINGS)
NEXT = 50


def groups(story, subjects, changes):
    story = np.array(story)
    times = np.arange(len(story)) * 3600.0
    return Regrouping(story, times, rows_of(subjects), POSTERIOR, SETTINGS.with_changes(changes))


def split(story, subjects, **changes):
    given = groups(story, subjects, changes)
    number = given.split(np.unique(given.story), next_story=NEXT)
    return given.story.tolist(), number


def merge(story, subjects, grown=None, **changes):
    given = groups(story, subjects, changes)
    given.merge(np.unique(given.story) if grown is None else np.array(grown))
    return given.story.tolist()


def test_a_story_that_is_two_is_divided_and_its_oldest_article_keeps_the_number():
    assert split([1] * 6, [0, 1, 0, 1, 0, 1]) == ([1, NEXT] * 3, NEXT + 1)


def test_one_that_is_three_is_divided_again():
    found, number = split([1] * 9, [0, 1, 2] * 3)
    assert number == NEXT + 2
    assert found[::3] == [1] * 3
    assert len(set(found[1::3])) == len(set(found[2::3])) == 1
    assert len(set(found)) == 3


def test_a_story_that_is_one_stays():
    assert split([1] * 6, [0] * 6) == ([1] * 6, NEXT)


def test_a_single_article_is_not_split_off():
    assert split([1] * 5, [0, 0, 0, 0, 1]) == ([1] * 5, NEXT)
    assert split([1] * 5, [0, 0, 0, 0, 1], group_least=1)[1] == NEXT + 1


def test_tolerance_is_obeyed():
    assert split([1] * 6, [0, 1] * 3, split_tolerance=-100) == ([1] * 6, NEXT)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_halves_are_the_two_subjects(count):
    part = halves(rows_of([0, 1] * count), POSTERIOR)
    assert part[0] != part[1]
    assert part.tolist() == [part[0], part[1]] * count


def test_two_stories_that_are_one_join_under_the_lower_number():
    assert merge([7, 3, 7, 3], [0] * 4) == [3] * 4
    assert merge([1, 2, 3, 1, 2, 3], [0] * 6) == [1] * 6


def test_different_stories_stay_apart_and_so_do_those_that_did_not_grow():
    assert merge([1, 2, 1, 2], [0, 1, 0, 1]) == [1, 2, 1, 2]
    assert merge([1, 2, 3, 1, 2, 3], [0, 0, 1, 0, 0, 1], grown=[3]) == [1, 2, 3, 1, 2, 3]
    assert merge([1, 2, 3, 1, 2, 3], [0, 0, 1, 0, 0, 1], grown=[2]) == [1, 1, 3, 1, 1, 3]


def test_many_articles_need_less_evidence_each_than_a_few():
    assert merge([1, 2] * 2, [0] * 4, merge_margin=25) == [1, 2] * 2
    assert merge([1, 2] * 8, [0] * 16, merge_margin=25) == [1] * 16
    assert merge([1, 2] * 8, [0] * 16, merge_margin=25, merge_fading=0) == [1, 2] * 8


def test_the_smaller_story_says_how_much_evidence_each_article_needs():
    story = [1, 2] * 2 + [1] * 12
    assert merge(story, [0] * 16, merge_margin=25) == story


def test_margin_is_obeyed_and_single_articles_are_left_to_the_second_look():
    assert merge([1, 2, 1, 2], [0] * 4, merge_margin=100) == [1, 2, 1, 2]
    assert merge([1, 1, 2], [0] * 3) == [1, 1, 2]
    assert merge([1, 1], [0] * 2) == [1, 1]
