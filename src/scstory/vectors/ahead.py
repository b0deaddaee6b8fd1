"""A pipeline of two: while one slide is being decided, the next is encoded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from scstory.text import MAX_SENTENCES
from scstory.types import Article, EncodedArticle
from scstory.vectors.encoder import Encoder, encode_articles


class EncodeAhead:
    """Encodes slides in a thread, in order, a bounded number of them ahead of the caller.

    For a caller that gets slides one by one: hand each over with `push`, decide on what comes
    back, and on the rest from `drain` when there are no more. What went wrong in encoding a slide
    is raised when that slide's turn comes.
    """

    def __init__(
        self, encoder: Encoder, *, max_sentences: int = MAX_SENTENCES, ahead: int = 1
    ) -> None:
        self._encoder, self._max_sentences, self._ahead = encoder, max_sentences, ahead
        self._waiting: deque[Future[list[EncodedArticle]]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="encode-ahead")

    def push(self, articles: list[Article]) -> list[list[EncodedArticle]]:
        """Take a slide to be encoded; return earlier ones, so that no more than `ahead` wait."""
        self._waiting.append(
            self._thread.submit(
                encode_articles, articles, self._encoder, max_sentences=self._max_sentences
            )
        )
        over = len(self._waiting) - self._ahead
        return [self._waiting.popleft().result() for _ in range(over)]

    def drain(self) -> Iterator[list[EncodedArticle]]:
        """Yield the slides that are still waiting."""
        while self._waiting:
            yield self._waiting.popleft().result()

    def close(self) -> None:
        """Drop what is still waiting and end the thread."""
        self._waiting.clear()
        self._thread.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def encode_ahead(
    slides: Iterable[list[Article]],
    encoder: Encoder,
    *,
    max_sentences: int = MAX_SENTENCES,
    ahead: int = 1,
) -> Iterator[list[EncodedArticle]]:
    """Yield slides encoded, while the ones after are being encoded.

    `slides` is read in the caller's thread, no more than `ahead` slides beyond the one yielded.
    """
    with EncodeAhead(encoder, max_sentences=max_sentences, ahead=ahead) as pipeline:
        for slide in slides:
            yield from pipeline.push(slide)
        yield from pipeline.drain()
