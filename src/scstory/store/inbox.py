"""The inbox: the one way in. Articles are checked for copies, stored, and wait to be decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from scstory.feeds.canonical_url import canonical_url
from scstory.store.columns import (
    ARTICLE,
    Row,
    row_values,
    time_text,
    to_article,
    to_parked,
    to_time,
)
from scstory.store.database import (
    Database,
    Writes,
    chunks,
    clean,
    placeholders,
    read_transaction,
    write_transaction,
)
from scstory.store.records import Parked, Receipt
from scstory.text.duplicates import is_duplicate, text_keys
from scstory.types import Article

COPY_AGE = timedelta(days=7)
"""The longest time between the publication of an article and that of its copy."""
FUTURE_LIMIT = timedelta(days=2)
"""Dates that lie further in the future do not count in deciding which keys are old."""

_TABLES = ("articles", "inbox", "parked")
_INSERT = f"INSERT INTO {{}} ({ARTICLE}{{}}) VALUES (?, ?, ?, ?, ?, ?, ?, ?{{}})"


class Inbox(Writes):
    """Articles that were accepted and not decided yet, and those that could not be decided."""

    def accept(self, articles: Sequence[Article]) -> list[Receipt]:
        """Store the articles that are not there yet; when this returns they are on disk."""
        if not articles:
            return []
        return self._accept([_Offer(article) for article in articles])

    @write_transaction
    def _accept(self, offers: Sequence[_Offer]) -> list[Receipt]:
        batch = _Batch(self.db, offers)
        receipts = [batch.offer(offer) for offer in offers]
        batch.write()
        self._delete_old_keys()
        return receipts

    @read_transaction
    def pending(self, limit: int) -> list[Article]:
        """Return the articles that have waited longest, in the order they were accepted."""
        query = f"SELECT {ARTICLE} FROM inbox ORDER BY number LIMIT ?"
        return [to_article(row) for row in self.db.rows(query, (limit,))]

    @write_transaction
    def park(self, article: Article, reason: str) -> None:
        """Move an article that cannot be decided out of the inbox."""
        self.db.check_claim()
        self.db.run("DELETE FROM inbox WHERE id = ?", (article.id,))
        self.db.run("DELETE FROM parked WHERE id = ?", (article.id,))
        since = time_text(datetime.now(UTC))
        statement = _INSERT.format("parked", ", reason, since", ", ?, ?")
        self.db.run(statement, (*row_values(article, ARTICLE), clean(reason), since))

    @read_transaction
    def parked(self) -> list[Parked]:
        """Return the parked articles, the longest there first."""
        query = f"SELECT {ARTICLE}, reason, since FROM parked ORDER BY since, id"
        return [to_parked(row) for row in self.db.rows(query)]

    @write_transaction
    def retry(self, ids: Sequence[str]) -> int:
        """Put parked articles back at the end of the inbox; return how many there were."""
        rows = [
            row
            for id_ in ids
            for row in self.db.rows(f"SELECT {ARTICLE} FROM parked WHERE id = ?", (clean(id_),))
        ]
        for row in rows:
            self.db.run("DELETE FROM parked WHERE id = ?", (row[0],))
            self.db.run(_INSERT.format("inbox", "", ""), row)
        return len(rows)

    def _delete_old_keys(self) -> None:
        latest = self.db.value("SELECT max(published) FROM text_keys")
        if latest:
            now = min(to_time(latest), datetime.now(UTC) + FUTURE_LIMIT)
            self.db.run(
                "DELETE FROM text_keys WHERE published < ?", (time_text(now - 2 * COPY_AGE),)
            )


class _Offer:
    """An article that is offered, and what copies of it are recognised by."""

    def __init__(self, article: Article) -> None:
        self.article = article
        self.url = canonical_url(article.url or "")
        self.keys = tuple(sorted(set(text_keys(article.title, article.text))))
        self.published = time_text(article.published)


class _Batch:
    """The articles of one transaction: they are looked up together and inserted together."""

    def __init__(self, db: Database, offers: Sequence[_Offer]) -> None:
        self._db = db
        self._contents: dict[str, tuple[str, str]] = {}
        ids, urls = [o.article.id for o in offers], [o.url for o in offers if o.url]
        self._load_contents(ids)
        copies = self._select("id, article FROM sources", "id", ids)
        self._copies: dict[str, str] = {row[0]: row[1] for row in copies}
        pages = self._select("url, article FROM urls", "url", urls)
        self._urls: dict[str, str] = {row[0]: row[1] for row in pages}
        self._keys: dict[int, set[tuple[str, str]]] = {}
        keys = {key for offer in offers for key in offer.keys}
        for key, article, published in self._select(
            "key, article, published FROM text_keys", "key", sorted(keys)
        ):
            self._keys.setdefault(key, set()).add((published, article))
        self._accepted: list[_Offer] = []
        self._duplicates: list[tuple[_Offer, str]] = []

    def offer(self, offer: _Offer) -> Receipt:
        """Take one article unless it is there already; return what became of it."""
        article = offer.article
        if receipt := self._by_id(article):
            return receipt
        original = self._urls.get(offer.url) if offer.url else None
        original = original or self._by_text(offer)
        if offer.url:
            self._urls.setdefault(offer.url, original or article.id)
        if original is not None:
            self._copies[article.id] = original
            self._duplicates.append((offer, original))
            return Receipt(article.id, "duplicate", original)
        self._contents[article.id] = article.title, article.text
        for key in offer.keys:
            self._keys.setdefault(key, set()).add((offer.published, article.id))
        self._accepted.append(offer)
        return Receipt(article.id, "accepted")

    def write(self) -> None:
        """Insert the articles that were taken, their copies, and the keys of both."""
        accepted, run_many = self._accepted, self._db.run_many
        rows = [row_values(offer.article, ARTICLE) for offer in accepted]
        run_many(_INSERT.format("inbox", "", ""), rows)
        run_many(
            "INSERT INTO sources (id, article, published, title, url, source) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (o.article.id, of, o.published, o.article.title, o.article.url, o.article.source)
                for o, of in self._duplicates
            ],
        )
        originals = [(o, o.article.id) for o in accepted] + self._duplicates
        run_many(
            "INSERT INTO urls (url, article) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(offer.url, original) for offer, original in originals if offer.url],
        )
        run_many(
            "INSERT INTO text_keys (key, article, published) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            [(key, o.article.id, o.published) for o in accepted for key in o.keys],
        )

    def _by_id(self, article: Article) -> Receipt | None:
        if stored := self._contents.get(article.id):
            title, text = stored
            # The text of an old article may have been dropped.
            if (title, text or article.text) == (article.title, article.text):
                return Receipt(article.id, "known")
            return Receipt(article.id, "duplicate", article.id)
        if original := self._copies.get(article.id):
            return Receipt(article.id, "known", original)
        return None

    def _by_text(self, offer: _Offer) -> str | None:
        article = offer.article
        first = time_text(article.published - COPY_AGE)
        last = time_text(article.published + COPY_AGE)
        candidates = {other for key in offer.keys for other in self._keys.get(key, ())}
        near = [other for published, other in sorted(candidates) if first <= published <= last]
        self._load_contents([other for other in near if other not in self._contents])
        for other in near:
            title, text = self._contents.get(other, ("", ""))
            if text and is_duplicate(article.title, article.text, title, text):
                return other
        return None

    def _load_contents(self, ids: Sequence[str]) -> None:
        for table in _TABLES:
            for id_, title, text in self._select(f"id, title, text FROM {table}", "id", ids):
                self._contents[id_] = title, text

    def _select(self, what: str, column: str, values: Iterable[str | int]) -> Iterator[Row]:
        for some in chunks([*dict.fromkeys(values)]):
            query = f"SELECT {what} WHERE {column} IN ({placeholders(some)})"
            yield from self._db.rows(query, some)
