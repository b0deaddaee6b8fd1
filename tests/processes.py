"""Commands in processes of their own that start at once: forked from one that has imported all.

They are killed, interrupted and read from like other processes. They are spared the seconds of
importing; what is tested of the start itself starts Python afresh.
"""

from __future__ import annotations

import atexit
import io
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

_context = get_context("forkserver")
_context.set_forkserver_preload(
    [
        "scstory.cli.progress",
        "scstory.discovery.calibrated.method",
        "scstory.discovery.threads",
        "scstory.runners.handover",
        "scstory.runners.run_feeds",
        "scstory.serve.server",
        "scstory.vectors.hashing",
        "tests.processes",
    ]
)


class Command:
    """`scstory` in a process of its own, with what tests use of `subprocess.Popen`."""

    def __init__(
        self, *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        stdin, to_stdin = _context.Pipe(duplex=False)
        from_stdout, stdout = _context.Pipe(duplex=False)
        from_stderr, stderr = _context.Pipe(duplex=False)
        self._process = _context.Process(
            target=_run,
            args=(
                [str(argument) for argument in arguments],
                str(cwd or Path.cwd()),
                dict(os.environ if env is None else env),
                (stdin, stdout, stderr),
            ),
        )
        self._process.start()
        for end in (stdin, stdout, stderr):
            end.close()
        self.pid = self._process.pid
        self.stdin = _as_file(to_stdin, "w")
        self.stdout, self.stderr = _as_file(from_stdout, "r"), _as_file(from_stderr, "r")

    @property
    def returncode(self) -> int | None:
        """How it ended: its exit code, or the negative number of the signal that killed it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return how it ended, or None."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.returncode is None:
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Kill it, if it still runs."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; return how."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("scstory", timeout)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended; return what it has written and nobody has read."""
        self.stdin.close()
        written: dict[TextIO, str] = {}
        readers = [
            threading.Thread(target=lambda file=file: written.update({file: file.read()}))
            for file in (self.stdout, self.stderr)
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join()
        return written[self.stdout], written[self.stderr]

    def close(self) -> None:
        """Kill it if it still runs, and close what is open."""
        self.kill()
        self.wait()
        for file in (self.stdin, self.stdout, self.stderr):
            file.close()


def _as_file(end: Connection, mode: str) -> TextIO:
    with end:
        return open(os.dup(end.fileno()), mode, encoding="utf-8")


def _run(
    arguments: list[str], folder: str, environment: dict[str, str], ends: tuple[Connection, ...]
) -> None:
    """Be the command, with the ends of three pipes as its standard streams."""
    for number, end in enumerate(ends):
        os.dup2(end.fileno(), number)
        end.close()
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.FileIO(number, mode, closefd=False), "utf-8", line_buffering=number == 2
        )
        for number, mode in enumerate("rww")
    )
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["scstory", *arguments]
    from scstory.cli import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()  # the process ends without them
