"""Sentences a second: sentence-transformers, MiniLM in 32 and in 8 bits, and the limit."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper

from benchmarks.data import sentences
from benchmarks.rounds import alternate
from scstory.vectors.minilm import MiniLM, MiniLMTokenizer, installed_folder
from scstory.vectors.onnx_encoder import BATCH_TOKENS

THREADS = 2
NUMBER = 320
ROUNDS = 9
SHAPES = ((384, 1152), (384, 384), (384, 1536), (1536, 384))
"""The products of one of MiniLM's six layers: projections, output, up, down."""
LAYERS = 6
A_TOKEN = LAYERS * sum(rows * columns for rows, columns in SHAPES)
"""Multiplications with weights that a token costs."""


def measure() -> dict[str, Any]:
    """Return rates, ratios, and the share of the measured 8-bit peak."""
    name, texts = sentences(NUMBER)
    tokens = sum(len(ids) for ids in MiniLMTokenizer(installed_folder()).tokenise(texts))
    batches = 32
    timed = {}
    for threads in (THREADS, 1):
        timed[threads] = alternate(
            {**_contenders(texts, threads), "peak": _peak(batches, threads)}, rounds=ROUNDS
        )
    wall, alone = timed[THREADS], timed[1]
    base = "sentence-transformers, 32 bits"
    contenders = {
        contender: {
            "sentences_per_second": len(texts) / timing.seconds(),
            "times": wall[base].seconds() / timing.seconds(),
            "processor_ms": 1000 * alone[contender].processor_seconds() / len(texts),
            "times_processor": alone[base].processor_seconds()
            / alone[contender].processor_seconds(),
        }
        for contender, timing in wall.items()
        if contender != "peak"
    }
    ours, work = "minilm-int8 (ONNX Runtime, 8 bits)", batches * BATCH_TOKENS * A_TOKEN
    share = tokens * A_TOKEN / work
    return {
        "data": name,
        "sentences": len(texts),
        "tokens_a_sentence": tokens / len(texts),
        "threads": THREADS,
        "contenders": contenders,
        "peak_gmacs": work / wall["peak"].seconds() / 1e9,
        "peak_gmacs_a_core": work / alone["peak"].processor_seconds() / 1e9,
        "share_of_peak": share * wall["peak"].seconds() / wall[ours].seconds(),
        "share_of_peak_processor": share
        * alone["peak"].processor_seconds()
        / alone[ours].processor_seconds(),
    }


def _contenders(texts: list[str], threads: int) -> dict[str, Callable[[], object]]:
    reference = _sentence_transformers()
    fp32, int8 = MiniLM(bits=32, threads=threads), MiniLM(bits=8, threads=threads)

    def plainly() -> None:
        torch.set_num_threads(threads)
        reference.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)

    return {
        "sentence-transformers, 32 bits": plainly,
        "minilm (ONNX Runtime, 32 bits)": lambda: fp32.encode(texts),
        "minilm-int8 (ONNX Runtime, 8 bits)": lambda: int8.encode(texts),
    }


def _sentence_transformers() -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(installed_folder()), device="cpu")


def _peak(batches: int, threads: int) -> Callable[[], object]:
    """Return a run of nothing but the model's 8-bit products, on as many threads."""
    sessions = [_product(rows, columns) for rows, columns in SHAPES]
    random = np.random.default_rng(0)
    inputs = [random.integers(0, 256, (BATCH_TOKENS, r), dtype=np.uint8) for r, _ in SHAPES]
    pool = ThreadPoolExecutor(threads)

    def batch(_: int) -> None:
        for _ in range(LAYERS):
            for session, values in zip(sessions, inputs, strict=True):
                session.run(None, {"x": values})

    return lambda: list(pool.map(batch, range(batches)))


def _product(rows: int, columns: int) -> Any:
    weight = np.random.default_rng(1).integers(-127, 128, (rows, columns)).astype(np.int8)
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("MatMulInteger", ["x", "w"], ["y"])],
            "product",
            [helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, ["n", rows])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.INT32, ["n", columns])],
            [numpy_helper.from_array(weight, "w")],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    threads = result["threads"]
    lines = [
        f"| encoder | sentences/s, {threads} threads | times | ms per sentence, 1 core | times |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, row in result["contenders"].items():
        lines.append(
            f"| {name} | {row['sentences_per_second']:,.0f} | {row['times']:.2f} | "
            f"{row['processor_ms']:.2f} | {row['times_processor']:.2f} |"
        )
    return "\n".join(
        [
            *lines,
            "",
            f"The benchmark encodes {result['sentences']} sentences of {result['data']} with "
            f"{result['tokens_a_sentence']:.1f} tokens on average. The figures are medians of "
            f"alternating rounds: wall-clock time with {threads} threads, processor time with one. "
            "In the same rounds, the model's 8-bit matrix products alone ran at "
            f"{result['peak_gmacs']:,.0f} billion multiplications per second on {threads} threads "
            f"and at {result['peak_gmacs_a_core']:,.0f} on one; `minilm-int8` reaches "
            f"{result['share_of_peak']:.0%} and {result['share_of_peak_processor']:.0%} of that.",
        ]
    )
