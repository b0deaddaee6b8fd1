"""Memory of a process that runs for months."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

_M_ARENA_MAX = -8


def few_arenas() -> None:
    """Have all threads share a few pools of memory, one a core.

    The GNU C library gives nearly every thread a pool of its own, and what is free in one is of no
    use to the others: over hours a service with twenty threads holds ever more memory that nobody
    uses. Other C libraries do not, and MALLOC_ARENA_MAX, where it is set, says what to do.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError, TypeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, max(2, os.cpu_count() or 2))
