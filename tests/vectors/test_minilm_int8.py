"""The 8-bit graph: the same whole numbers whichever way weights are kept, scales that fit."""

import io

import numpy as np
import onnxruntime
import pytest
from safetensors.numpy import load
from tools.minilm_calibrate import calibrate

from scstory.sample import load_sample
from scstory.vectors.minilm import MiniLM, installed_weights
from scstory.vectors.minilm_int8 import Int8Graph, scales_file, signed_is_exact
from scstory.vectors.onnx_encoder import onnx_session


@pytest.fixture(scope="module")
def scales():
    with np.load(io.BytesIO(scales_file())) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def test_both_ways_to_keep_weights_give_the_same_bytes(scales):
    if not signed_is_exact():
        pytest.skip("this processor clips sums of signed products, which is why there are two ways")
    weights = load(installed_weights())
    tokens = np.array([[101, 2003, 1996, 2314, 102]] * 3, dtype=np.int64)
    graphs = (Int8Graph(weights, scales, signed=way).serialised() for way in (True, False))
    signed, unsigned = (onnx_session(graph).run(None, {"tokens": tokens})[0] for graph in graphs)
    assert signed.tobytes() == unsigned.tobytes()


def test_the_scales_are_those_of_the_weights_and_text(scales):
    measured = calibrate([item.article.text[:400] for item in load_sample()[:20]])
    assert measured.keys() == scales.keys()
    for name, found in measured.items():
        assert found.shape == scales[name].shape
        if name.endswith(".range"):
            low, high = scales[name]
            assert low < 0 < high
        else:
            assert (scales[name] > 0).all()
        if name.endswith(".up"):  # which channel is the largest is up to the weights, not the text
            assert found.argmax() == scales[name].argmax()


def test_the_graph_is_kept_and_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path))
    first = MiniLM(threads=1).encode(["The river rose."])
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(f"-ort{onnxruntime.__version__}.onnx")
    monkeypatch.setattr("scstory.vectors.minilm._checked", None)  # weights are not read again
    assert MiniLM(threads=1).encode(["The river rose."]).tobytes() == first.tobytes()
