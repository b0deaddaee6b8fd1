"""The feeds, followed in a thread of their own while the service runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from scstory.config import Settings
from scstory.feeds import Item
from scstory.feeds.plain import one_line
from scstory.runners.follow import Follower, Poll
from scstory.store import Store


class Following:
    """Follows the feeds that a store names.

    Parameters
    ----------
    on_new
        Called when something has been accepted and waits to be decided on.
    on_problem
        Called with what could not be used, and with every feed that begins to fail.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        on_new: Callable[[], None] = lambda: None,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        self._on_new, self._on_problem = on_new, on_problem
        self._stop = threading.Event()
        self._follower = Follower(
            [store], store.accept, settings, on_poll=self._polled, on_problem=self._problem
        )
        self._thread = threading.Thread(target=self._follower.run, args=(self._stop,), name="feeds")

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; what is being fetched is dropped and fetched the next time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _polled(self, poll: Poll) -> None:
        if poll.new:
            self._on_new()
        if poll.feed.errors == 1:
            self._on_problem(one_line(f"{poll.feed.url}: {poll.feed.error}"))

    def _problem(self, item: Item) -> None:
        self._on_problem(one_line(f"{item.place}: {item.problem}"))
