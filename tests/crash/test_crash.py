"""A few kills with every test run; `make crash` does a hundred and more."""

import subprocess
import sys
from pathlib import Path


def test_kills_failures_full_disks_restarts_and_suspensions_change_nothing():
    command = [sys.executable, "-m", "tests.crash", "--kills", "4", "--articles", "28"]
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("identical") == 19
    assert done.stderr == ""
