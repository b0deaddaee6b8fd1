"""The map: stories in two dimensions, near where they are alike. The same data, the same map."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from scstory.store.browse import Browser
from scstory.store.views import StoryQuery, StoryRow, Version

AT_MOST = 400
"""Stories on the map: those with the most momentum."""

ENOUGH = 8
"""Stories from which on neighbourhoods say more than directions."""
PAUSE = 5.0
"""Seconds from one map to the next: drawing one takes a second of a core."""

Places = list[tuple[StoryRow, float, float]]


class Map:
    """The latest map, drawn aside: who asks gets what there is while a newer one is made."""

    def __init__(self, browser: Browser, version: Callable[[], Version]) -> None:
        self._browser, self._version = browser, version
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="map")
        self._turn = threading.Lock()
        self._made: tuple[Version, Places] | None = None
        self._making: Future[tuple[Version, Places]] | None = None
        self._next = 0.0

    def start(self) -> None:
        """Draw the first map before anyone asks."""
        with self._turn:
            self._begin()

    def stop(self) -> None:
        """Draw no more."""
        self._pool.shutdown(cancel_futures=True)

    def latest(self) -> tuple[Version, Places]:
        """Return the last map that was drawn, and what state of the store it shows."""
        with self._turn:
            made = self._made
            if made is None or (made[0] != self._version() and time.monotonic() >= self._next):
                making = self._begin()
        return making.result() if made is None else made

    def _begin(self) -> Future[tuple[Version, Places]]:
        if self._making is None or self._making.done():
            self._making = self._pool.submit(self._draw)
        return self._making

    def _draw(self) -> tuple[Version, Places]:
        made = (self._version(), story_map(self._browser))
        self._made, self._next = made, time.monotonic() + PAUSE
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
        from sklearn.manifold import TSNE

        begin = points / max(float(points[:, 0].std()), 1e-12) * 1e-4
        points = TSNE(
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
