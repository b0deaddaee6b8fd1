"""Prefetching: while some articles are decided, the next ones are encoded."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from scstory.errors import ClusterError
from scstory.text import read
from scstory.types import Article, EncodedArticle, Reading
from scstory.vectors.encoder import Encoder, encode_articles

PREFETCH_BATCH = 256
"""Articles encoded in one call: enough for full batches of every sentence length."""


class Unencodable(NamedTuple):
    """An article that cannot be encoded, and what was raised when it was tried."""

    article: Article
    error: Exception


class _Place(NamedTuple):
    """Where an article's vectors will be: in which batch, and the how manieth."""

    batch: Future[list[EncodedArticle | Unencodable]]
    row: int


class Prefetcher:
    """Encodes articles in threads, in order, and never more of them than was last expected.

    `expect` names the articles that come next, `encode` waits for some of them. An article is
    identified by its text, so work in progress is found again when its turn comes, also after a
    failure elsewhere; what is no longer expected is dropped. An article that cannot be encoded does
    not affect others. Only one thread may call at a time.

    Parameters
    ----------
    reader
        Reads an article before its sentences are encoded.
    prefetch
        Whether to encode articles before they are asked for.
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
        reader: Callable[[Article], Reading] = read,
        prefetch: bool = True,
        lanes: Callable[[], int] = lambda: 1,
        most_lanes: int = 1,
        at_once: int = PREFETCH_BATCH,
    ) -> None:
        self._encoder, self._reader = encoder, reader
        self._prefetch, self._lanes, self._at_once = prefetch, lanes, at_once
        self._held: dict[object, _Place] = {}
        self._threads = ThreadPoolExecutor(most_lanes, thread_name_prefix="prefetch")

    def depth(self, articles: int) -> int:
        """Return how many articles to prefetch beside those that are decided at a time."""
        lanes = self._lanes()
        beyond = articles if lanes == 1 else max(articles, 2 * lanes * self._at_once)
        return beyond if self._prefetch else 0

    def expect(self, articles: Sequence[Article], *, at_a_time: int = PREFETCH_BATCH) -> None:
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
        self._begin([a for a in articles if _key(a) not in self._held], PREFETCH_BATCH)
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
                else EncodedArticle(article, one.reading, one.vectors)
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
            return [*encode_articles(articles, self._encoder, reader=self._reader)]
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
