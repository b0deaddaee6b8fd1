"""The update of M after a slide: batches of training samples, their gradients, and Adam.

The weights of M and the moments of Adam are saved and restored together.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.adam import Adam
from scstory.discovery.method import unprefixed
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.embedding import Centre
from scstory.discovery.paper.loss import contrastive_loss
from scstory.discovery.paper.story_vectors import story_vectors
from scstory.discovery.paper.training_samples import Sampler, Samples
from scstory.discovery.threads import in_chunks, on_all_threads
from scstory.discovery.window import Ints, Window

Chunk = tuple[Tensor, list[int], Tensor | None, Tensor, Tensor]
FEATURE_DROPOUT = 0.1
"""The share of features that the augmentation by dropout drops."""


def update(
    model: ArticleEncoder,
    optimiser: Adam,
    window: Window,
    sampler: Sampler,
    *,
    batches: int,
    temperature: float,
    rng: np.random.Generator,
    scope: Ints,
    centre: Centre | None = None,
    weighed_by: str | None = None,
    known: Ints | slice = slice(None),
) -> None:
    """Train M for some batches on the window as it now stands.

    Articles are drawn from the rows in `scope`, and told from the stories of the rows in `known`,
    which are all unless given. `centre` is subtracted from the sentences. Where
    `weighed_by` is given, sentences are pooled by the weights in that column of the window.
    """
    ids, means = story_vectors(window["vectors"][known], window.story[known])
    if len(ids) < 2:
        return  # nothing to tell apart: the loss is zero
    device = model.device
    stories = torch.from_numpy(means).to(device)
    column = np.searchsorted(ids, window.story)
    weights = list(model.parameters())

    def gradients(chunk: Chunk) -> tuple[Tensor, ...]:
        sentences, lengths, given, target, times = chunk
        articles = model(sentences, lengths, weights=given).articles
        loss = contrastive_loss(articles, stories, target, tau=temperature, times=times)
        return torch.autograd.grad(loss, weights)

    for _ in range(batches):
        samples = sampler.draw(window, column, scope, rng)
        if not len(samples.rows):
            return
        chunks = _chunks(samples, window, centre, device, rng, weighed_by)
        optimiser.step(_sum(on_all_threads(gradients, chunks, device)))


def model_arrays(model: ArticleEncoder, optimiser: Adam) -> dict[str, NDArray[Any]]:
    """Return the weights of M and the moments of Adam."""
    parts = {"model": model.state_dict(), "adam": optimiser.state()}
    return {
        f"{part}.{name}": value.numpy(force=True)
        for part, values in parts.items()
        for name, value in values.items()
    }


def restore_model(
    model: ArticleEncoder, optimiser: Adam, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Give M and Adam back what `model_arrays` returned."""
    weights, moments = (
        {name: torch.from_numpy(value.copy()) for name, value in unprefixed(part, arrays).items()}
        for part in ("model", "adam")
    )
    model.load_state_dict(weights)
    optimiser.restore(moments)


def _chunks(
    samples: Samples,
    window: Window,
    centre: Centre | None,
    device: torch.device,
    rng: np.random.Generator,
    weighed_by: str | None,
) -> Iterator[Chunk]:
    """Yield what goes through M together: sentences, lengths, weights, target, times.

    Articles of similar length go together, the longest first: there is less padding.
    """
    weights = torch.from_numpy(window[weighed_by]) if weighed_by else None
    lengths = (samples.rows >= 0).sum(axis=1)
    order = np.argsort(-lengths, kind="stable")
    for some in in_chunks(order, device):
        table = samples.rows[some]
        own = table[table >= 0]
        rows = torch.from_numpy(own)
        sentences = torch.from_numpy(window.sentence_vectors(own)).to(device)
        given = None if weights is None else weights[rows].to(device)
        if centre is not None:
            sentences -= centre(own).to(device)
        if samples.dropped[some].any():
            kept = torch.from_numpy(rng.random(tuple(sentences.shape)) >= FEATURE_DROPOUT)
            whole = np.repeat(~samples.dropped[some], lengths[some])
            kept |= torch.from_numpy(whole)[:, None]
            sentences = sentences * kept.to(device)
        target, times = (torch.from_numpy(part[some]) for part in (samples.target, samples.times))
        yield sentences, lengths[some].tolist(), given, target.to(device), times.to(device)


def _sum(parts: Iterable[tuple[Tensor, ...]]) -> list[Tensor]:
    """Return the sum of the chunks' gradients, in their order."""
    first, *others = parts
    total = [part.clone() for part in first]
    for part in others:
        for so_far, more in zip(total, part, strict=True):
            so_far += more
    return total
