"""The pipeline: in order, in threads, no further ahead than expected, errors in their place."""

import threading
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from scstory.errors import ClusterError
from scstory.text import read
from scstory.vectors import Prefetcher, Unencodable, encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream

SHORT = partial(read, max_sentences=3)
STREAM = make_stream(days=6)


class Gated(HashingEncoder):
    """An encoder that tells of every call, and waits until it is let through."""

    def __init__(self):
        super().__init__(dim=8)
        self.calls, self.gate = [], threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def encode(self, sentences):
        assert threading.current_thread() is not threading.main_thread()
        self.calls.append(len(sentences))
        self.begun.release()
        assert self.gate.acquire(timeout=30)
        return super().encode(sentences)


def same(found, expected):
    return [(m.article, m.sentences, m.vectors.tobytes()) for m in found] == [
        (m.article, m.sentences, m.vectors.tobytes()) for m in expected
    ]


@pytest.mark.parametrize(("lanes", "at_once"), [(1, 256), (1, 3), (4, 2)])
def test_the_same_as_one_after_the_other(hashing, lanes, at_once):
    prefetcher = Prefetcher(
        hashing, reader=SHORT, lanes=lambda: lanes, most_lanes=lanes, at_once=at_once
    )
    expected = encode_articles(STREAM, hashing, reader=SHORT)
    for start in range(0, len(STREAM), 5):
        prefetcher.expect(STREAM[start : start + 9])
        found = prefetcher.encode(STREAM[start : start + 5])
        assert same(found, expected[start : start + 5])
    assert same(prefetcher.encode(STREAM), expected)  # without having been expected
    prefetcher.close()


def test_nothing_to_encode(hashing):
    prefetcher = Prefetcher(hashing)
    prefetcher.expect([])
    assert prefetcher.encode([]) == []


def test_the_next_are_encoded_while_these_are_decided():
    encoder = Gated()
    prefetcher = Prefetcher(encoder)
    prefetcher.expect(STREAM[:6], at_a_time=2)
    assert encoder.begun.acquire(timeout=30)
    encoder.gate.release()
    assert len(prefetcher.encode(STREAM[:2])) == 2
    # Without having been asked for, the next two are on their way, and no more than those.
    assert encoder.begun.acquire(timeout=30)
    assert not encoder.begun.acquire(timeout=0.2)
    encoder.gate.release(2)
    assert len(prefetcher.encode(STREAM[2:6])) == 4
    prefetcher.close()


def test_what_is_no_longer_expected_is_let_go():
    encoder = Gated()
    prefetcher = Prefetcher(encoder)
    prefetcher.expect(STREAM[:8], at_a_time=2)
    assert encoder.begun.acquire(timeout=30)
    prefetcher.expect(STREAM[6:8])
    assert len(prefetcher._held) == 2
    encoder.gate.release(2)
    assert len(prefetcher.encode(STREAM[6:8])) == 2
    assert len(encoder.calls) == 2  # the one that had begun, and the one still wanted
    prefetcher.close()


def test_what_was_encoded_is_there_as_long_as_it_is_expected():
    encoder = Gated()
    encoder.gate.release(1)
    prefetcher = Prefetcher(encoder)
    prefetcher.expect(STREAM[:4])
    first = prefetcher.encode(STREAM[:4])
    prefetcher.expect(STREAM[:4])
    again = prefetcher.encode(
        [replace(a, published=a.published + timedelta(1)) for a in STREAM[:4]]
    )
    assert len(encoder.calls) == 1
    assert [m.vectors.tobytes() for m in again] == [m.vectors.tobytes() for m in first]
    assert again[0].article.published == STREAM[0].published + timedelta(1)
    prefetcher.close()


def test_an_article_that_cannot_be_encoded_stands_alone():
    class Failing(HashingEncoder):
        def encode(self, sentences):
            if any("comet" in sentence.lower() for sentence in sentences):
                raise ValueError("no comets")
            return super().encode(sentences)

    stream = [make_article(n, topic) for n, topic in enumerate(("flood", "comet", "trial"))]
    prefetcher = Prefetcher(Failing(dim=8))
    good, bad, other = prefetcher.encode(stream)
    assert isinstance(bad, Unencodable)
    assert (bad.article, str(bad.error)) == (stream[1], "no comets")
    assert same([good, other], encode_articles([stream[0], stream[2]], HashingEncoder(dim=8)))


def test_an_encoder_that_is_out_of_reach_is_no_articles_fault():
    class Away(HashingEncoder):
        there = False

        def encode(self, sentences):
            if not self.there:
                raise ClusterError("nobody there")
            return super().encode(sentences)

    encoder = Away(dim=8)
    prefetcher = Prefetcher(encoder)
    prefetcher.expect(STREAM[:4])
    with pytest.raises(ClusterError):
        prefetcher.encode(STREAM[:4])
    encoder.there = True
    prefetcher.expect(STREAM[:4])
    assert len(prefetcher.encode(STREAM[:4])) == 4


def test_how_far_ahead_is_worth_it(hashing):
    assert Prefetcher(hashing).depth(10) == 10
    assert Prefetcher(hashing, prefetch=False).depth(10) == 0
    many = Prefetcher(hashing, lanes=lambda: 6, most_lanes=6, at_once=4)
    assert (many.depth(10), many.depth(100)) == (48, 100)
