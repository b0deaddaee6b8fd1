"""Articles as readers ask for them, each with the decision on it and its copies."""

from collections.abc import Callable, Sequence
from datetime import datetime

from scstory.store.columns import ARTICLE_ROWS, Row, time_text, to_article_row, to_time
from scstory.store.database import Reads, chunks, clean, placeholders, read_transaction
from scstory.store.records import MAX_ID, ArticleRow, Copy, Cursor, Decision


class ArticleQueries(Reads):
    """Queries for articles that have been committed."""

    redirect: Callable[[int], int]
    """Returns the number that a story has now."""

    @read_transaction
    def with_images(self, ids: Sequence[str]) -> frozenset[str]:
        """Return those of some articles whose feed named an image."""
        query = f"SELECT id FROM articles WHERE image IS NOT NULL AND id IN ({placeholders(ids)})"
        return frozenset(row[0] for row in self.db.rows(query, ids)) if ids else frozenset()

    @read_transaction
    def article(self, article: str) -> ArticleRow | None:
        """Return an article by id; by the id of a copy, the article it is a copy of."""
        key = clean(article)
        found = self.db.rows(f"{ARTICLE_ROWS} WHERE a.id = ?", (key,)) or self.db.rows(
            f"{ARTICLE_ROWS} WHERE a.id = (SELECT article FROM sources WHERE id = ?)", (key,)
        )
        return self._article_rows(found)[0] if found else None

    @read_transaction
    def articles_of(self, story: int) -> list[ArticleRow]:
        """Return all articles of a story in publication order."""
        return self._article_rows(
            self.db.rows(
                f"{ARTICLE_ROWS} WHERE d.story = ? ORDER BY a.published, a.sequence",
                (self.redirect(story),),
            )
        )

    @read_transaction
    def article_page(
        self, story: int, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[ArticleRow], Cursor | None]:
        """Return a page of a story's articles, the latest first, and where the next one starts."""
        time, sequence = (clean(str(after.key)), after.id) if after else ("9999", MAX_ID)
        rows = self.db.rows(
            f"{ARTICLE_ROWS} WHERE d.story = ? AND (a.published < ? OR "
            "(a.published = ? AND a.sequence < ?)) "
            "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
            (story, time, time, sequence, limit + 1),
        )
        page, more = self._article_rows(rows[:limit]), len(rows) > limit
        last = page[-1] if page else None
        return page, Cursor(time_text(last.published), last.sequence) if last and more else None

    @read_transaction
    def latest(self, *, limit: int = 12) -> list[tuple[ArticleRow, str]]:
        """Return the articles published last, the latest first, each with its story's title."""
        rows = self.db.rows(
            f"{ARTICLE_ROWS} WHERE d.story IS NOT NULL "
            "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
            (limit,),
        )
        articles = self._article_rows(rows)
        stories = [article.story for article in articles if article.story]
        query = f"SELECT id, title FROM stories WHERE id IN ({placeholders(stories)})"
        titles = {row[0]: row[1] for row in self.db.rows(query, stories)}
        return [(article, titles.get(article.story, "")) for article in articles]

    @read_transaction
    def newest_time(self) -> datetime | None:
        """Return when the newest article was published."""
        newest = self.db.value("SELECT max(published) FROM articles")
        return None if newest is None else to_time(newest)

    @read_transaction
    def last_sequence(self) -> int:
        """Return the number of the article that was committed last."""
        return int(self.db.value("SELECT coalesce(max(sequence), 0) FROM articles"))

    @read_transaction
    def decisions(self, after: int, limit: int = 1000) -> list[Decision]:
        """Return articles that were committed after the one of that number, in order."""
        return [
            Decision(sequence, article, to_time(published), story, confidence, bool(new))
            for sequence, article, published, story, confidence, new in self.db.rows(
                "SELECT a.sequence, a.id, a.published, d.story, d.confidence, d.new "
                "FROM articles a LEFT JOIN assignments d ON d.article = a.id "
                "WHERE a.sequence > ? ORDER BY a.sequence LIMIT ?",
                (after, limit),
            )
        ]

    @read_transaction
    def decided_between(self, start: datetime, end: datetime) -> list[tuple[str, int]]:
        """Return the articles published in a range of time, by id, and each one's story."""
        found = self.db.rows(
            "SELECT a.id, d.story FROM articles a JOIN assignments d ON d.article = a.id "
            "WHERE a.published BETWEEN ? AND ? ORDER BY a.published, a.sequence",
            (time_text(start), time_text(end)),
        )
        return [(article, story) for article, story in found]

    def _article_rows(self, rows: Sequence[Row]) -> list[ArticleRow]:
        copies: dict[str, list[Copy]] = {}
        for some in chunks([row[0] for row in rows]):
            for article, *copy in self.db.rows(
                "SELECT article, id, title, url, source FROM sources "
                f"WHERE article IN ({placeholders(some)}) ORDER BY number",
                some,
            ):
                copies.setdefault(article, []).append(Copy(*copy))
        return [to_article_row(row, copies.get(row[0], ())) for row in rows]
