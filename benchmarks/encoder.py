"""Sentences a second: sentence-transformers, MiniLM in 32 and in 8 bits, and the limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper

from benchmarks.data import sentences
from benchmarks.rounds import alternate
from scstory.vectors.minilm import BATCH_TOKENS, MiniLM, MiniLMTokenizer, installed_folder

THREADS = 2
NUMBER = 320
SHAPES = ((384, 1152), (384, 384), (384, 1536), (1536, 384))
"""The products of one of MiniLM's six layers: projections, output, up, down."""
LAYERS = 6
A_TOKEN = LAYERS * sum(rows * columns for rows, columns in SHAPES)
"""Multiplications with weights that a token costs."""


def measure() -> dict[str, Any]:
    """Return rates, ratios, and the share of the measured 8-bit peak."""
    name, texts = sentences(NUMBER)
    reference = _sentence_transformers()
    fp32, int8 = MiniLM(bits=32, threads=THREADS), MiniLM(bits=8, threads=THREADS)
    tokens = sum(len(ids) for ids in MiniLMTokenizer(installed_folder()).tokenise(texts))
    rows = BATCH_TOKENS * 32
    timings = alternate(
        {
            "sentence-transformers, 32 bits": lambda: reference.encode(
                texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False
            ),
            "minilm (ONNX Runtime, 32 bits)": lambda: fp32.encode(texts),
            "minilm-int8 (ONNX Runtime, 8 bits)": lambda: int8.encode(texts),
            "peak": _peak(rows // BATCH_TOKENS),
        },
        rounds=9,
    )
    peak = rows * A_TOKEN / timings["peak"].seconds()
    peak_processor = rows * A_TOKEN / timings["peak"].processor_seconds()
    base = timings["sentence-transformers, 32 bits"]
    contenders = {}
    for contender, timing in timings.items():
        if contender != "peak":
            contenders[contender] = {
                "sentences_per_second": len(texts) / timing.seconds(),
                "times": base.seconds() / timing.seconds(),
                "processor_ms": 1000 * timing.processor_seconds() / len(texts),
                "times_processor": base.processor_seconds() / timing.processor_seconds(),
            }
    ours = timings["minilm-int8 (ONNX Runtime, 8 bits)"]
    return {
        "data": name,
        "sentences": len(texts),
        "tokens_a_sentence": tokens / len(texts),
        "threads": THREADS,
        "contenders": contenders,
        "peak_gmacs": peak / 1e9,
        "peak_sentences_per_second": peak / (tokens / len(texts) * A_TOKEN),
        "share_of_peak": tokens * A_TOKEN / ours.seconds() / peak,
        "share_of_peak_processor": tokens * A_TOKEN / ours.processor_seconds() / peak_processor,
    }


def _sentence_transformers() -> Any:
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(THREADS)
    return SentenceTransformer(str(installed_folder()), device="cpu")


def _peak(batches: int) -> Any:
    """Return a run of nothing but the model's 8-bit products, on as many threads."""
    sessions = [_product(rows, columns) for rows, columns in SHAPES]
    random = np.random.default_rng(0)
    inputs = [random.integers(0, 256, (BATCH_TOKENS, r), dtype=np.uint8) for r, _ in SHAPES]
    pool = ThreadPoolExecutor(THREADS)

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
    lines = [
        "| encoder | sentences/s | times | processor ms a sentence | times |",
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
            f"{result['sentences']} sentences of {result['data']}, "
            f"{result['tokens_a_sentence']:.1f} tokens each, {result['threads']} threads; medians "
            "of alternating rounds. Nothing but the model's 8-bit matrix products, on as many "
            f"threads, ran at {result['peak_gmacs']:,.0f} billion multiplications a second in the "
            f"same rounds: `minilm-int8` reaches {result['share_of_peak']:.0%} of that by the "
            f"clock, {result['share_of_peak_processor']:.0%} by processor time.",
        ]
    )
