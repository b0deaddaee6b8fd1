"""Learning: M is pulled towards its own confident assignments, slide after slide.

    L = − Σ_(d,S)∈B log( exp(cos(R_d, R_S)/τ) / Σ_S' exp(cos(R_d, R_S')/τ) )

over the stories S' active in the window; their vectors are held fixed during a slide's update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.adam import Adam
from scstory.discovery.attention import ArticleEncoder, mean_of_each
from scstory.discovery.augment import draw_pairs, mix, rank_rows
from scstory.discovery.presets import Parameters
from scstory.discovery.replay import replay
from scstory.discovery.threads import on_all_threads
from scstory.discovery.views import membership, sizes_of
from scstory.discovery.window import Window, gather

Ints = NDArray[np.int64]

FEATURE_DROPOUT = 0.1
CHUNK = 64
"""Articles that go through M together; in learning sorted by length, against padding."""
CHUNK_ON_GPU = 1024
"""The same where padding costs less than waiting does."""


def contrastive_loss(
    articles: Tensor, stories: Tensor, target: Tensor, *, tau: float, times: Tensor | None = None
) -> Tensor:
    """Return the summed InfoNCE loss of article vectors against all story vectors.

    `times` says how often each article is in the batch: once unless given.
    """
    cosines = F.normalize(articles, dim=-1) @ F.normalize(stories, dim=-1).T
    losses = F.cross_entropy(cosines / tau, target, reduction="none")
    return (losses if times is None else losses * times).sum()


def story_vectors(vectors: NDArray[np.float32], story: Ints) -> tuple[Ints, NDArray[np.float32]]:
    """Return the ids of the stories and R_S, the mean vector of each one's articles."""
    ids, belongs = membership(story)
    sums = belongs @ vectors.astype(np.float64)
    return ids, (sums / sizes_of(belongs)[:, None]).astype(np.float32)


def embed(model: ArticleEncoder | None, window: Window, chosen: Ints, centre: Tensor) -> None:
    """Embed articles of the window with M and note R, α, the attention received and the shares.

    Without M an article is the mean of its sentences, and all of them count the same.
    """
    begin_embedding(model, window, chosen, centre)()


