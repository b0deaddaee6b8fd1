"""Shared by the commands that score: reading and encoding a labelled stream, and being stopped."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scstory.cli.progress import counting_bar
from scstory.errors import Stopped
from scstory.evaluation.datasets import Dataset
from scstory.evaluation.harness import LabelledStream, load_stream
from scstory.vectors import make_encoder
from scstory.vectors.cached_encoder import CachedEncoder
from scstory.vectors.disk_cache import disk_cached


@contextmanager
def stoppable() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: end with one line and no partial results."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("stopped; sentences encoded so far are cached, scores are lost") from None
    finally:
        signal.signal(signal.SIGTERM, before)


@stoppable()
def encoded(
    source: Dataset, encoder: str | None, device: str | None
) -> tuple[LabelledStream, CachedEncoder]:
    """Return a data set with its sentences encoded, and the encoder; print bad items."""
    items = []
    for item in source:
        items.append(item)
        if item.problem:
            sys.stderr.write(f"{item.place}: {item.problem}\n")
    cached = disk_cached(make_encoder(encoder, device=device))
    with counting_bar("encoding") as show:
        return load_stream(items, cached, on_progress=show), cached
