"""Feeds followed until told to stop: the follower accepts articles, the writer decides them.

On a store that several processes can share, the second one stands by until the first has ended.
"""

import threading
import time
from collections.abc import Callable, Sequence

from scstory.config import Settings
from scstory.discovery import Engine
from scstory.errors import AlreadyClaimed, StoreError
from scstory.feeds import Item
from scstory.runners.follow import Follower, Notebook
from scstory.runners.listener import Listener
from scstory.runners.run_sources import SILENT, Summary, counting_writer
from scstory.store import Store
from scstory.store.address import db_option
from scstory.vectors import Prefetcher

CLAIM_PAUSE = 1.0
"""Seconds between two attempts to become the writer of a store."""


def stand_by(store: Store, *, on_wait: Callable[[str], None] = lambda reason: None) -> None:
    """Become the writer of a store that can be shared, however long another process is."""
    reported = ""
    while True:
        try:
            store.claim()
            return
        except AlreadyClaimed as claimed:
            if not store.shared:
                raise StoreError(
                    f"{claimed.database}: {claimed.holder} is its writer; if it is a service, add "
                    f"feeds to it with: scstory feeds add URL{db_option(store.name)}; "
                    "else stop it, then run again"
                ) from claimed
            if reported != (reported := str(claimed)):
                on_wait(f"standing by: {claimed}")
            time.sleep(CLAIM_PAUSE)


def follow(
    addresses: Sequence[str],
    engine: Engine,
    store: Store,
    settings: Settings,
    stop: threading.Event,
    summary: Summary,
    *,
    encoding: Prefetcher | None = None,
    listener: Listener = SILENT,
) -> None:
    """Follow the feeds at some addresses, and those that the store names, until told to stop.

    Accepted articles are on disk: those that are not decided when this stops are decided by the
    next run. The summary counts what was done.
    """

    def problem(item: Item) -> None:
        summary.problems += 1
        listener.problem(item)

    writer = counting_writer(engine, store, summary, listener, encoding=encoding)
    follower = Follower(
        [store, Notebook(addresses)],
        store.accept,
        settings,
        active=store.is_writer,
        on_poll=listener.poll,
        on_problem=problem,
    )
    feeds = threading.Thread(target=follower.run, args=(stop,), name="feeds")
    feeds.start()
    try:
        writer.run(stop)
    finally:
        stop.set()
        feeds.join()
