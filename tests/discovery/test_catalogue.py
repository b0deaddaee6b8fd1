"""The stories as readers see them, from the first article to the last that may still come."""

from datetime import timedelta

import numpy as np
import pytest

from scstory.discovery.catalogue import Catalogue
from scstory.discovery.method import Scope
from scstory.discovery.settings import MethodSettings
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article


class Told:
    """A window and a catalogue, into which articles are put by hand."""

    def __init__(self):
        self.scope, self.catalogue = Scope(MethodSettings(), ()), Catalogue()

    def add(self, *stories, day=0):
        """Add an article to each of some stories; return their rows."""
        first = len(self.scope.window)
        articles = [
            make_article(100 * day + first + n, "flood", day=day) for n in range(len(stories))
        ]
        rows = self.scope.window.append(
            encode_articles(articles, HashingEncoder(dim=4)), not_before=START.timestamp()
        )
        self.scope.window.story[rows] = stories
        self.scope.window.confidence[rows] = 0.5
        for story in stories:
            self.catalogue.count(story, None)
        return rows

    def close(self, rows):
        self.catalogue.describe(self.scope, rows.tolist())

    def evict(self, days, resumable=()):
        self.scope.window.evict((START + timedelta(days=days)).timestamp())
        self.catalogue.end_absent(self.scope, resumable)

    def stories(self, first=None):
        first = len(self.scope.window) if first is None else first
        return {story.id: story for story in self.catalogue.stories(self.scope, first)}


def test_before_anything_there_are_no_stories():
    assert Told().stories() == {}


def test_stories_of_an_open_slide_are_shown_as_they_will_be_when_it_closes():
    told = Told()
    told.close(told.add(1, 2))
    told.add(1, 3, day=1)
    shown = told.stories(first=2)
    assert {number: story.size for number, story in shown.items()} == {1: 2, 2: 1, 3: 1}
    told.add(3, day=1)
    shown = told.stories(first=2)
    assert shown[3].size == len(shown[3].articles) == 2
    told.close(np.arange(2, 5))
    assert told.stories() == shown


def test_the_latest_news_come_first():
    told = Told()
    told.close(told.add(1, 2, 3))
    told.close(told.add(2, day=1))
    assert [s.id for s in told.catalogue.stories(told.scope, 4)] == [2, 3, 1]


def test_a_story_ends_with_its_last_article_and_keeps_its_description():
    told = Told()
    told.close(told.add(1, 2, 1))
    told.close(told.add(2, day=3))
    before = told.stories()
    told.evict(days=2)
    assert told.stories().keys() == {2}
    (ended,) = told.catalogue.ended
    assert (ended.id, ended.size, ended.active) == (1, 2, False)
    assert (ended.title, ended.keywords) == (before[1].title, before[1].keywords)
    assert ended.articles == before[1].articles
    now = told.stories()[2]
    assert (now.size, len(now.articles), now.first_seen) == (2, 1, before[2].first_seen)


@pytest.mark.parametrize("restored", [False, True])
def test_a_story_that_may_resume_is_remembered_and_comes_back_whole(restored):
    told = Told()
    told.close(told.add(1, 1))
    first = told.stories()[1].first_seen
    told.evict(days=5, resumable={1})
    assert told.catalogue.may_resume(1)
    if restored:
        state, told.catalogue = told.catalogue.state(), Catalogue()
        told.catalogue.restore(state)
    told.close(told.add(1, day=9))
    story = told.stories()[1]
    assert (story.size, len(story.articles), story.active) == (3, 1, True)
    assert story.first_seen == first
    assert not told.catalogue.may_resume(1)
    assert told.catalogue.ended == []


def test_one_that_may_not_is_forgotten():
    told = Told()
    told.close(told.add(1, 2))
    told.evict(days=5, resumable={2})
    assert (told.catalogue.may_resume(1), told.catalogue.may_resume(2)) == (False, True)
    told.catalogue.end_absent(told.scope, ())
    assert not told.catalogue.may_resume(2)


def test_a_story_that_loses_all_its_articles_in_the_slide_it_began_has_ended():
    told = Told()
    told.close(told.add(1))
    rows = told.add(2, 3, day=1)
    window = told.scope.window
    before = window.story.copy()
    window.story[rows[0]] = 1
    told.catalogue.count(1, was=2)
    told.catalogue.drop_emptied(told.scope, before, first=1)
    told.close(rows)
    told.catalogue.end_absent(told.scope, ())
    assert {number: story.size for number, story in told.stories().items()} == {1: 2, 3: 1}
    (ended,) = told.catalogue.ended
    assert (ended.id, ended.size, ended.articles, ended.active) == (2, 0, (), False)
    assert told.catalogue.state()["sizes"] == [[1, 2], [3, 1]]


def test_an_older_story_that_loses_all_its_articles_ends_too():
    told = Told()
    told.close(told.add(1, 2))
    window = told.scope.window
    before = window.story.copy()
    window.story[1] = 1
    told.catalogue.count(1, was=2)
    told.catalogue.drop_emptied(told.scope, before, first=2)
    told.catalogue.end_absent(told.scope, ())
    assert {number: story.size for number, story in told.stories().items()} == {1: 2}
    assert [(s.id, s.size) for s in told.catalogue.ended] == [(2, 0)]


def test_articles_from_before_the_window_count_with_their_story():
    told = Told()
    told.close(told.add(1, 2))
    told.evict(days=0)
    early = START - timedelta(days=9)
    told.catalogue.count_late(early, 1)
    story = told.stories()[1]
    assert (story.size, story.first_seen, len(story.articles)) == (2, early, 1)
    told.evict(days=5, resumable={1, 2})
    told.catalogue.count_late(early, 2)
    told.close(told.add(2, day=9))
    story = told.stories()[2]
    assert (story.size, story.first_seen, len(story.articles)) == (3, early, 1)


def test_restored_a_catalogue_is_what_it_was():
    told, other = Told(), Told()
    told.close(told.add(1, 2))
    told.evict(days=0.1, resumable={1, 2})
    told.close(told.add(1, 3, day=1))
    other.scope = told.scope
    other.close(other.add(9, day=2))
    other.scope.window.restore(other.scope.window.members[:-1], other.scope.window.part(
        0, len(other.scope.window) - 1).arrays())  # fmt: skip
    other.catalogue.restore(told.catalogue.state())
    assert other.stories() == told.stories()
    assert other.catalogue.state() == told.catalogue.state()
    assert other.catalogue.ended == []
