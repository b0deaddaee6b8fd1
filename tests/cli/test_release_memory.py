"""Memory of processes that run for long."""

import os
import subprocess
import sys

import pytest

ARENAS = """
import ctypes, os, threading
from scstory.cli.release_memory import release_memory_regularly
release_memory_regularly()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
many = 16 * os.cpu_count()
together = threading.Barrier(many)
def take():
    together.wait()
    libc.malloc(ctypes.c_size_t(1000))
    together.wait()
threads = [threading.Thread(target=take) for _ in range(many)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fopen.restype = ctypes.c_void_p
out = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fflush(ctypes.c_void_p(out))
"""


def arenas(**environment):
    given = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    told = subprocess.run(
        [sys.executable, "-c", ARENAS], env={**given, **environment}, capture_output=True, text=True
    )
    if "malloc_info" in told.stderr:
        pytest.skip("not the GNU C library")
    return told.stdout.count("<heap nr")


def test_threads_share_a_few_pools_of_memory():
    assert 1 <= arenas() <= max(2, os.cpu_count())


HELD = """
import os, time
from scstory.cli import release_memory
release_memory.RELEASE_INTERVAL = 0.2
release_memory.release_memory_regularly()
many = [bytes(50_000) for _ in range(4000)]
last = bytes(50_000)  # above the others, so that the heap does not shrink by itself
page = os.sysconf("SC_PAGE_SIZE")
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * page // 2**20
held = resident()
del many
until = time.monotonic() + 20
while resident() > held - 100 and time.monotonic() < until:
    time.sleep(0.1)
print(held, resident())
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_that_nobody_uses_goes_back():
    told = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    before, after = map(int, told.stdout.split())
    assert before > 150
    assert after < before - 100


def test_whoever_sets_a_number_of_pools_is_heeded():
    wanted = 2 * os.cpu_count() + 1
    assert arenas(MALLOC_ARENA_MAX=str(wanted)) == wanted
