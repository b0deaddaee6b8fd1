"""Sentences through an ONNX graph: batches of sentences of one token length, many threads.

Batches need neither padding nor mask, so a sentence's vector does not depend on its neighbours.
Each thread takes a batch of its own, and while the model runs on one chunk of sentences, the next
one is being tokenised.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from scstory.types import Vectors
from scstory.vectors.length_batches import length_batches

BATCH_TOKENS = 448
"""Tokens in a batch of short sentences: as many as fit into a core's own cache."""
CHUNK_SENTENCES = 4096
"""Sentences that are tokenised at a time, while the model runs on the chunk before."""

Tokenise = Callable[[Sequence[str]], list[list[int]]]


class OnnxEncoder:
    """A graph that takes token ids of shape (batch, tokens) and returns unit vectors."""

    def __init__(
        self, name: str, dim: int, session: Any, tokenise: Tokenise, *, threads: int | None = None
    ) -> None:
        self.name, self.dim = name, dim
        self._session, self._tokenise = session, tokenise
        self._pool = ThreadPoolExecutor(threads or _cores(), thread_name_prefix=name)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return one unit vector per sentence."""
        out = np.empty((len(sentences), self.dim), dtype=np.float32)

        def run(tokens: list[list[int]], rows: list[int]) -> None:
            ids = np.array(tokens, dtype=np.int64)
            out[rows] = self._session.run(None, {"tokens": ids})[0]

        before: list[Future[None]] = []
        for start, tokens in tokenised(self._tokenise, sentences, CHUNK_SENTENCES):
            running = [
                self._pool.submit(run, [tokens[i] for i in chosen], [start + i for i in chosen])
                for chosen in length_batches([len(ids) for ids in tokens], _rows)
            ]
            for batch in before:  # at most two chunks are in memory at the same time
                batch.result()
            before = running
        for batch in before:
            batch.result()
        return out


def tokenised(
    tokenise: Tokenise, sentences: Sequence[str], size: int
) -> Iterator[tuple[int, list[list[int]]]]:
    """Yield where each chunk starts and its tokens, while the next one is being tokenised."""
    if len(sentences) <= size:
        yield 0, tokenise(sentences)
        return
    with ThreadPoolExecutor(1, thread_name_prefix="tokenise") as thread:
        waiting = thread.submit(tokenise, sentences[:size])
        for start in range(0, len(sentences), size):
            tokens = waiting.result()
            waiting = thread.submit(tokenise, sentences[start + size : start + 2 * size])
            yield start, tokens


def onnx_session(graph: str | bytes) -> Any:
    """Return a session for a graph, given as bytes or as the path of its file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # threads take whole batches instead
    options.log_severity_level = 3
    # The graphs are written as they should run; fusing more would bring back slow operators.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _rows(length: int) -> int:
    return max(1, BATCH_TOKENS // length)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
