"""The window as a table: whatever its columns, rows come and go with all that is known of them."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.window import BASE, UNDECIDED, Column, Window
from scstory.text import BUCKETS, FIELDS, read
from scstory.types import Article
from tests.conftest import encoded as encode

DIM = 4
DAY, HOUR = 86_400.0, 3600.0
START = datetime(2026, 3, 2, tzinfo=UTC)
NOW = START.timestamp()


def at(hours):
    return Article(f"x{hours}", START + timedelta(hours=hours), "t", f"Text {hours} here.")


def encoded(hours, sentences=2):
    rows = np.full((sentences, DIM), hours, dtype=np.float32)
    return encode(at(hours), [f"Sentence {n} of {hours}." for n in range(sentences)], rows)


COLUMNS = (
    Column("score", np.float32, fill=7),
    Column("pair", np.int64, (2, 3)),
    Column("share", np.float64, per="sentence", fill=0.5),
    Column("count", np.int32, (2,), per="term"),
    Column(
        "copied",
        np.float32,
        (DIM,),
        per="sentence",
        derive=lambda new: np.concatenate([member.vectors for member in new]),
    ),
)
"""A column of each kind."""


def make(members=(), **options):
    window = Window(COLUMNS)
    window.append(list(members), not_before=options.get("not_before", NOW))
    return window


def fill(window, seed=0):
    """Write something different into every cell that can be written."""
    rng = np.random.default_rng(seed)
    for value in window.arrays().values():
        value[:] = rng.integers(0, 10_000, value.shape)
    window["times"][:] = NOW + np.sort(rng.integers(0, 1000, len(window)))
    return window


def articles(window):
    """Return what is known of each article, column by column."""
    names = {column.name: column.per for column in (*BASE, *COLUMNS)}
    return [
        (
            member.article.id,
            member.sentences,
            {
                name: (window[name][i] if per == "article" else window.of(name, i)).tolist()
                for name, per in names.items()
            },
        )
        for i, member in enumerate(window.members)
    ]


LENGTHS = st.lists(st.integers(1, 5), max_size=8)


def random_window(lengths, seed=0, first=0):
    return fill(make([encoded(first + n, k) for n, k in enumerate(lengths)]), seed)


# -- rows come and go -----------------------------------------------------------------------------


def test_new_articles_get_what_is_declared():
    window = make([encoded(1, 3)])
    rows = window.append([encoded(2, 1), encoded(3, 2)], not_before=NOW)
    assert rows.tolist() == [1, 2]
    assert window.append([], not_before=NOW).tolist() == []
    assert window.story.tolist() == [UNDECIDED] * 3
    assert window.confidence.tolist() == [0] * 3
    assert (window["score"] == 7).all()
    assert window["pair"].shape == (3, 2, 3)
    assert window["share"].tolist() == [0.5] * 6
    assert window.lengths.tolist() == [3, 1, 2]
    assert window["copied"][:, 0].tolist() == [1, 1, 1, 2, 3, 3]
    assert [window[column.name].dtype for column in COLUMNS] == [c.dtype for c in COLUMNS]


def test_times_are_seconds_and_a_late_article_counts_from_when_it_came():
    window = make([encoded(1), encoded(30)], not_before=NOW + 3 * HOUR)
    assert window.times.tolist() == [NOW + 3 * HOUR, NOW + 30 * HOUR]


def test_terms_are_those_that_were_read():
    window = make([encoded(n, 1 + n % 3) for n in range(5)])
    assert window.terms.shape == (5, len(FIELDS) * BUCKETS)
    for i, member in enumerate(window.members):
        row = window.terms[[i]]
        assert np.array_equal(row.indices, member.reading.columns)
        assert np.array_equal(row.data, member.reading.counts)
        assert np.array_equal(window.of("term_columns", i), member.reading.columns)


def test_window_lets_the_oldest_go_with_all_that_is_known_of_them():
    window = make([encoded(1, 3), encoded(2, 1), encoded(30, 2)])
    window.story[:] = [5, 6, 7]
    gone = window.evict(NOW + DAY)
    assert (gone.story.tolist(), [m.article.id for m in gone.members]) == ([5, 6], ["x1", "x2"])
    assert [m.article.id for m in window.members] == ["x30"]
    assert window.story.tolist() == [7]
    assert window["copied"].tolist() == [[30] * DIM] * 2
    assert window.terms.shape[0] == len(window["score"]) == 1
    assert len(window.evict(NOW + 9 * DAY)) == 1
    assert len(window) == 0
    assert window["copied"].shape == (0, DIM)


def test_a_late_article_stays_as_long_as_one_of_today():
    window = make([encoded(1)], not_before=NOW + 3 * DAY)
    assert len(window.evict(NOW + 2 * DAY)) == 0


def test_one_that_is_as_old_as_the_limit_stays():
    window = make([encoded(1), encoded(2)])
    assert len(window.evict(NOW + 2 * HOUR)) == 1
    assert [m.article.id for m in window.members] == ["x2"]


@settings(max_examples=40, deadline=None)
@given(LENGTHS, st.integers(0, 8), st.integers(0, 8))
def test_a_part_is_these_rows_and_a_copy(lengths, start, stop):
    window = random_window(lengths)
    known = articles(window)
    part = window.part(start, stop)
    assert articles(part) == known[start:stop]
    fill(part, seed=1)
    assert articles(window) == known


@settings(max_examples=40, deadline=None)
@given(LENGTHS, st.integers(0, 8))
def test_evicting_divides_a_window_and_joining_makes_it_whole(lengths, count):
    window = random_window(lengths)
    window.times[:] = NOW + np.arange(len(window))
    known = articles(window)
    gone = window.evict(NOW + count)
    assert articles(gone) == known[:count]
    assert articles(window) == known[count:]
    both = gone.joined(window)
    assert articles(both) == known
    fill(both, seed=1)
    assert articles(gone) + articles(window) == known


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(LENGTHS, st.integers(0, 5)), max_size=6))
def test_however_rows_come_and_go_each_keeps_what_is_known_of_it(steps):
    window, known, number = make(), [], 0
    for lengths, leave in steps:
        later = random_window(lengths, seed=number, first=number)
        rows = window.append(later.members, not_before=NOW)
        for name, values in later.arrays().items():
            window[name][len(window[name]) - len(values) :] = values
        assert rows.tolist() == list(range(len(known), len(known) + len(lengths)))
        known += articles(later)
        window.times[:] = NOW + np.arange(len(window))
        for n, (_, _, row) in enumerate(known):
            row["times"] = NOW + n
        assert articles(window.evict(NOW + leave)) == known[:leave]
        known = known[leave:]
        number += 10
    assert articles(window) == known


def test_evicting_nothing_copies_nothing():
    window = make([encoded(n) for n in range(20)])
    names = [column.name for column in (*BASE, *COLUMNS)]
    before = {name: place(window[name]) for name in names}
    gone = window.evict(NOW - DAY)
    assert len(gone) == len(gone["copied"]) == 0
    assert {name: place(window[name]) for name in names} == before


def place(values):
    return values.__array_interface__["data"][0]


def test_what_leaves_is_not_copied_with_what_stays():
    """Of a window from which some rows went, the others are where they were."""
    window = make([encoded(n) for n in range(20)])
    before = place(window["copied"])
    window.evict(NOW + 5 * HOUR)
    assert place(window["copied"]) - before == 5 * 2 * DIM * 4


def test_articles_that_come_one_by_one_are_not_copied_each_time():
    rng = np.random.default_rng(0)
    members = [
        encode(at(n), ["s"] * k, rng.standard_normal((k, DIM)).astype(np.float32))
        for n, k in enumerate(rng.integers(1, 6, 200).tolist())
    ]
    together, one_by_one, places = make(members), make(), set()
    for member in members:
        one_by_one.append([member], not_before=NOW)
        places.add(place(one_by_one["copied"]))
    assert articles(one_by_one) == articles(together)
    assert len(places) < 40
    assert len(one_by_one.evict(NOW + 50 * HOUR)) == 50
    one_by_one.append([encoded(300)], not_before=NOW)
    assert articles(one_by_one) == [*articles(together)[50:], *articles(make([encoded(300)]))]


def test_a_window_through_which_many_pass_takes_no_more_room_than_its_articles():
    window = make()
    for n in range(500):
        window.append([encoded(n)], not_before=NOW)
        window.evict(NOW + (n - 10) * HOUR)
    assert len(window) == 11
    assert len(window._values["copied"]._room) < 100


# -- sentences ------------------------------------------------------------------------------------


def test_each_article_has_its_own_sentences():
    window = make([encoded(1, 3), encoded(2, 1), encoded(3, 2)])
    assert window.sentence_rows(np.array([2, 0])).tolist() == [4, 5, 0, 1, 2]
    assert window.sentence_table(np.array([1, 0])).tolist() == [[3, -1, -1], [0, 1, 2]]
    nobody = np.empty(0, dtype=np.int64)
    assert window.sentence_rows(nobody).shape == (0,)
    assert window.sentence_table(nobody).shape == (0, 0)
    window.evict(NOW + 2 * HOUR)
    assert window.sentence_table(np.array([1, 0])).tolist() == [[1, 2], [0, -1]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_sentences_are_dropped_with_all_that_is_known_of_them(lengths, seed):
    window = random_window(lengths)
    known, rng = articles(window), np.random.default_rng(seed)
    kept = [np.append(rng.random(k - 1) < 0.6, True) for k in lengths]
    window.keep_sentences(np.concatenate(kept), read)
    sentence_columns = [c.name for c in (*BASE, *COLUMNS) if c.per == "sentence"]
    for (_, sentences, row), stays in zip(known, kept, strict=True):
        row["lengths"] = int(stays.sum())
        for name in sentence_columns:
            row[name] = [value for value, is_kept in zip(row[name], stays, strict=True) if is_kept]
        assert len(sentences) == len(stays)
    found = articles(window)
    reread = [c.name for c in BASE if c.per == "term" or c.name == "term_lengths"]
    for (*_, row), (*_, expected) in zip(found, known, strict=True):
        for name in row.keys() - {*reread, "count"}:  # what is read may follow the sentences
            assert row[name] == expected[name], name
    for (_, sentences, _), (_, before, _), stays, member in zip(
        found, known, kept, window.members, strict=True
    ):
        assert sentences == tuple(np.array(before)[stays])
        assert len(member.vectors) == len(sentences)
    window.append([encoded(99)], not_before=NOW)  # and it goes on
    assert window.of("copied", len(lengths)).tolist() == [[99] * DIM] * 2


def test_without_some_sentences_a_window_is_as_if_it_were_read_again():
    """That is what happens when it is restored: terms must not differ then."""
    window, other = make([encoded(1, 6), encoded(2, 4)]), make()
    window.keep_sentences(np.arange(10) % 3 != 1, read)
    again = [encode(m.article, m.sentences, m.vectors) for m in window.members]
    arrays = {name: value for name, value in window.arrays().items() if name != "count"}
    other.restore(again, {**arrays, "count": make(again)["count"]})
    assert (other.terms != window.terms).nnz == 0


def test_no_article_no_sentence_to_drop():
    window = make()
    window.keep_sentences(np.empty(0, dtype=bool), read)
    assert len(window) == 0


# -- saving ---------------------------------------------------------------------------------------


def test_only_what_cannot_be_derived_is_saved():
    assert set(make().arrays()) == {
        "times",
        "story",
        "confidence",
        "weights",
        "score",
        "pair",
        "share",
        "count",
    }


@settings(max_examples=40, deadline=None)
@given(LENGTHS, LENGTHS)
def test_restored_a_window_is_what_it_was(lengths, before):
    window, other = random_window(lengths), random_window(before, seed=1, first=50)
    saved = {name: value.copy() for name, value in window.arrays().items()}
    other.restore(window.members, saved)
    assert articles(other) == articles(window)
    fill(other, seed=2)
    assert all(np.array_equal(value, window[name]) for name, value in saved.items())


@pytest.mark.parametrize("name", ["times", "story", "weights", "pair", "share", "count"])
@pytest.mark.parametrize("more", [-1, 1])
def test_a_column_of_another_length_is_refused(name, more):
    window = random_window([2, 3])
    arrays = window.arrays()
    value = arrays[name]
    arrays[name] = value[:more] if more < 0 else np.concatenate([value, value[:1]])
    with pytest.raises(ValueError, match=f"{name} of shape"):
        make().restore(window.members, arrays)
