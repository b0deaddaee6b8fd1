"""Fuzzing: a little of it in every run of the tests, as long as wanted with `make fuzz`."""

import time

import pytest

from tests.fuzz.inputs import MINUTES


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Go on with a test, round after round with examples of their own, until its time is over."""
    until = time.monotonic() + 60 * MINUTES
    outcome = yield
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    while time.monotonic() < until:
        pyfuncitem.obj(**arguments)
    return outcome
