"""Learning: M is pulled towards its own confident assignments, slide after slide.

    L = − Σ_(d,S)∈B log( exp(cos(R_d, R_S)/τ) / Σ_S' exp(cos(R_d, R_S')/τ) )

over the stories S' active in the window; their vectors are held fixed during a slide's update.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.augment import draw_pairs, mix, rank_rows
from scstory.discovery.presets import Parameters
from scstory.discovery.replay import replay
from scstory.discovery.window import Window, gather

Ints = NDArray[np.int64]

CHUNK = 64
"""Articles that go through M together: sorted by length, so that little of it is padding."""


def contrastive_loss(articles: Tensor, stories: Tensor, target: Tensor, *, tau: float) -> Tensor:
    """Return the summed InfoNCE loss of article vectors against all story vectors."""
    cosines = F.normalize(articles, dim=-1) @ F.normalize(stories, dim=-1).T
    return F.cross_entropy(cosines / tau, target, reduction="sum")


def story_vectors(vectors: NDArray[np.float32], story: Ints) -> tuple[Ints, NDArray[np.float32]]:
    """Return the ids of the stories and R_S, the mean vector of each one's articles."""
    ids, column, sizes = np.unique(story, return_inverse=True, return_counts=True)
    sums = np.zeros((len(ids), vectors.shape[1]), dtype=np.float64)
    np.add.at(sums, column, vectors)
    return ids, (sums / sizes[:, None]).astype(np.float32)


@torch.no_grad()
def embed(model: ArticleEncoder, window: Window, chosen: Ints, centre: Tensor) -> None:
    """Embed articles of the window with M and note R, α and the attention received."""
    order = chosen[np.argsort(window.lengths[chosen], kind="stable")]
    for start in range(0, len(order), CHUNK):
        some = order[start : start + CHUNK]
        sentences, mask = gather(window.sentences, window.rows(some))
        result = model(sentences - centre, mask)
        window.vectors[some] = result.articles.numpy()
        pooling, received = result.pooling.numpy(), result.received.numpy()
        for row, i in enumerate(some):
            length = window.lengths[i]
            window.pooling[i] = pooling[row, :length].copy()
            window.received[i] = received[row, :length].copy()


def update(
    model: ArticleEncoder,
    optimiser: torch.optim.Optimizer,
    window: Window,
    parameters: Parameters,
    *,
    centre: Tensor,
    rng: np.random.Generator,
) -> None:
    """Train M for an epoch on the window as it now stands."""
    ids, means = story_vectors(window.vectors, window.story)
    if len(ids) < 2:
        return  # nothing to tell apart: the loss is zero
    stories = torch.from_numpy(means)
    column = np.searchsorted(ids, window.story)
    for _ in range(len(window) // parameters.batch + 1):
        rows, target = _batch(window, column, parameters, rng)
        if not len(rows):
            return
        optimiser.zero_grad()
        for some in _by_length(rows):
            sentences, mask = gather(window.sentences, _trim(rows[some]))
            articles = model(sentences - centre, mask).articles
            labels = torch.from_numpy(target[some])
            loss = contrastive_loss(articles, stories, labels, tau=parameters.temperature)
            torch.autograd.backward(loss)
        optimiser.step()


def _batch(
    window: Window, column: Ints, parameters: Parameters, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return the sentence rows of a batch, replayed and augmented, and each one's story."""
    replayed = replay(window.confidence, delta=parameters.delta, count=parameters.batch, rng=rng)
    first, second = draw_pairs(column, count=parameters.batch, rng=rng)
    augmented = mix(
        _ranked(window, first), _ranked(window, second), max_sentences=parameters.max_sentences
    )
    rows = _stack(window.rows(replayed), augmented)
    return rows, np.concatenate([column[replayed], column[first]])


def _ranked(window: Window, chosen: Ints) -> Ints:
    rows = window.rows(chosen)
    flat = np.concatenate([*window.received, np.zeros(1, dtype=np.float32)])
    return rank_rows(rows, flat[rows])


def _stack(above: Ints, below: Ints) -> Ints:
    width = max(above.shape[1], below.shape[1])
    return np.concatenate(
        [
            np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1)
            for table in (above, below)
        ]
    )


def _by_length(rows: Ints) -> Iterator[Ints]:
    order = np.argsort((rows >= 0).sum(axis=1), kind="stable")
    for start in range(0, len(order), CHUNK):
        yield order[start : start + CHUNK]


def _trim(rows: Ints) -> Ints:
    return rows[:, : int((rows >= 0).sum(axis=1).max())]
