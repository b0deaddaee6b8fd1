"""Chunks of articles through M at once, each in a thread of its own.

Splitting every operation between threads, as torch does, makes them wait for each other at each
operation; here they wait once per batch. The result is the same bytes for any number of threads.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock
from typing import TypeVar

import numpy as np
import torch

from scstory.discovery.window import Ints

T = TypeVar("T")
R = TypeVar("R")

CHUNK_ON_CPU, CHUNK_ON_GPU = 64, 1024
"""Articles that go through M together. On a GPU, padding costs less than waiting does."""


def in_chunks(rows: Ints, device: torch.device) -> list[Ints]:
    """Divide articles into those that go through M together."""
    size = CHUNK_ON_CPU if device.type == "cpu" else CHUNK_ON_GPU
    return np.array_split(rows, -(-len(rows) // size)) if len(rows) else []


def on_all_threads(
    work: Callable[[T], R], chunks: Iterable[T], device: torch.device
) -> Iterable[R]:
    """Return what `work` makes of each chunk, in order, by as many threads as torch may use."""
    threads = torch.get_num_threads()
    if threads == 1 or device.type != "cpu":
        return map(work, chunks)
    return _pool(threads).map(work, chunks)


_building = Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads in which torch computes by itself, without threads of its own."""
    with _building:
        if threads not in _pools:
            _pools[threads] = _started(threads)
        return _pools[threads]


def _started(threads: int) -> ThreadPoolExecutor:
    pool = ThreadPoolExecutor(threads, "chunk", _compute_alone)
    ready = Barrier(threads + 1)
    try:
        for _ in range(threads):
            pool.submit(ready.wait)
        ready.wait()
    except BaseException:  # so that nobody waits for a thread that could not be started
        ready.abort()
        pool.shutdown(wait=False)
        raise
    finally:
        torch.set_num_threads(threads)  # what is set last holds for all threads to come
    return pool


def _compute_alone() -> None:
    torch.get_num_threads()  # a thread's first operation sets it to what holds for all: done here
    torch.set_num_threads(1)
