"""The past by days: how much was published on each day, and the stories of one day."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

from scstory.store.columns import ARTICLE_ROWS, Row, time_text, to_time
from scstory.store.database import Reads, chunks, placeholders, read_transaction
from scstory.store.records import ArticleRow, DayCount, DayStory, StoryRow


class ArchiveQueries(Reads):
    """Queries for days, which are days of UTC. Only decided articles count."""

    _story_rows: Callable[[Sequence[int]], list[StoryRow]]
    _article_rows: Callable[[Sequence[Row]], list[ArticleRow]]

    @read_transaction
    def years(self) -> list[int]:
        """Return the years that have articles."""
        first, last = self.db.rows(
            "SELECT (SELECT min(published) FROM articles), (SELECT max(published) FROM articles)"
        )[0]
        if first is None:
            return []
        query = "SELECT published FROM articles WHERE published >= ? AND published < ? LIMIT 1"
        return [
            year
            for year in range(to_time(first).year, to_time(last).year + 1)
            if self.db.rows(query, _years(year))
        ]

    @read_transaction
    def days(self, year: int) -> list[DayCount]:
        """Return how many articles and stories each day of a year has, where it has any."""
        rows = self.db.rows(
            "SELECT substr(a.published, 1, 10), count(*), count(DISTINCT d.story) "
            "FROM articles a JOIN assignments d ON d.article = a.id "
            "WHERE a.published >= ? AND a.published < ? "
            "GROUP BY substr(a.published, 1, 10) ORDER BY 1",
            _years(year),
        )
        return [
            DayCount(date.fromisoformat(day), articles, stories) for day, articles, stories in rows
        ]

    @read_transaction
    def neighbours(self, day: date) -> tuple[date | None, date | None]:
        """Return the last day before this one and the first day after it that have articles."""
        start, end = _bounds(day)
        before, after = self.db.rows(
            "SELECT (SELECT max(published) FROM articles WHERE published < ?), "
            "(SELECT min(published) FROM articles WHERE published >= ?)",
            (start, end),
        )[0]
        return before and to_time(before).date(), after and to_time(after).date()

    @read_transaction
    def count_of_day(self, day: date) -> DayCount:
        """Return how many articles and stories a day has."""
        articles, stories = self.db.rows(
            "SELECT count(*), count(DISTINCT d.story) "
            "FROM articles a JOIN assignments d ON d.article = a.id "
            "WHERE a.published >= ? AND a.published < ?",
            _bounds(day),
        )[0]
        return DayCount(day, articles, stories)

    @read_transaction
    def stories_of_day(self, day: date, *, limit: int) -> list[DayStory]:
        """Return the stories with articles on a day, those with the most articles first."""
        bounds = _bounds(day)
        found = [
            row[0]
            for row in self.db.rows(
                "SELECT d.story FROM articles a JOIN assignments d ON d.article = a.id "
                "WHERE a.published >= ? AND a.published < ? GROUP BY d.story "
                "ORDER BY count(*) DESC, max(a.published) DESC, d.story DESC LIMIT ?",
                (*bounds, limit),
            )
        ]
        articles: dict[int | None, list[ArticleRow]] = {}
        sizes = dict[int, int]()
        for some in chunks(found):
            ours = placeholders(some)
            rows = self.db.rows(
                f"{ARTICLE_ROWS} WHERE a.published >= ? AND a.published < ? "
                f"AND d.story IN ({ours}) ORDER BY a.published DESC, a.sequence DESC",
                (*bounds, *some),
            )
            for article in self._article_rows(rows):
                articles.setdefault(article.story, []).append(article)
            for story, size in self.db.rows(
                "SELECT d.story, count(*) FROM assignments d JOIN articles a ON a.id = d.article "
                f"WHERE d.story IN ({ours}) AND a.published < ? GROUP BY d.story",
                (*some, bounds[1]),
            ):
                sizes[story] = size
        return [
            DayStory(story, tuple(articles[story.id]), sizes[story.id])
            for story in self._story_rows(found)
        ]


def _years(year: int) -> tuple[str, str]:
    """Return the start of a year and of the next one, as they sort among stored times."""
    return f"{year:04}", f"{year + 1:04}"


def _bounds(day: date) -> tuple[str, str]:
    """Return the start of a day and of the next one, as they are stored."""
    start = datetime.combine(day, time(), UTC)
    return time_text(start), time_text(start + timedelta(days=1))
