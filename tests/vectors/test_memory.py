"""Vectors in memory: equal sentences once, no more than allowed, the same bytes."""

from scstory.vectors.hashing import HashingEncoder
from scstory.vectors.memory import RememberingEncoder
from tests.vectors.test_cache import Counting


def test_equal_sentences_are_encoded_once_within_a_call_and_across():
    encoder = Counting()
    remembering = RememberingEncoder(encoder)
    vectors = remembering.encode(["a b", "c", "a b"])
    assert encoder.encoded == ["a b", "c"]
    again = remembering.encode(["c", "d", "a b"])
    assert encoder.encoded == ["a b", "c", "d"]
    plain = HashingEncoder(dim=16)
    assert vectors.tobytes() == plain.encode(["a b", "c", "a b"]).tobytes()
    assert again.tobytes() == plain.encode(["c", "d", "a b"]).tobytes()
    assert remembering.encode([]).shape == (0, 16)
    assert (remembering.name, remembering.dim) == (encoder.name, encoder.dim)


def test_those_not_used_for_longest_are_forgotten():
    encoder = Counting()
    remembering = RememberingEncoder(encoder, limit=2)
    for sentence in ("a", "b", "a", "c", "a", "b"):
        remembering.encode([sentence])
    assert encoder.encoded == ["a", "b", "c", "b"]


def test_more_at_once_than_can_be_remembered():
    remembering = RememberingEncoder(Counting(), limit=2)
    sentences = [str(n) for n in range(10)]
    assert remembering.encode(sentences).tobytes() == Counting().encode(sentences).tobytes()


def test_a_caller_who_changes_what_it_got_changes_nothing():
    remembering = RememberingEncoder(Counting())
    first = remembering.encode(["a"])
    kept = first.copy()
    first[:] = 0
    assert remembering.encode(["a"]).tobytes() == kept.tobytes()
