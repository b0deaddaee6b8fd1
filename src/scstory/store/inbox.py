"""The way in: articles offered, those that are not there yet kept, copies told from originals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from scstory.feeds.urls import canonical_url
from scstory.store.base import Parked, Receipt
from scstory.store.database import Part, clean, marks, reading, writing
from scstory.store.rows import ARTICLE, article_values, time_text, to_article, to_parked, to_time
from scstory.text.duplicates import is_duplicate, text_keys
from scstory.types import Article

REPEATED = timedelta(days=7)
"""How far apart in time an article and its copy may be published."""
AHEAD = timedelta(days=2)
"""How far into the future the date of an article is believed."""

_HELD = ("articles", "inbox", "parked")
_INSERT = f"INSERT INTO {{}} ({ARTICLE}{{}}) VALUES (?, ?, ?, ?, ?, ?, ?{{}})"


class Inbox(Part):
    """What was accepted and not decided on yet, and what could not be."""

    def accept(self, articles: Sequence[Article]) -> list[Receipt]:
        """Keep articles for deciding, those that are not there yet; durable on return."""
        if not articles:
            return []
        return self._accept(
            [(a, canonical_url(a.url or ""), text_keys(a.title, a.text)) for a in articles]
        )

    @writing
    def _accept(self, offered: Sequence[tuple[Article, str, Sequence[int]]]) -> list[Receipt]:
        self._index_committed()
        receipts = [self._take(*one) for one in offered]
        self._forget_old_keys()
        return receipts

    @reading
    def pending(self, limit: int) -> list[Article]:
        """Return the articles that wait longest, in the order they were accepted."""
        query = f"SELECT {ARTICLE} FROM inbox ORDER BY number LIMIT ?"
        return [to_article(row) for row in self.db.rows(query, (limit,))]

    @writing
    def park(self, article: Article, reason: str) -> None:
        """Put an article aside that cannot be decided on."""
        self.db.hold()
        self.db.run("DELETE FROM inbox WHERE id = ?", (article.id,))
        self.db.run("DELETE FROM parked WHERE id = ?", (article.id,))
        since = time_text(datetime.now(UTC))
        statement = _INSERT.format("parked", ", reason, since", ", ?, ?")
        self.db.run(statement, (*article_values(article), clean(reason), since))

    @reading
    def parked(self) -> list[Parked]:
        """Return what was put aside, the longest there first."""
        query = f"SELECT {ARTICLE}, reason, since FROM parked ORDER BY since, id"
        return [to_parked(row) for row in self.db.rows(query)]

    @writing
    def retry(self, ids: Sequence[str]) -> int:
        """Put parked articles back at the end of the inbox; return how many there were."""
        again = [
            article
            for wanted in ids
            for article in self.db.rows(
                f"SELECT {ARTICLE} FROM parked WHERE id = ?", (clean(wanted),)
            )
        ]
        for row in again:
            self.db.run("DELETE FROM parked WHERE id = ?", (row[0],))
            self.db.run(_INSERT.format("inbox", "", ""), row)
        return len(again)

    def _take(self, article: Article, url: str, keys: Sequence[int]) -> Receipt:
        """Keep one article unless it is there; say what became of it."""
        if receipt := self._by_id(article):
            return receipt
        original = self._by_url(url) or self._by_text(article, keys)
        if original is None:
            self.db.run(_INSERT.format("inbox", "", ""), article_values(article))
            self._index(article, url, keys)
            return Receipt(article.id, "accepted")
        self.db.run(
            "INSERT INTO sources (id, article, published, title, url, source) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                article.id,
                original,
                time_text(article.published),
                article.title,
                article.url,
                article.source,
            ),
        )
        self._index(article, url, ())
        return Receipt(article.id, "duplicate", original)

    def _by_id(self, article: Article) -> Receipt | None:
        for title, text in self._contents(article.id):
            # Of an old article the text may have gone.
            if (title, text or article.text) == (article.title, article.text):
                return Receipt(article.id, "known")
            return Receipt(article.id, "duplicate", article.id)
        for (original,) in self.db.rows("SELECT article FROM sources WHERE id = ?", (article.id,)):
            return Receipt(article.id, "known", original)
        return None

    def _by_url(self, url: str) -> str | None:
        found = self.db.rows("SELECT article FROM urls WHERE url = ?", (url,)) if url else []
        return found[0][0] if found else None

    def _by_text(self, article: Article, keys: Sequence[int]) -> str | None:
        times = (article.published - REPEATED, article.published + REPEATED)
        for other, _ in self.db.rows(
            f"SELECT DISTINCT article, published FROM text_keys WHERE key IN ({marks(keys)}) "
            "AND published BETWEEN ? AND ? ORDER BY published, article",
            (*keys, *map(time_text, times)),
        ):
            for title, text in self._contents(other):
                if text and is_duplicate(article.title, article.text, title, text):
                    return str(other)
        return None

    def _contents(self, article: str) -> Iterator[tuple[str, str]]:
        """Yield title and text of an article that is held."""
        for table in _HELD:
            yield from (
                (title, text)
                for title, text in self.db.rows(
                    f"SELECT title, text FROM {table} WHERE id = ?", (article,)
                )
            )

    def _index(self, article: Article, url: str, keys: Sequence[int]) -> None:
        """Note by what copies of an article are to be recognised."""
        original = self.db.rows("SELECT article FROM sources WHERE id = ?", (article.id,))
        if url:
            self.db.run(
                "INSERT INTO urls (url, article) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (url, original[0][0] if original else article.id),
            )
        self.db.run_many(
            "INSERT INTO text_keys (key, article, published) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            [(key, article.id, time_text(article.published)) for key in sorted(set(keys))],
        )

    def _index_committed(self) -> None:
        """Index what was committed without having been offered, as a run from a file does."""
        found = self.db.rows("SELECT count(*), max(published) FROM articles WHERE indexed = 0")[0]
        if not found[0]:
            return
        horizon = to_time(found[1]) - 2 * REPEATED
        for row in self.db.rows(f"SELECT {ARTICLE} FROM articles WHERE indexed = 0"):
            article = to_article(row)
            recent = article.published >= horizon
            keys = text_keys(article.title, article.text) if recent else ()
            self._index(article, canonical_url(article.url or ""), keys)
        self.db.run("UPDATE articles SET indexed = 1 WHERE indexed = 0")

    def _forget_old_keys(self) -> None:
        latest = self.db.value("SELECT max(published) FROM text_keys")
        if latest:
            now = min(to_time(latest), datetime.now(UTC) + AHEAD)
            self.db.run(
                "DELETE FROM text_keys WHERE published < ?", (time_text(now - 2 * REPEATED),)
            )
