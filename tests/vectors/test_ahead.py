"""The pipeline: in order, in a thread, no further ahead than allowed, errors in their place."""

import threading

import pytest

from scstory.vectors import EncodeAhead, encode_ahead, encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream


def slides():
    stream = make_stream(days=6)
    return [stream[start : start + 5] for start in range(0, len(stream), 5)]


@pytest.mark.parametrize("ahead", [0, 1, 3, 50])
def test_the_same_as_one_after_the_other(hashing, ahead):
    found = list(encode_ahead(slides(), hashing, max_sentences=3, ahead=ahead))
    for slide, encoded in zip(slides(), found, strict=True):
        for one, other in zip(
            encode_articles(slide, hashing, max_sentences=3), encoded, strict=True
        ):
            assert one.article == other.article
            assert one.sentences == other.sentences
            assert one.vectors.tobytes() == other.vectors.tobytes()


def test_nothing_to_encode(hashing):
    assert list(encode_ahead([], hashing)) == []


def test_the_next_slide_is_encoded_while_this_one_is_decided():
    class Telling(HashingEncoder):
        def __init__(self):
            super().__init__(dim=8)
            self.calls = threading.Semaphore(0)

        def encode(self, sentences):
            assert threading.current_thread() is not threading.main_thread()
            self.calls.release()
            return super().encode(sentences)

    encoder = Telling()
    pipeline = encode_ahead(slides(), encoder, ahead=1)
    next(pipeline)
    # Without asking for another, the second is encoded too.
    assert encoder.calls.acquire(timeout=10)
    assert encoder.calls.acquire(timeout=10)
    assert not encoder.calls.acquire(timeout=0.2)
    pipeline.close()


def test_no_more_is_read_than_allowed(hashing):
    read = []

    def source():
        for number, slide in enumerate(slides()):
            read.append(number)
            yield slide

    pipeline = encode_ahead(source(), hashing, ahead=2)
    next(pipeline)
    assert read == [0, 1, 2]
    next(pipeline)
    assert read == [0, 1, 2, 3]
    pipeline.close()


def test_an_error_comes_when_its_slide_does():
    class Failing(HashingEncoder):
        def encode(self, sentences):
            if any("comet" in sentence.lower() for sentence in sentences):
                raise ValueError("no comets")
            return super().encode(sentences)

    good, bad = slides()[0][:2], [a for slide in slides() for a in slide if "comet" in a.id]
    with EncodeAhead(Failing(dim=8)) as pipeline:
        assert pipeline.push(good) == []
        (first,) = pipeline.push(bad)
        assert [encoded.article for encoded in first] == good
        with pytest.raises(ValueError, match="no comets"):
            pipeline.push(good)
        assert len(list(pipeline.drain())) == 1
