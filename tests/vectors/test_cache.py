"""The vector cache: the same bytes, encoded once."""

import numpy as np
import pytest

from scstory.errors import EncoderError
from scstory.vectors.cache import CachedEncoder, cache_folder
from scstory.vectors.hashing import HashingEncoder


class Counting(HashingEncoder):
    def __init__(self):
        super().__init__(dim=16)
        self.encoded = []

    def encode(self, sentences):
        self.encoded += sentences
        return super().encode(sentences)


SENTENCES = [f"sentence number {n % 700}" for n in range(1500)]


def test_each_sentence_is_encoded_once_and_comes_back_the_same(tmp_path):
    encoder = Counting()
    cached = CachedEncoder(encoder, folder=tmp_path)
    first = cached.encode(SENTENCES)
    assert sorted(encoder.encoded) == sorted(set(SENTENCES))
    cached.close()
    again = CachedEncoder(encoder, folder=tmp_path)
    second = again.encode(SENTENCES[::-1])[::-1]
    assert len(encoder.encoded) == 700
    plain = HashingEncoder(dim=16).encode(SENTENCES)
    assert first.tobytes() == second.tobytes() == plain.tobytes()
    assert again.encode([]).shape == (0, 16)


def test_encoders_do_not_share(tmp_path):
    small, large = HashingEncoder(dim=8), HashingEncoder(dim=16)
    CachedEncoder(small, folder=tmp_path).encode(["x"])
    assert CachedEncoder(large, folder=tmp_path).encode(["x"]).shape == (1, 16)


def test_the_folder_is_the_users_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    vectors = CachedEncoder(HashingEncoder(dim=8)).encode(["x"])
    assert (tmp_path / "here").is_dir()
    assert np.isfinite(vectors).all()


def test_a_folder_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EncoderError, match="vector cache .* cannot be used"):
        CachedEncoder(HashingEncoder(dim=8), folder=tmp_path / "file")
