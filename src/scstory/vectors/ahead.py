"""Articles encoded ahead of their turn: while some are decided on, the next are being encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from scstory.errors import ClusterError
from scstory.text import MAX_SENTENCES
from scstory.types import Article, EncodedArticle
from scstory.vectors.encoder import Encoder, encode_articles

AT_ONCE = 256
"""Articles encoded in one go: enough for full batches of every sentence length."""


class Unencodable(NamedTuple):
    """An article that cannot be encoded, and what was raised when it was tried."""

    article: Article
    error: Exception


class _Place(NamedTuple):
    """Where an article's vectors will be: in which batch, and the how manieth."""

    batch: Future[list[EncodedArticle | Unencodable]]
    row: int


class EncodeAhead:
    """Encodes articles in threads, in order, and never more of them than was last expected.

    `expect` names the articles that come next, `encode` waits for some of them. An article is
    known by its text, so what was begun is found again when its turn comes, also after a failure
    elsewhere; what is no longer expected is let go. One article that cannot be encoded does not
    take others with it. For one caller at a time.

    Parameters
    ----------
    ahead
        Whether articles beyond those at hand are worth expecting.
    lanes
        How many batches the encoder takes at the same time, as of now.
    most_lanes
        The most there can ever be.
    at_once
        The most articles of a batch.
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        max_sentences: int = MAX_SENTENCES,
        ahead: bool = True,
        lanes: Callable[[], int] = lambda: 1,
        most_lanes: int = 1,
        at_once: int = AT_ONCE,
    ) -> None:
        self._encoder, self._max_sentences = encoder, max_sentences
        self._ahead, self._lanes, self._at_once = ahead, lanes, at_once
        self._held: dict[object, _Place] = {}
        self._threads = ThreadPoolExecutor(most_lanes, thread_name_prefix="encode-ahead")

    def ahead(self, articles: int) -> int:
        """Return how many more articles are worth expecting beyond those at hand."""
        lanes = self._lanes()
        beyond = articles if lanes == 1 else max(articles, 2 * lanes * self._at_once)
        return beyond if self._ahead else 0

    def expect(self, articles: Sequence[Article], *, at_a_time: int = AT_ONCE) -> None:
        """Begin to encode the articles that come next, in batches of no more than `at_a_time`.

        What was expected before and is not now is forgotten.
        """
        wanted = {_key(article): article for article in articles}
        kept = {key: place for key, place in self._held.items() if key in wanted}
        for batch in _batches(self._held) - _batches(kept):
            batch.cancel()
        self._held = kept
        self._begin([wanted[key] for key in wanted if key not in kept], at_a_time)

    def encode(self, articles: Sequence[Article]) -> list[EncodedArticle | Unencodable]:
        """Return articles encoded, in their order, each one or the reason why it is not."""
        self._begin([a for a in articles if _key(a) not in self._held], AT_ONCE)
        found: list[EncodedArticle | Unencodable] = []
        for article in articles:
            place = self._held[_key(article)]
            try:
                one = place.batch.result()[place.row]
            except BaseException:  # of the encoder as such: another time it may go better
                self._held = {k: p for k, p in self._held.items() if p.batch is not place.batch}
                raise
            found.append(
                Unencodable(article, one.error)
                if isinstance(one, Unencodable)
                else EncodedArticle(article, one.sentences, one.vectors)
            )
        return found

    def close(self) -> None:
        """Drop what is not begun; what is being encoded ends by itself."""
        self._held = {}
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, articles: Sequence[Article], at_a_time: int) -> None:
        share = -(-len(articles) // self._lanes())
        size = max(1, min(at_a_time, self._at_once, share))
        for start in range(0, len(articles), size):
            some = list(articles[start : start + size])
            batch = self._threads.submit(self._encode, some)
            self._held |= {_key(article): _Place(batch, row) for row, article in enumerate(some)}

    def _encode(self, articles: list[Article]) -> list[EncodedArticle | Unencodable]:
        try:
            return [*encode_articles(articles, self._encoder, max_sentences=self._max_sentences)]
        except ClusterError:
            raise
        except Exception as error:
            if len(articles) == 1:
                return [Unencodable(articles[0], error)]
            return [one for article in articles for one in self._encode([article])]


def _key(article: Article) -> object:
    """Return what an article's vectors depend on."""
    return article.title, article.text, article.language


def _batches(held: dict[object, _Place]) -> set[Future[list[EncodedArticle | Unencodable]]]:
    return {place.batch for place in held.values()}
