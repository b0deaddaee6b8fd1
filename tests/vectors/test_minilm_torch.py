"""MiniLM in torch: the same model, and a vector is the same bytes in any company."""

import numpy as np
import pytest

from scstory.errors import ConfigError
from scstory.vectors import make_encoder
from scstory.vectors.minilm import MiniLM
from scstory.vectors.minilm_torch import TorchMiniLM
from tests.vectors.test_encoders import SENTENCES


@pytest.fixture(scope="module")
def torch_minilm():
    return TorchMiniLM(device="cpu")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr("scstory.vectors.minilm_torch.GPU_BATCH_TOKENS", 64)


def test_it_is_the_same_model(torch_minilm):
    exact = MiniLM(bits=32, threads=2)
    assert torch_minilm.name == exact.name
    np.testing.assert_allclose(torch_minilm.encode(SENTENCES), exact.encode(SENTENCES), atol=1e-5)


def test_a_vector_is_the_same_bytes_in_any_company(torch_minilm, monkeypatch):
    together = torch_minilm.encode(SENTENCES)
    alone = np.concatenate([torch_minilm.encode([sentence]) for sentence in SENTENCES])
    monkeypatch.setattr("scstory.vectors.minilm_torch.GPU_CHUNK_SENTENCES", 3)
    turned = torch_minilm.encode(SENTENCES[::-1])[::-1]
    assert together.tobytes() == alone.tobytes() == turned.tobytes()
    assert torch_minilm.encode([]).shape == (0, 384)


def test_a_device_that_is_not_there_is_one_line():
    for device in ("xpu:9", "no-such-device"):
        with pytest.raises(ConfigError, match=f"device {device}: cannot be used") as caught:
            make_encoder(device=device)
        assert "\n" not in str(caught.value)


def test_8_bits_are_for_the_cpu():
    with pytest.raises(ConfigError, match="minilm-int8: runs on the CPU only, not on cuda"):
        make_encoder("minilm-int8", device="cuda")
