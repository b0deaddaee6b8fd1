"""The map: stories in two dimensions, similar ones near each other. Equal data, equal map."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from scstory.discovery.places import load_tsne, place
from scstory.store.records import StoryQuery, StoryRow, Version
from scstory.store.store_reader import SharedReader

MAX_MAP_STORIES = 400
"""The stories with the most momentum are on the map."""
MAP_INTERVAL, IDLE_MAP_INTERVAL = 5.0, 30.0
"""Seconds from one map to the next, on request and without: one takes up to a second of a core."""

Places = list[tuple[StoryRow, float, float]]
Drawn = tuple[Version, Places]


class Map:
    """The latest map, computed in a thread: requests get the last one while a newer one is made."""

    def __init__(self, browser: SharedReader, version: Callable[[], Version]) -> None:
        self._browser, self._version = browser, version
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="map")
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._clock = threading.Thread(target=self._refresh, name="map clock", daemon=True)
        self._drawn: Drawn | None = None
        self._drawing: Future[Drawn] | None = None
        self._drawn_at = 0.0

    def start(self) -> None:
        """Draw a first map, and new ones as stories change."""
        self._pool.submit(load_tsne)
        with self._lock:
            self._start_drawing()
        self._clock.start()

    def stop(self) -> None:
        """Stop drawing."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def latest(self) -> Drawn:
        """Return the last map and the version of the store that it shows.

        If it is empty or long out of date, wait for the next one.
        """
        with self._lock:
            made, age = self._drawn, time.monotonic() - self._drawn_at
            if made is not None and (
                made[0] == self._version() or (made[1] and age < MAP_INTERVAL)
            ):
                return made
            making = self._start_drawing()
        return made if made and made[1] and age < 2 * IDLE_MAP_INTERVAL else making.result()

    def _refresh(self) -> None:
        while not self._stop.wait(IDLE_MAP_INTERVAL):
            with self._lock:
                if self._drawn is None or self._drawn[0] != self._version():
                    self._start_drawing()

    def _start_drawing(self) -> Future[Drawn]:
        if self._drawing is None or self._drawing.done():
            self._drawing = self._pool.submit(self._draw)
        return self._drawing

    def _draw(self) -> Drawn:
        made = (self._version(), story_map(self._browser))
        self._drawn, self._drawn_at = made, time.monotonic()
        return made


def story_map(browser: SharedReader) -> Places:
    """Return the stories of the window with their places, each coordinate from -1 to 1."""
    rows, _ = browser.story_page(StoryQuery(active=True, sort="momentum"), limit=MAX_MAP_STORIES)
    stories, vectors = browser.window()
    placed = [row for row in rows if row.id in set(stories.tolist())]
    if not placed:
        return []
    means = np.stack([vectors[stories == row.id].mean(axis=0) for row in placed])
    points = place(means)
    return [
        (row, round(float(x), 4), round(float(y), 4))
        for row, (x, y) in zip(placed, points, strict=True)
    ]
