"""A correction from outside the writer: handed to the process that is it, or carried out here."""

import time
from collections.abc import Callable

from scstory.config import Settings
from scstory.errors import AlreadyClaimed, BadCorrection
from scstory.runners.engine_setup import opened
from scstory.runners.writer import Writer
from scstory.store import Store
from scstory.store.correction_records import CorrectionRequest, CorrectionRow

POLL_SECONDS = 0.2
NOTICE_SECONDS = 5.0
"""Seconds without an answer after which the user gets a notice."""


def correct(
    store: Store,
    settings: Settings,
    asked: CorrectionRequest,
    *,
    on_notice: Callable[[str], None] = lambda notice: None,
) -> CorrectionRow:
    """Have a correction carried out, and return it with its answer; raise if it is refused.

    If another process is the writer, it does so, as soon as its step is done. Whatever happens to
    this process, the correction is kept until there is a writer.
    """
    row = store.ask(asked)
    try:
        store.claim()
    except AlreadyClaimed as claimed:
        _wait(store, row.number, claimed, on_notice)
    else:
        with opened(store, settings, prefetch=False) as (engine, encoding):
            writer = Writer(engine, store, encoding=encoding)
            while _answered(store, row.number) is None:
                writer.step()
    answered = _answered(store, row.number)
    assert answered is not None
    if answered.status == "refused":
        raise BadCorrection(answered.answer)
    return answered


def _wait(
    store: Store, number: int, claimed: AlreadyClaimed, on_notice: Callable[[str], None]
) -> None:
    since, told = time.monotonic(), False
    while _answered(store, number) is None:
        time.sleep(POLL_SECONDS)
        if not told and time.monotonic() - since > NOTICE_SECONDS:
            told = True
            on_notice(
                f"{claimed.holder} is the writer of {claimed.database} and is at work; correction "
                f"{number} is its next step, Ctrl-C leaves it waiting"
            )


def _answered(store: Store, number: int) -> CorrectionRow | None:
    row = store.correction(number)
    return row if row is not None and row.status != "waiting" else None
