"""The vector cache: the same bytes, encoded once."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from scstory.errors import EncoderError
from scstory.vectors.disk_cache import cache_folder, disk_cached
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
    cached = disk_cached(encoder, folder=tmp_path)
    first = cached.encode(SENTENCES)
    assert sorted(encoder.encoded) == sorted(set(SENTENCES))
    cached._cache.close()
    again = disk_cached(encoder, folder=tmp_path)
    second = again.encode(SENTENCES[::-1])[::-1]
    assert len(encoder.encoded) == 700
    plain = HashingEncoder(dim=16).encode(SENTENCES)
    assert first.tobytes() == second.tobytes() == plain.tobytes()
    assert again.encode([]).shape == (0, 16)


def test_encoders_do_not_share(tmp_path):
    small, large = HashingEncoder(dim=8), HashingEncoder(dim=16)
    disk_cached(small, folder=tmp_path).encode(["x"])
    assert disk_cached(large, folder=tmp_path).encode(["x"]).shape == (1, 16)


def test_the_folder_is_the_users_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    vectors = disk_cached(HashingEncoder(dim=8)).encode(["x"])
    assert (tmp_path / "here").is_dir()
    assert np.isfinite(vectors).all()


def test_a_folder_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EncoderError, match="vector cache .* cannot be used"):
        disk_cached(HashingEncoder(dim=8), folder=tmp_path / "file")


def test_a_file_that_is_no_cache(tmp_path):
    (tmp_path / "hashing_8-x.vectors.db").write_bytes(b"")
    broken = disk_cached(HashingEncoder(dim=8), folder=tmp_path)
    broken._cache._db.execute("DROP TABLE vectors")
    with pytest.raises(EncoderError, match="vector cache .* cannot be used"):
        broken.encode(["x"])


def test_names_that_look_alike_as_file_names_are_kept_apart(tmp_path):
    for number, (name, fingerprint) in enumerate([("a/b", ""), ("a_b", ""), ("a_b", "1")], 1):
        encoder = Counting()
        encoder.name, encoder.fingerprint = name, fingerprint
        disk_cached(encoder, folder=tmp_path).encode(["x"])
        assert encoder.encoded == ["x"]
        assert len(list(tmp_path.glob("*.db"))) == number


def test_the_oldest_vectors_leave(tmp_path):
    encoder = Counting()
    cached = disk_cached(encoder, folder=tmp_path, limit=10)
    for n in range(30):
        cached.encode([f"sentence {n}", f"sentence {n} again"])
    with sqlite3.connect(cached._cache._file) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (10,)
    encoder.encoded.clear()
    cached.encode(["sentence 29", "sentence 0"])
    assert encoder.encoded == ["sentence 0"]


def test_threads_may_share_one(tmp_path):
    cached = disk_cached(HashingEncoder(dim=16), folder=tmp_path)
    plain = HashingEncoder(dim=16).encode(SENTENCES)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: cached.encode(SENTENCES), range(8)):
            assert vectors.tobytes() == plain.tobytes()


def test_what_cannot_be_kept_is_not_half_kept(tmp_path):
    cached = disk_cached(HashingEncoder(dim=16), folder=tmp_path)
    wrong = SimpleNamespace(encode=lambda sentences: [np.ones(16, np.float32), "no vector"])
    cached._encoder = wrong
    with pytest.raises(AttributeError):
        cached.encode(["x", "y"])
    assert not cached._cache._db.in_transaction
    assert cached._cache.look_up([b"x"]) == {}
