"""A labelled stream read and encoded, with a bar, for the commands that score."""

from __future__ import annotations

import sys

from scstory.cli.progress import Bar
from scstory.evaluation.datasets import Dataset
from scstory.evaluation.harness import LabelledStream, load_stream
from scstory.vectors import make_encoder
from scstory.vectors.cache import CachedEncoder


def encoded(
    source: Dataset, encoder: str | None, device: str | None
) -> tuple[LabelledStream, CachedEncoder]:
    """Return a data set with its sentences encoded, and the encoder; report bad items."""
    items = []
    for item in source:
        items.append(item)
        if item.problem:
            sys.stderr.write(f"{item.place}: {item.problem}\n")
    cached = CachedEncoder(make_encoder(encoder, device=device))
    with Bar("encoding") as bar:
        return load_stream(items, cached, on_progress=bar.show), cached
