"""Finding stories: which ones a search finds, in which order, and where in their texts."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from scstory.store.database import Readable, chunks, placeholders
from scstory.store.search.conditions import Conditions, has_filters, has_words
from scstory.store.search.dialect import DESCRIPTION, EVERYWHERE, HEADLINE
from scstory.store.search.query import All, Node, Not, Published, parse, terms, unfinished
from scstory.store.search.snippets import Snippet, best_snippet, snippet_of
from scstory.types import Story

LEFT_OUT = 1 / 3
"""A story is left out if so many of its articles have a word that is to be left out."""
_ARTICLES = "articles a JOIN assignments d ON d.article = a.id"
_RANK = 10_000_000.0
"""More articles than a story has: what a match in the headline or summary is worth more."""


def find_stories(
    db: Readable, text: str, since: datetime | None = None, until: datetime | None = None
) -> dict[int, float]:
    """Return the stories that a search finds, each with its relevance.

    Stories where the words are in the headline or the summary come first, then those where they
    are there or among the keywords, then those with an article that has them. Within each of these
    the relevance is the number of such articles, where one with the words in its title counts
    twice.
    """
    for node in _readings(text, since, until):
        if found := Finder(db, node).relevance():
            return found
    return {}


def find_snippets(
    db: Readable,
    text: str,
    stories: Sequence[Story],
    since: datetime | None = None,
    until: datetime | None = None,
) -> dict[int, Snippet]:
    """Return a passage of each of some stories in which a search is answered.

    It is of the latest article that matches, of those with the words in their titles if there are
    any. If only the story itself matches, it is of the summary.
    """
    for node in _readings(text, since, until):
        wanted, found = terms(node), dict[int, Snippet]()
        if wanted and stories:
            for story, title, body in Finder(db, node).best_articles([s.id for s in stories]):
                found[story] = best_snippet((body, title), wanted)
            for one in stories:
                summary = " ".join(quote.text for quote in one.summary)
                found[one.id] = found.get(one.id) or snippet_of(summary, wanted)
        if any(found.values()):
            return {story: snippet for story, snippet in found.items() if snippet}
    return {}


def _readings(text: str, since: datetime | None, until: datetime | None) -> Iterator[Node]:
    """Yield what a search may mean: its words, or if they find nothing, the last one unfinished."""
    for node in (parse(text), unfinished(parse(text))):
        if node is not None:
            yield All((node, Published(since, until))) if since or until else node


class Finder:
    """One search in one database."""

    def __init__(self, db: Readable, node: Node) -> None:
        self._db, self._node, self._conditions = db, node, Conditions(db)

    def relevance(self) -> dict[int, float]:
        """Return the stories with their relevance."""
        with by_index(self._db):
            found = self.articles_of_stories()
            if terms(self._node):
                self._rank(found)
            for node in self._node.parts if isinstance(self._node, All) else (self._node,):
                if isinstance(node, Not) and has_words(node.part) and not has_filters(node.part):
                    for story in self._with_many_of(node.part, found):
                        del found[story]
            return found

    def _rank(self, found: dict[int, float]) -> None:
        for story, number in self.articles_of_stories(HEADLINE).items():
            found[story] += number
        described = set(self._stories(DESCRIPTION))
        for story in described:
            found[story] = found.get(story, 0.0) + 2 * _RANK
        for story in self._stories(EVERYWHERE):
            if story not in described:
                found[story] = found.get(story, 0.0) + _RANK

    def _with_many_of(self, node: Node, stories: Collection[int]) -> list[int]:
        """Return those of some stories that have too many of the words that are left out."""
        counts = Finder(self._db, node).articles_of_stories()
        sizes = {
            row[0]: row[1]
            for some in chunks([story for story in stories if story in counts])
            for row in self._db.rows(
                f"SELECT id, size FROM stories WHERE id IN ({placeholders(some)})", some
            )
        }
        return [story for story, size in sizes.items() if counts[story] >= LEFT_OUT * size]

    def articles_of_stories(self, where: str = EVERYWHERE) -> dict[int, float]:
        """Return how many articles of each story match."""
        condition = self._conditions.article(self._node, where)
        rows = self._db.rows(
            f"SELECT d.story, count(*) FROM {_ARTICLES} WHERE {condition.text} GROUP BY d.story",
            condition.values,
        )
        return {story: float(number) for story, number in rows}

    def _stories(self, where: str) -> list[int]:
        """Return the stories that match by themselves, with an article that passes the filters."""
        tables, story = "stories s", "s.id"
        if has_filters(self._node):
            tables, story = _ARTICLES, "d.story"
        condition = self._conditions.story(self._node, story, where)
        query = f"SELECT DISTINCT {story} FROM {tables} WHERE {condition.text}"
        return [row[0] for row in self._db.rows(query, condition.values)]

    def best_articles(self, stories: Sequence[int]) -> list[tuple[int, str, str]]:
        """Return of each story the title and text of the latest article that matches.

        Those with the words in their titles come first.
        """
        conditions = Conditions(self._db, known=True)
        anywhere = conditions.article(self._node)
        in_title = conditions.article(self._node, HEADLINE)
        found: list[tuple[int, str, str]] = []
        for some in chunks(stories):
            of_stories = f"d.story IN ({placeholders(some)})"
            with by_index(self._db):
                latest = self._db.rows(
                    f"SELECT coalesce(max(CASE WHEN {in_title.text} THEN a.sequence END), "
                    f"max(a.sequence)) FROM {_ARTICLES} WHERE {of_stories} AND {anywhere.text} "
                    "GROUP BY d.story",
                    (*in_title.values, *some, *anywhere.values),
                )
            numbers = [row[0] for row in latest]
            found += [
                (story, title, text)
                for story, title, text in self._db.rows(
                    f"SELECT d.story, a.title, a.text FROM {_ARTICLES} "
                    f"WHERE a.sequence IN ({placeholders(numbers)})",
                    numbers,
                )
            ]
        return found


@contextmanager
def by_index(db: Readable) -> Iterator[None]:
    """Have the database use its index of words; an error ends the transaction in any case."""
    db.rows(db.search.start)
    yield
    db.rows(db.search.end)
