"""The views above the stories: how alike stories are, sections, and blocks of foreign sentences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from scstory.discovery.overview import Outline, OverviewSettings
from scstory.discovery.overview.mentions import Basis, NewArticle, best_block, find_mentions
from scstory.discovery.overview.outline import USED, likeness, outline_of
from scstory.discovery.overview.sections import (
    Section,
    find_sections,
    is_due,
    name_sections,
    nearest_section,
)
from scstory.discovery.overview.threads import fits, nearest
from scstory.text import BUCKETS
from tests.conftest import encoded, make_article

SETTINGS = OverviewSettings()
NO_CENTRE = np.zeros(3)


def outline(vector, terms=()):
    """Return an outline with these single terms, all equally heavy."""
    columns = np.array(sorted(terms), dtype=np.int32)
    weights = np.full(len(columns), len(columns) ** -0.5 if terms else 0, dtype=np.float32)
    return Outline(np.array(vector, dtype=np.float32), columns, weights)


def test_likeness_is_the_mean_of_four_cosines():
    one, other = outline([1, 0, 0], (1, 2)), outline([0, 2, 0], (2, 3))
    assert likeness(one, one, NO_CENTRE) == pytest.approx((1 + 1) / 4)
    assert likeness(one, other, NO_CENTRE) == pytest.approx((0 + 1 / 2) / 4)
    centre = np.array([0.5, 0.5, 0.0])
    shifted = likeness(one, other, centre)
    assert shifted < likeness(one, other, NO_CENTRE)


def test_an_outline_keeps_the_heaviest_terms_of_each_field_at_unit_length():
    names = USED[1] * BUCKETS
    tfidf = csr_array(
        (np.array([0.9, 0.1, 0.4, 0.5]), ([0, 0, 0, 1], [5, 6, names + 7, 5])),
        shape=(2, 5 * BUCKETS),
    )
    found = outline_of(np.ones(3), tfidf, 1)
    assert found.columns.tolist() == [5, names + 7]
    assert found.weights.tolist() == [1.0, 1.0]
    assert found.keys(1) == [5]


def test_a_story_fits_a_thread_by_the_mean_of_its_stories():
    own, near, far = outline([1, 0, 0]), outline([1, 0, 0]), outline([0, 1, 0])
    assert nearest(own, {7: far, 8: near}, NO_CENTRE)[0] == (0.25, 8)
    assert fits(own, [near, near], NO_CENTRE, 0.2)
    assert not fits(own, [near, far], NO_CENTRE, 0.2)
    assert fits(own, [], NO_CENTRE, 0.2)


def directions(*counts):
    """Return unit vectors around three axes, so many around each."""
    rng = np.random.default_rng(3)
    found = [
        np.eye(3)[axis] + 0.1 * rng.normal(size=3)
        for axis, count in enumerate(counts)
        for _ in range(count)
    ]
    return np.array([one / np.linalg.norm(one) for one in found])


def test_sections_are_clusters_and_keep_their_numbers_when_found_again():
    settings = replace(SETTINGS, fewest_sections=3)
    vectors = directions(12, 10, 8)
    words = [["sport"]] * 12 + [["court"]] * 10 + [["health"]] * 8
    found = find_sections(vectors, words, [], settings)
    name_sections(found, settings)
    assert sorted(section.name for section in found) == [("court",), ("health",), ("sport",)]
    again = find_sections(vectors[::-1], words[::-1], found, settings)
    for before, after in zip(found, again, strict=True):
        assert before.number == after.number
        assert before.words == after.words


def test_a_story_leaves_its_section_only_for_one_that_is_much_closer():
    sections = [Section(1, np.array([1.0, 0, 0])), Section(2, np.array([0, 1.0, 0]))]
    between = np.array([0.68, 0.73, 0.0])
    assert nearest_section(between, sections, None, SETTINGS)[0] == 2
    assert nearest_section(between, sections, 1, SETTINGS)[0] == 1
    assert nearest_section(np.array([0.1, 0.9, 0]), sections, 1, SETTINGS)[0] == 2
    assert nearest_section(np.array([0, 0, 1.0]), sections, None, SETTINGS) is None
    assert nearest_section(between, [], None, SETTINGS) is None


def test_sections_are_found_again_when_there_are_twice_as_many_stories():
    first = SETTINGS.first_stories
    assert not is_due(first - 1, 0, SETTINGS)
    assert is_due(first, 0, SETTINGS)
    assert not is_due(2 * first - 1, first, SETTINGS)
    assert is_due(2 * first, first, SETTINGS)


def test_the_best_block_has_the_largest_sum():
    assert best_block(np.array([-1.0, 2, -0.5, 2, -3, 1])).tolist() == [1, 2, 3]
    assert best_block(np.array([-2.0, -1, -3])).tolist() == [1]


SENTENCES = [
    "The river Alder broke its banks at Kelby on Monday after a week of rain.",
    "Rescue boats took families from flooded homes along the river Alder.",
    "Engineers said the dam above Kelby was holding despite the rain.",
    "In another matter, prosecutor Dana Quill asked the court for a longer sentence.",
    "Quill told the jury that the Marwick bank had hidden its losses for years.",
    "The Marwick trial continues before Judge Orban in the city court on Friday.",
]


def round_up(own=slice(0, 3)):
    """Return an article whose last three sentences are about a trial, and both stories."""
    vectors = np.array([[1, 0, 0]] * 3 + [[0, 1, 0]] * 3, dtype=np.float32)
    member = encoded(make_article(1, "flood"), SENTENCES, vectors)
    columns = member.reading.columns
    article = NewArticle(member, 1, np.ones(len(columns)))

    def story(axis, sentences):
        part = encoded(make_article(2, "trial"), SENTENCES[sentences], vectors[sentences])
        single = part.reading.columns
        weights = np.full(len(single), len(single) ** -0.5, dtype=np.float32)
        return Outline(np.eye(3, dtype=np.float32)[axis], single, weights)

    return article, story(0, slice(0, 3)), story(1, slice(3, 6))


def test_an_article_is_also_about_the_story_that_a_block_of_its_sentences_tells():
    article, flood, trial = round_up()
    basis = Basis(NO_CENTRE, 0.37)
    (mention,) = find_mentions(article, flood, {9: trial}, basis, SETTINGS)
    assert (mention.article, mention.story) == ("flood-1", 9)
    assert set(mention.sentences) <= set(SENTENCES[3:])
    assert mention.sentences
    assert list(find_mentions(article, flood, {9: flood}, basis, SETTINGS)) == []
    short = replace(SETTINGS, fewest_sentences=7)
    assert list(find_mentions(article, flood, {9: trial}, basis, short)) == []
