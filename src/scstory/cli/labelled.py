"""Shared by the commands that score: reading and encoding a labelled stream, and being stopped."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from operator import attrgetter

from scstory.cli.progress import counting_bar
from scstory.errors import Stopped
from scstory.evaluation.datasets import Dataset
from scstory.evaluation.harness import LabelledStream, load_stream
from scstory.evaluation.variants import Transformation
from scstory.feeds import Item
from scstory.text.language import language_of
from scstory.text.sentences import MAX_SENTENCES
from scstory.vectors import Encoder, make_encoder
from scstory.vectors.auto_encoder import AUTO, AutoEncoder
from scstory.vectors.cached_encoder import CachedEncoder
from scstory.vectors.disk_cache import disk_cached


@contextmanager
def stoppable(lost: str = "scores are lost") -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: end with one line that says what is `lost`."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(f"stopped; sentences encoded so far are cached, {lost}") from None
    finally:
        signal.signal(signal.SIGTERM, before)


FIRST_DAY = timedelta(days=1)


@stoppable()
def encoded(
    source: Dataset,
    encoder: str | None,
    device: str | None,
    *,
    transformation: Transformation | None = None,
    max_sentences: int = MAX_SENTENCES,
) -> tuple[LabelledStream, CachedEncoder]:
    """Return a data set, transformed and with its sentences encoded, and the encoder.

    Bad items are printed.
    """
    items = []
    for item in source:
        items.append(item)
        if item.problem:
            sys.stderr.write(f"{item.place}: {item.problem}\n")
    items, own_texts = (transformation or Transformation()).apply(items)
    cached = disk_cached(_encoder_for(items, encoder, device))
    with counting_bar("encoding") as show:
        stream = load_stream(
            items, cached, own_texts=own_texts, max_sentences=max_sentences, on_progress=show
        )
    return stream, cached


def _encoder_for(items: Sequence[Item], name: str | None, device: str | None) -> Encoder:
    """Return the encoder of a name; the languages of the first day choose `auto`, the default."""
    encoder = make_encoder(name or AUTO, device=device)
    articles = sorted((i.article for i in items if i.article), key=attrgetter("published"))
    if isinstance(encoder, AutoEncoder) and articles:
        end = articles[0].published + FIRST_DAY
        encoder.choose([language_of(a) for a in articles if a.published < end])
    return encoder
