"""Chunks of articles through M at once, each in a thread of its own.

Splitting every operation between threads, as torch does, has them wait for each other at each of
it; here they meet once a batch. And what comes out is the same bytes however many there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


def on_all_threads(
    work: Callable[[T], R], chunks: Iterable[T], device: torch.device
) -> Iterable[R]:
    """Return what `work` makes of each chunk, in order, by as many threads as torch may use."""
    threads = torch.get_num_threads()
    if threads == 1 or device.type != "cpu":
        return map(work, chunks)
    return _pool(threads).map(work, chunks)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads in which torch computes by itself, without threads of its own."""
    pool = ThreadPoolExecutor(threads, "chunk", _compute_alone)
    ready = Barrier(threads + 1)
    for _ in range(threads):
        pool.submit(ready.wait)
    ready.wait()
    torch.set_num_threads(threads)  # the last to set it sets it for threads to come
    return pool


if hasattr(os, "register_at_fork"):  # a child has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _compute_alone() -> None:
    torch.set_num_threads(1)
    torch.get_num_threads()  # without it, a thread's first operation would set it anew
