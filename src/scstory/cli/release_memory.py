"""Returns free memory to the system, for processes that run for months."""

import ctypes
import os
import threading
import time

RELEASE_INTERVAL = 60.0
"""Seconds between two releases."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
TRIM_BYTES, MMAP_BYTES = 512 << 20, 32 << 20
"""The free bytes that may stay until then, and the size from which memory is mapped by itself."""


def release_memory_regularly() -> None:
    """Make the GNU C library return free memory to the system every minute.

    By default it gives nearly every thread its own pool; memory that is free in one pool is of no
    use to other threads, and little of it ever returns to the system: over hours a service with
    twenty threads holds more and more unused memory. So threads share one pool per core, unless
    MALLOC_ARENA_MAX is set, and free memory returns every minute, but not sooner: M needs the same
    memory a moment later, and the system is slow to provide it. Other C libraries have no pools.
    """
    try:
        library = ctypes.CDLL(None)
        set_option, trim = library.mallopt, library.malloc_trim
    except (OSError, AttributeError, TypeError):
        return
    for option, name, value in (
        (_M_ARENA_MAX, "MALLOC_ARENA_MAX", max(2, os.cpu_count() or 2)),
        (_M_TRIM_THRESHOLD, "MALLOC_TRIM_THRESHOLD_", TRIM_BYTES),
        (_M_MMAP_THRESHOLD, "MALLOC_MMAP_THRESHOLD_", MMAP_BYTES),
    ):
        if name not in os.environ:
            set_option(option, value)

    def release() -> None:
        while True:
            time.sleep(RELEASE_INTERVAL)
            trim(ctypes.c_size_t(0))

    threading.Thread(target=release, name="memory", daemon=True).start()
