"""What the commands that score share: a labelled stream read and encoded, and being stopped."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scstory.cli.progress import Bar
from scstory.errors import Stopped
from scstory.evaluation.datasets import Dataset
from scstory.evaluation.harness import LabelledStream, load_stream
from scstory.vectors import make_encoder
from scstory.vectors.cache import CachedEncoder


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does: leave nothing behind and say so."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("stopped; sentences encoded so far are kept, scores are not") from None
    finally:
        signal.signal(signal.SIGTERM, before)


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
