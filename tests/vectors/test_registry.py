"""A new encoder is one file with a factory, and one line in the registry."""

import sys

import pytest

from scstory.errors import ConfigError
from scstory.vectors import make_encoder
from scstory.vectors.registry import ENCODERS

TOY = """
import numpy as np

class LengthEncoder:
    dim = 2
    def __init__(self, argument, *, threads, device):
        self.name = f"length:{argument}"
    def encode(self, sentences):
        return np.array([[len(s), 1] for s in sentences], dtype=np.float32).reshape(-1, 2)
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    (tmp_path / "toy_encoder.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(ENCODERS, "length", "toy_encoder:LengthEncoder")
    yield
    sys.modules.pop("toy_encoder", None)


def test_a_toy_encoder_needs_a_file_and_a_line(toy):
    encoder = make_encoder("length:x")
    assert (encoder.name, encoder.dim) == ("length:x", 2)
    assert encoder.encode(["abc", "", "abc"]).tolist() == [[3, 1], [0, 1], [3, 1]]
    assert encoder.encode([]).shape == (0, 2)


def test_the_message_for_no_name_lists_the_encoders(toy):
    with pytest.raises(
        ConfigError, match="name one of minilm-int8, .*, use-multilingual, .*, length"
    ):
        make_encoder(" ")
