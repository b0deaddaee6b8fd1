"""The window's articles put through M: their vectors and sentence weights, as columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.pooling import mean
from scstory.discovery.threads import in_chunks, on_all_threads
from scstory.discovery.window import Column, Ints, Window

Centre = Callable[[Ints], Tensor]
"""What is subtracted from the vectors of sentences in some rows: one vector, or one for each."""


def model_columns(dim: int, precision: type[np.floating[Any]] = np.float32) -> tuple[Column, ...]:
    """Return the columns of a method with an article encoder: the output of M.

    `precision` is that of the vectors between two uses.
    """
    return (
        Column("vectors", precision, (dim,)),
        Column("pooling", np.float32, per="sentence"),
        Column("received", np.float32, per="sentence"),
    )


def embed(
    model: ArticleEncoder | None,
    window: Window,
    chosen: Ints,
    centre: Centre | None = None,
    *,
    weighed_by: str | None = None,
) -> None:
    """Embed articles of the window: set their vectors, α and the attention sentences receive.

    α is that of M, or the column `weighed_by`, its sum made 1 for each article. Without M an
    article is the mean of its sentences.
    """
    begin_embedding(model, window, chosen, centre, weighed_by=weighed_by)()


def begin_embedding(
    model: ArticleEncoder | None,
    window: Window,
    chosen: Ints,
    centre: Centre | None = None,
    *,
    weighed_by: str | None = None,
) -> Callable[[], None]:
    """Start to embed articles; return a function that waits for it and sets the columns.

    Until it is called, the threads in which M computes leave room for other work.
    """
    device = model.device if model else torch.device("cpu")
    chunks = in_chunks(chosen, device)
    lengths = window.lengths
    given = torch.from_numpy(window[weighed_by]) if weighed_by else None
    rows = [window.sentence_rows(some) for some in chunks]

    @torch.no_grad()
    def embedded(chunk: int) -> list[NDArray[np.float32]]:
        own = torch.from_numpy(window.sentence_vectors(rows[chunk])).to(device)
        if centre is not None:
            own = own - centre(rows[chunk]).to(device)
        counts = lengths[chunks[chunk]].tolist()
        weights = None if given is None else given[torch.from_numpy(rows[chunk])].to(device)
        if model:
            found = model(own, counts, weights=weights, exact=True)
        else:
            found = mean(own, counts, weights=weights)
        return [part.numpy(force=True) for part in found]

    found = on_all_threads(embedded, range(len(chunks)), device)

    def finish() -> None:
        for some, own, (articles, pooling, received, shares) in zip(
            chunks, rows, found, strict=True
        ):
            window["vectors"][some] = articles
            window["pooling"][own] = pooling
            window["received"][own] = received
            shown = indicative_weights(shares, window.lengths[some])
            window["weights"][own] = pooling if weighed_by else shown

    return finish


def indicative_weights(shares: NDArray[np.float32], lengths: Ints) -> NDArray[np.float32]:
    """Return how story-indicative each sentence is: its share, at least 0, out of all of them."""
    positive = np.maximum(shares, 0)
    totals = np.add.reduceat(positive, np.cumsum(lengths) - lengths)
    return np.asarray(positive / np.repeat(np.maximum(totals, 1e-12), lengths), dtype=np.float32)
