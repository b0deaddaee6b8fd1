"""M, Adam and the window as arrays, and back again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.adam import Adam
from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.window import Window
from scstory.text import BUCKETS, FIELDS

Arrays = Mapping[str, NDArray[Any]]


def window_arrays(window: Window) -> dict[str, NDArray[Any]]:
    """Return what is known of the window's articles beside their sentences."""
    none = np.empty(0, dtype=np.float32)
    return {
        "window.story": window.story,
        "window.confidence": window.confidence,
        "window.vectors": window.vectors,
        "window.embedded": window.embedded,
        "window.pooling": np.concatenate([none, *window.pooling]),
        "window.shares": np.concatenate([none, *window.shares]),
        "window.received": np.concatenate([none, *window.received]),
    }


def restore_window(window: Window, arrays: Arrays) -> None:
    """Give a window that holds the same articles back what `window_arrays` returned."""
    cuts = np.cumsum(window.lengths)
    window.story = arrays["window.story"].copy()
    window.confidence = arrays["window.confidence"].copy()
    window.vectors = arrays["window.vectors"].copy()
    if "window.embedded" in arrays:  # not where all were made in one slide
        window.embedded = arrays["window.embedded"].copy()
    window.pooling = [part.copy() for part in np.split(arrays["window.pooling"], cuts)[:-1]]
    window.shares = [part.copy() for part in np.split(arrays["window.shares"], cuts)[:-1]]
    window.received = [part.copy() for part in np.split(arrays["window.received"], cuts)[:-1]]


def without_phrases(arrays: Arrays, lexical: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return arrays without what is known of phrases, the last field there is.

    States of format 3 have them under other numbers. What their articles say is read again; how
    common phrases were, and which ones older stories had, is forgotten.
    """
    first = (FIELDS.index("phrases") if lexical else 1) * BUCKETS
    counted = arrays["terms.used"] < first
    first = (lexical.index("phrases") if "phrases" in lexical else len(lexical)) * BUCKETS
    kept = arrays["archive.terms.indices"] < first
    ends = np.concatenate([[0], np.cumsum(kept)])[arrays["archive.terms.indptr"]]
    return {
        **arrays,
        "terms.used": arrays["terms.used"][counted],
        "terms.counts": arrays["terms.counts"][counted],
        "archive.terms.data": arrays["archive.terms.data"][kept],
        "archive.terms.indices": arrays["archive.terms.indices"][kept],
        "archive.terms.indptr": ends.astype(np.int32),
    }


def model_arrays(model: ArticleEncoder, optimiser: Adam) -> dict[str, NDArray[Any]]:
    """Return the weights of M and the moments of Adam."""
    parts = {"model": model.state_dict(), "adam": optimiser.state()}
    return {
        f"{part}.{name}": value.numpy(force=True)
        for part, values in parts.items()
        for name, value in values.items()
    }


def restore_model(model: ArticleEncoder, optimiser: Adam, arrays: Arrays) -> None:
    """Give M and Adam back what `model_arrays` returned."""
    model.load_state_dict(_tensors(arrays, "model."))
    optimiser.restore(_tensors(arrays, "adam."))


def _tensors(arrays: Arrays, prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): torch.from_numpy(value.copy())
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