def begin_embedding(
    model: ArticleEncoder | None, window: Window, chosen: Ints, centre: Tensor
) -> Callable[[], None]:
    """Begin to embed articles; return what waits for it and notes the outcome.

    Until then, threads that M computes in leave room for other work.
    """
    device = model.device if model else centre.device
    centre = centre.to(device)
    size = CHUNK if device.type == "cpu" else CHUNK_ON_GPU
    chunks = np.array_split(chosen, -(-len(chosen) // size)) if len(chosen) else []
    sentences, lengths = window.sentences, window.lengths
    rows = [torch.from_numpy(window.rows_of(some)) for some in chunks]

    @torch.no_grad()
    def embedded(chunk: int) -> list[NDArray[np.float32]]:
        own = sentences[rows[chunk]].to(device) - centre
        found = (model.each if model else mean_of_each)(own, lengths[chunks[chunk]].tolist())
        return [part.numpy(force=True) for part in found]

    found = on_all_threads(embedded, range(len(chunks)), device)

    def finish() -> None:
        for some, (articles, *of_sentences) in zip(chunks, found, strict=True):
            window.vectors[some] = articles
            cuts = np.cumsum(lengths[some])[:-1]
            parts = window.pooling, window.received, window.shares
            for known, part in zip(parts, of_sentences, strict=True):
                for i, own in zip(some.tolist(), np.split(part, cuts), strict=True):
                    known[i] = own

    return finish


def update(
    model: ArticleEncoder,
    optimiser: Adam,
    window: Window,
    parameters: Parameters,
    *,
    centre: Tensor,
    rng: np.random.Generator,
    scope: Ints | None = None,
    new: Ints | None = None,
) -> None:
    """Train M for an epoch on the window as it now stands.

    Articles are drawn from `scope`, all of the window unless given; `new` are the slide's own.
    """
    ids, means = story_vectors(window.vectors, window.story)
    if len(ids) < 2:
        return  # nothing to tell apart: the loss is zero
    device = model.device
    stories, centre = torch.from_numpy(means).to(device), centre.to(device)
    column = np.searchsorted(ids, window.story)
    scope = np.arange(len(window)) if scope is None else scope
    weights = list(model.parameters())

    def gradients(chunk: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, ...]:
        sentences, mask, target, times = chunk
        articles = model(sentences, mask).articles
        loss = contrastive_loss(articles, stories, target, tau=parameters.temperature, times=times)
        return torch.autograd.grad(loss, weights)

    iterations = len(scope) // parameters.batch + 1
    for _ in range(min(iterations, parameters.batches or iterations)):
        batch = _batch(window, column, parameters, rng, scope, new)
        if not len(batch.rows):
            return
        chunks = _chunks(batch, window, centre, rng)
        optimiser.step(_sum(on_all_threads(gradients, chunks, device)))


class Batch(NamedTuple):
    """Articles to learn from, each once."""

    rows: Ints
    """Each one's sentences, by their places among the window's; -1 where there is none."""
    target: Ints
    """The place of its story."""
    dropped: NDArray[np.bool_]
    """Whether it is to have features dropped."""
    times: NDArray[np.float32]
    """How often it counts."""


def _chunks(
    batch: Batch, window: Window, centre: Tensor, rng: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Yield what goes through M together: sentences, which of them there are, target, times."""
    device = centre.device
    for some in _by_length((batch.rows >= 0).sum(axis=1), device):
        sentences, mask = gather(window.sentences, _trim(batch.rows[some]), device)
        sentences -= centre
        if batch.dropped[some].any():
            sentences = _drop_features(sentences, batch.dropped[some], rng)
        target, times = torch.from_numpy(batch.target[some]), torch.from_numpy(batch.times[some])
        yield sentences, mask, target.to(device), times.to(device)


def _sum(parts: Iterable[tuple[Tensor, ...]]) -> list[Tensor]:
    """Return the sum of the chunks' gradients, in their order."""
    first, *others = parts
    total = [part.clone() for part in first]
    for part in others:
        for so_far, more in zip(total, part, strict=True):
            so_far += more
    return total


def _batch(
    window: Window,
    column: Ints,
    parameters: Parameters,
    rng: np.random.Generator,
    scope: Ints,
    new: Ints | None,
) -> Batch:
    """Return replayed and augmented articles."""
    count = parameters.batch
    if parameters.replay == "confidence":
        delta = max(parameters.delta, parameters.replay_from)
        drawn = replay(window.confidence[scope], delta=delta, count=count, rng=rng)
        replayed = scope[drawn]
    else:
        # Without a memory there is the slide alone; after an empty slide, nothing.
        slide = np.empty(0, dtype=np.int64) if new is None else new
        replayed = slide[rng.integers(len(slide), size=count)] if len(slide) else slide
    pairs = 0 if parameters.augmentation == "none" else count
    first, second = (scope[pair] for pair in draw_pairs(column[scope], count=pairs, rng=rng))
    drop = parameters.augmentation == "dropout"
    if drop:
        augmented = window.rows(first)
    else:
        importance = _importance(window, parameters, rng)
        augmented = mix(
            _ranked(window, first, importance),
            _ranked(window, second, importance),
            max_sentences=parameters.max_sentences,
        )
    rows = _stack(window.rows(replayed), augmented)
    dropped = np.repeat([False, drop], [len(replayed), len(first)])
    return _distinct(rows, np.concatenate([column[replayed], column[first]]), dropped)


def _distinct(rows: Ints, target: Ints, dropped: NDArray[np.bool_]) -> Batch:
    """Return each article once: drawing with replacement repeats them, M need not.

    Articles whose features are to be dropped differ each time and stay as they are.
    """
    kept = np.flatnonzero(dropped)
    plain = np.flatnonzero(~dropped)
    _, first, counts = np.unique(rows[plain], axis=0, return_index=True, return_counts=True)
    chosen = np.concatenate([plain[first], kept])
    times = np.concatenate([counts, np.ones(len(kept))]).astype(np.float32)
    return Batch(rows[chosen], target[chosen], dropped[chosen], times)


def _importance(
    window: Window, parameters: Parameters, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return by what sentences are ranked, below each other as the window's sentences are."""
    if parameters.augmentation == "shuffle":
        return rng.random(len(window.sentences), dtype=np.float32)
    parts = window.pooling if parameters.augmentation == "pooling" else window.received
    return np.concatenate(parts)


def _drop_features(
    sentences: Tensor, dropped: NDArray[np.bool_], rng: np.random.Generator
) -> Tensor:
    kept = torch.from_numpy(rng.random(tuple(sentences.shape)) >= FEATURE_DROPOUT)
    kept |= ~torch.from_numpy(dropped)[:, None, None]
    return sentences * kept.to(sentences.device)


def _ranked(window: Window, chosen: Ints, importance: NDArray[np.float32]) -> Ints:
    rows = window.rows(chosen)
    return rank_rows(rows, importance[rows])


def _stack(above: Ints, below: Ints) -> Ints:
    width = max(above.shape[1], below.shape[1])
    return np.concatenate(
        [
            np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1)
            for table in (above, below)
        ]
    )


def _by_length(lengths: Ints, device: torch.device) -> Iterator[Ints]:
    """Yield which articles go through M together, the longest first, as many at each time."""
    size = CHUNK if device.type == "cpu" else CHUNK_ON_GPU
    order = np.argsort(-lengths, kind="stable")
    yield from np.array_split(order, -(-len(order) // size)) if len(order) else ()


def _trim(rows: Ints) -> Ints:
    return rows[:, : int((rows >= 0).sum(axis=1).max())]
