"""Feeds followed and decided on as they come: the follower beside the keeper."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.feeds import Item
from scstory.runners.follow import Follower, Notebook, Poll
from scstory.runners.keeper import Keeper, Slide
from scstory.runners.local import Summary
from scstory.store import Store
from scstory.types import Article
from scstory.vectors import EncodeAhead


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
        problem(Item(article.id if article else "store", None, reason))

    keeper = Keeper(engine, store, encoding=encoding, on_slide=slide, on_problem=report)
    follower = Follower(
        [store, Notebook(addresses)],
        store.accept,
        settings,
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
