"""The map: stories in two dimensions, near where they are alike. The same data, the same map."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.store.browse import Browser
from scstory.store.views import StoryQuery, StoryRow, Version

AT_MOST = 400
"""Stories on the map: those with the most momentum."""

ENOUGH = 8
"""Stories from which on neighbourhoods say more than directions."""
PAUSE, EVERY = 5.0, 30.0
"""Seconds from one map to the next, if somebody asks and if nobody does: drawing one takes up to a
second of a core."""

Places = list[tuple[StoryRow, float, float]]
Drawn = tuple[Version, Places]


class Map:
    """The latest map, drawn aside: who asks gets the last one while a newer one is made."""

    def __init__(self, browser: Browser, version: Callable[[], Version]) -> None:
        self._browser, self._version = browser, version
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="map")
        self._turn, self._stop = threading.Lock(), threading.Event()
        self._keeping = threading.Thread(target=self._keep, name="map clock", daemon=True)
        self._made: Drawn | None = None
        self._making: Future[Drawn] | None = None
        self._at = 0.0

    def start(self) -> None:
        """Draw a first map before anyone asks, and go on as stories change."""
        self._pool.submit(_tsne)
        with self._turn:
            self._begin()
        self._keeping.start()

    def stop(self) -> None:
        """Draw no more."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def latest(self) -> Drawn:
        """Return the last map that was drawn, and what state of the store it shows.

        One that shows nothing yet, or is long out of date, is not given: the next is waited for.
        """
        with self._turn:
            made, age = self._made, time.monotonic() - self._at
            if made is not None and (made[0] == self._version() or (made[1] and age < PAUSE)):
                return made
            making = self._begin()
        return made if made and made[1] and age < 2 * EVERY else making.result()

    def _keep(self) -> None:
        while not self._stop.wait(EVERY):
            with self._turn:
                if self._made is None or self._made[0] != self._version():
                    self._begin()

    def _begin(self) -> Future[Drawn]:
        if self._making is None or self._making.done():
            self._making = self._pool.submit(self._draw)
        return self._making

    def _draw(self) -> Drawn:
        made = (self._version(), story_map(self._browser))
        self._made, self._at = made, time.monotonic()
        return made


def story_map(browser: Browser) -> Places:
    """Return the window's stories with their places, each coordinate from -1 to 1."""
    rows, _ = browser.stories(StoryQuery(active=True, sort="momentum"), limit=AT_MOST)
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


def place(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return a place for each vector: t-SNE begun from the principal directions."""
    wide = vectors.astype(np.float64)
    wide /= np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)
    points = _principal(wide)
    if len(wide) >= ENOUGH:
        begin = points / max(float(points[:, 0].std()), 1e-12) * 1e-4
        points = _tsne()(
            perplexity=min(15.0, (len(wide) - 1) / 3),
            init=begin.astype(np.float32),
            learning_rate="auto",
            method="exact" if len(wide) < 200 else "barnes_hut",
            max_iter=500,
            random_state=0,
            n_jobs=1,
        ).fit_transform(wide)
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    scaled: NDArray[np.float64] = points / max(float(np.abs(points).max()), 1e-12)
    return scaled


def _tsne() -> Any:
    """Return the library's t-SNE, which takes a second to load and 50 MB."""
    from sklearn.manifold import TSNE

    return TSNE


def _principal(wide: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two main directions; each turned so that its largest part is positive."""
    centred = wide - wide.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(wide), 2))
    known = min(2, len(size))
    points[:, :known] = left[:, :known] * size[:known]
    largest = np.abs(points).argmax(axis=0)
    signs = np.sign(points[largest, [0, 1]])
    return points * np.where(signs == 0, 1.0, signs)
