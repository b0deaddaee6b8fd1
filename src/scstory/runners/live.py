"""Feeds followed and decided on as they come: the follower beside the keeper.

On a store that others can keep too, one who comes second stands by until the first has ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.errors import Kept
from scstory.feeds import Item
from scstory.runners.follow import Follower, Notebook, Poll
from scstory.runners.keeper import Keeper, Slide
from scstory.runners.local import Summary
from scstory.store import Store
from scstory.types import Article
from scstory.vectors import EncodeAhead

POLL = 1.0
"""Seconds between two attempts to become the one who keeps a store."""


def stand_by(store: Store, *, on_wait: Callable[[str], None] = lambda reason: None) -> None:
    """Claim a store, however long somebody else keeps it, if it is one that can be shared."""
    told = ""
    while True:
        try:
            store.claim()
            return
        except Kept as kept:
            if not store.shared:
                raise
            if told != (told := str(kept)):
                on_wait(f"standing by: {kept}")
            time.sleep(POLL)


def follow(
    addresses: Sequence[str],
    engine: StoryDiscovery,
    store: Store,
    settings: Settings,
    stop: threading.Event,
    summary: Summary,
    *,
    encoding: EncodeAhead | None = None,
    on_problem: Callable[[Item], None] = lambda item: None,
    on_poll: Callable[[Poll], None] = lambda poll: None,
    on_slide: Callable[[Slide], None] = lambda slide: None,
) -> None:
    """Follow the feeds at some addresses, and those the store names, until told to stop.

    Whatever is accepted is safe: what is not decided on when this stops is the next time. What
    was done is added to the summary.
    """

    def slide(decided: Slide) -> None:
        summary.add(decided)
        summary.slides += 1
        on_slide(decided)

    def problem(item: Item) -> None:
        summary.problems += 1
        on_problem(item)

    def report(article: Article | None, reason: str) -> None:
        if article is not None:
            problem(Item(article.id, None, reason))
        else:
            on_problem(Item("store", None, reason))

    keeper = Keeper(engine, store, encoding=encoding, on_slide=slide, on_problem=report)
    follower = Follower(
        [store, Notebook(addresses)],
        store.accept,
        settings,
        active=store.keeping,
        on_poll=on_poll,
        on_problem=problem,
    )
    feeds = threading.Thread(target=follower.run, args=(stop,), name="feeds")
    feeds.start()
    try:
        keeper.run(stop)
    finally:
        stop.set()
        feeds.join()
