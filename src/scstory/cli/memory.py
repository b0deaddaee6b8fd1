"""Memory of a process that runs for months."""

from __future__ import annotations

import ctypes
import os
import threading
import time

EVERY = 60.0
"""Seconds from one giving back to the next."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
AT_HAND, AT_ONCE = 512 << 20, 32 << 20
"""Bytes that may stay free until then, and the largest piece that is taken from them."""


def stay_lean() -> None:
    """Let the process hold no more memory than it uses, as far as the C library can be told.

    That of GNU gives nearly every thread a pool of its own, what is free in one is of no use to the
    others, and little of it ever goes back to the system: over hours a service with twenty threads
    holds ever more memory that nobody uses. So threads share a few pools, one a core, unless
    MALLOC_ARENA_MAX says how many; and what is free goes back every minute, but not before: M
    needs the same again a moment later, and the system takes its time to hand it out. Other C
    libraries have no such pools.
    """
    try:
        library = ctypes.CDLL(None)
        set_option, give_back = library.mallopt, library.malloc_trim
    except (OSError, AttributeError, TypeError):
        return
    for option, name, value in (
        (_M_ARENA_MAX, "MALLOC_ARENA_MAX", max(2, os.cpu_count() or 2)),
        (_M_TRIM_THRESHOLD, "MALLOC_TRIM_THRESHOLD_", AT_HAND),
        (_M_MMAP_THRESHOLD, "MALLOC_MMAP_THRESHOLD_", AT_ONCE),
    ):
        if name not in os.environ:
            set_option(option, value)

    def give_back_now_and_then() -> None:
        while True:
            time.sleep(EVERY)
            give_back(ctypes.c_size_t(0))

    threading.Thread(target=give_back_now_and_then, name="memory", daemon=True).start()
