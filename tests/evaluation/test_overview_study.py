"""The study of threads and of articles that are made of two stories."""

import pytest

from scstory.evaluation.harness import load_stream
from scstory.evaluation.studies import Setting
from scstory.evaluation.studies.overview import (
    FEWEST,
    Survey,
    _encoded,
    mention_rows,
    overview,
    round_ups,
    thread_rows,
)
from scstory.sample import load_sample
from scstory.vectors.hashing import HashingEncoder

ENCODER = HashingEncoder(dim=64)


@pytest.fixture(scope="module")
def stream():
    items = sorted(load_sample()[:60], key=lambda item: item.article.published)
    return load_stream(items, ENCODER)


def test_threads_are_counted_in_pairs_of_stories():
    found = {"a": 1, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5}
    truth = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "z", "f": "y"}
    rows = thread_rows(Survey(found, {1: 1, 2: 1, 4: 1, 5: 5}), truth)
    shares = {row[0]: row[1:] for row in rows}
    assert shares["threads"][0] == 1
    assert shares["stories in a thread"] == [3, 5, 0.6]
    assert shares["linked pairs of stories with the same label"] == [1, 3, 1 / 3]
    assert shares["pairs with the same label that are linked"] == [1, 2, 0.5]


def test_a_round_up_counts_where_its_other_story_was_known():
    found = {"a": 1, "b": 2, "c": 3, "d": 1, "e": 2}
    known = {"a": {1, 2}, "c": {1, 3}, "d": {1, 2}}
    mentions = {"a": {2, 9}, "c": {2}, "e": {1}}
    rows = mention_rows(Survey(found, {}, mentions, known), {"a": "b", "c": "b", "d": "e"})
    assert [row[1:3] for row in rows] == [[1, 2], [1, 2], [1, 2]]


def test_a_round_up_has_a_block_of_one_other_article_of_another_label(stream):
    members = _encoded(stream)
    changed, guests = round_ups(members, stream.truth)
    assert len(changed) == len(members)
    assert guests
    by_id = {member.article.id: member for member in members}
    for now in changed:
        before = by_id[now.article.id]
        assert len(now.sentences) == len(now.vectors)
        added = [s for s in now.sentences if s not in before.sentences]
        if (guest := guests.get(now.article.id)) is None:
            assert now is before
            continue
        assert stream.truth[guest] != stream.truth[now.article.id]
        assert len(added) >= FEWEST or len(by_id[guest].sentences) <= FEWEST + 1
        text = " ".join(by_id[guest].sentences)
        assert " ".join(added) in text
    assert round_ups(members, stream.truth)[1] == guests


def test_the_study_measures_both(stream):
    outcome = overview(Setting(stream, ENCODER, parameters={"learned": False}))
    rows = {row[0]: row for row in outcome.table.rows}
    assert len(rows) == 8
    found = rows["round-ups found with the other story, of those where it is known"]
    assert 0 < found[1] <= found[2]
