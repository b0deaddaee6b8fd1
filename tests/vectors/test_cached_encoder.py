"""The memory cache: equal sentences are encoded once, the number is limited, bytes are the same."""

from scstory.vectors.cached_encoder import memory_cached
from scstory.vectors.hashing import HashingEncoder
from tests.vectors.test_disk_cache import Counting


def test_equal_sentences_are_encoded_once_within_a_call_and_across():
    encoder = Counting()
    cached = memory_cached(encoder)
    vectors = cached.encode(["a b", "c", "a b"])
    assert encoder.encoded == ["a b", "c"]
    again = cached.encode(["c", "d", "a b"])
    assert encoder.encoded == ["a b", "c", "d"]
    plain = HashingEncoder(dim=16)
    assert vectors.tobytes() == plain.encode(["a b", "c", "a b"]).tobytes()
    assert again.tobytes() == plain.encode(["c", "d", "a b"]).tobytes()
    assert cached.encode([]).shape == (0, 16)
    assert (cached.name, cached.dim) == (encoder.name, encoder.dim)


def test_those_not_used_for_longest_are_forgotten():
    encoder = Counting()
    cached = memory_cached(encoder, limit=2)
    for sentence in ("a", "b", "a", "c", "a", "b"):
        cached.encode([sentence])
    assert encoder.encoded == ["a", "b", "c", "b"]


def test_more_at_once_than_can_be_cached():
    cached = memory_cached(Counting(), limit=2)
    sentences = [str(n) for n in range(10)]
    assert cached.encode(sentences).tobytes() == Counting().encode(sentences).tobytes()


def test_a_caller_who_changes_what_it_got_changes_nothing():
    cached = memory_cached(Counting())
    first = cached.encode(["a"])
    kept = first.copy()
    first[:] = 0
    assert cached.encode(["a"]).tobytes() == kept.tobytes()
