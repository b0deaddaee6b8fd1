"""All articles as a list: by words, outlet, story, language and time, with the number of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scstory.errors import UsageError
from scstory.store.columns import ARTICLE_ROWS, Row, time_text
from scstory.store.database import Reads, clean, read_transaction
from scstory.store.records import MAX_ID, ArticleRow, Cursor
from scstory.store.search.conditions import Conditions
from scstory.store.search.finding import by_index
from scstory.store.search.query import All, Node, Outlet, Published, parse
from scstory.text.search_words import search_words


@dataclass(frozen=True, slots=True)
class ArticleQuery:
    """Which articles: all that fit every part that is given."""

    text: str = ""
    outlet: str = ""
    story: int | None = None
    language: str = ""
    """A tag such as `en`, which `en-GB` fits, too."""
    since: datetime | None = None
    until: datetime | None = None

    def node(self) -> Node | None:
        """Return what the search has to look at; raise UsageError if that cannot be."""
        parts = [parse(self.text)]
        if self.outlet:
            words = tuple(search_words(self.outlet))
            if not words:
                raise UsageError(f"outlet {self.outlet[:40]!r}: needs a letter or a digit")
            parts.append(Outlet(words))
        if self.since or self.until:
            parts.append(Published(self.since, self.until))
        given = tuple(part for part in parts if part is not None)
        return given[0] if len(given) == 1 else All(given) if given else None


class ArticleLists(Reads):
    """Queries for articles of all stories."""

    redirect: Callable[[int], int]
    _article_rows: Callable[[Sequence[Row]], list[ArticleRow]]

    @read_transaction
    def article_list(
        self, query: ArticleQuery, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[ArticleRow], Cursor | None]:
        """Return a page of articles, the latest first, and where the next one starts."""
        where, values = self._where(query)
        time, sequence = (clean(str(after.key)), after.id) if after else ("9999", MAX_ID)
        with by_index(self.db):
            rows = self.db.rows(
                f"{ARTICLE_ROWS} WHERE {where} AND (a.published < ? OR "
                "(a.published = ? AND a.sequence < ?)) "
                "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
                (*values, time, time, sequence, limit + 1),
            )
        page, more = self._article_rows(rows[:limit]), len(rows) > limit
        last = page[-1] if page else None
        return page, Cursor(time_text(last.published), last.sequence) if last and more else None

    @read_transaction
    def article_count(self, query: ArticleQuery) -> int:
        """Return how many articles a query finds."""
        where, values = self._where(query)
        with by_index(self.db):
            return int(
                self.db.value(
                    "SELECT count(*) FROM articles a LEFT JOIN assignments d ON d.article = a.id "
                    f"WHERE {where}",
                    values,
                )
            )

    def _where(self, query: ArticleQuery) -> tuple[str, tuple[object, ...]]:
        parts, values = ["1 = 1"], list[object]()
        if (node := query.node()) is not None:
            condition = Conditions(self.db).article(node)
            parts.append(condition.text)
            values += condition.values
        if query.story is not None:
            parts.append("d.story = ?")
            values.append(self.redirect(query.story))
        if query.language:
            tag = clean(query.language.lower())
            parts.append(
                "(lower(a.language) = ? OR substr(lower(a.language), 1, CAST(? AS INTEGER)) = ?)"
            )
            values += [tag, len(tag) + 1, f"{tag}-"]
        return " AND ".join(parts), tuple(values)
