"""Finding stories: the conditions of a search as SQL, and the order of what they find."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from scstory.store.columns import Row, time_text
from scstory.store.database import Readable, chunks, placeholders
from scstory.store.search.dialect import DESCRIPTION, EVERYWHERE, HEADLINE
from scstory.store.search.query import (
    All,
    Either,
    Node,
    Not,
    Outlet,
    Published,
    Term,
    leaves,
    parse,
    terms,
    unfinished,
)
from scstory.store.search.snippets import Snippet, best_snippet, snippet_of
from scstory.text.search_words import search_words
from scstory.types import Story

_OUTLETS = (
    "WITH RECURSIVE found (name) AS (SELECT min(source) FROM {table} UNION ALL "
    "SELECT (SELECT min(source) FROM {table} WHERE source > name) FROM found "
    "WHERE name IS NOT NULL) SELECT name FROM found WHERE name IS NOT NULL"
)
"""One look into the index of a column for each name."""
LEFT_OUT = 1 / 3
"""A story is left out if so many of its articles have a word that is to be left out."""
_RANK = 10_000_000.0
"""More articles than a story has: what a match in the headline or summary is worth more."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A condition or a query, and its values."""

    text: str
    values: tuple[object, ...] = ()


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
        self._db, self._node = db, node
        self._has_filters = _has_filters(node)

    def relevance(self) -> dict[int, float]:
        """Return the stories with their relevance."""
        found = self.articles_of_stories()
        if terms(self._node):
            self._rank(found)
        for node in self._node.parts if isinstance(self._node, All) else (self._node,):
            if isinstance(node, Not) and _has_words(node.part) and not _has_filters(node.part):
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
        rows = self._db.rows(*self._of_articles("d.story, count(*)", where, " GROUP BY d.story"))
        return {story: float(number) for story, number in rows}

    def best_articles(self, stories: Sequence[int]) -> list[tuple[int, str, str]]:
        """Return title and text of the latest article of each story that matches, in its title."""
        found: dict[int, tuple[int, str, str]] = {}
        for where in (EVERYWHERE, HEADLINE):
            for some in chunks(stories):
                end = f" AND d.story IN ({placeholders(some)}) GROUP BY d.story"
                latest = self._of_articles("max(a.sequence)", where, end, tuple(some))
                found |= {
                    row[0]: (row[0], row[1], row[2])
                    for row in self._db.rows(
                        "SELECT d.story, a.title, a.text FROM articles a JOIN assignments d "
                        f"ON d.article = a.id WHERE a.sequence IN ({latest[0]})",
                        latest[1],
                    )
                }
        return list(found.values())

    def _of_articles(
        self, what: str, where: str, end: str, values: tuple[object, ...] = ()
    ) -> tuple[str, Row]:
        condition = self._condition(self._node, lambda node: self._in_articles(node, where))
        return (
            f"SELECT {what} FROM articles a JOIN assignments d ON d.article = a.id "
            f"WHERE {condition.text}{end}",
            (*condition.values, *values),
        )

    def _stories(self, where: str) -> list[int]:
        """Return the stories that match by themselves, with an article that passes the filters."""
        tables, story = "stories s", "s.id"
        if self._has_filters:
            tables, story = "articles a JOIN assignments d ON d.article = a.id", "d.story"
        condition = self._condition(
            self._node, lambda node: self._in_stories(node, where, story), by_story=True
        )
        query = f"SELECT DISTINCT {story} FROM {tables} WHERE {condition.text}"
        return [row[0] for row in self._db.rows(query, condition.values)]

    # -- conditions ---------------------------------------------------------------------------

    def _condition(
        self, node: Node, words: Callable[[Node], Sql], *, by_story: bool = False
    ) -> Sql:
        """Return a condition on an article `a` of a story, with `words` for words and phrases."""
        if isinstance(node, Not):
            part = self._condition(node.part, words, by_story=by_story)
            if by_story or not _has_words(node.part):
                return Sql(f"NOT {part.text}", part.values)
            # Neither the article nor the story that it is of.
            anywhere = lambda part: self._in_articles(part, EVERYWHERE)  # noqa: E731
            own = self._condition(node.part, anywhere)
            of_story = self._condition(
                node.part, lambda part: self._in_stories(part, EVERYWHERE, "d.story"), by_story=True
            )
            return _joined("AND", [Sql(f"NOT {p.text}", p.values) for p in (own, of_story)])
        if isinstance(node, Outlet):
            return self._of_outlet(node)
        if isinstance(node, Published):
            return _published(node)
        if isinstance(node, Term) or _only_words(node):
            return words(node)
        assert isinstance(node, All | Either)
        # Words are looked up together: the index joins them faster than the database does.
        together = [part for part in node.parts if _only_words(part)]
        parts = [part for part in node.parts if part not in together]
        if together:
            joined = type(node)(tuple(together)) if len(together) > 1 else together[0]
            parts.insert(0, joined)
        return _joined(
            "AND" if isinstance(node, All) else "OR",
            [self._condition(part, words, by_story=by_story) for part in parts],
        )

    def _in_articles(self, node: Node, where: str) -> Sql:
        search = self._db.search
        found = Sql(search.articles, (search.match_articles(node, where),))
        columns = "title" if where == HEADLINE else "title || ' ' || text"
        return self._among("a.sequence", found, node, "SELECT sequence FROM articles", columns)

    def _in_stories(self, node: Node, where: str, story: str) -> Sql:
        search = self._db.search
        found = Sql(search.stories, (search.match_stories(node, where),))
        columns = {HEADLINE: "title", DESCRIPTION: "title || ' ' || summary"}.get(
            where, "title || ' ' || summary || ' ' || keywords"
        )
        return self._among(story, found, node, "SELECT id FROM stories", columns)

    def _among(self, key: str, found: Sql, node: Node, rows: str, columns: str) -> Sql:
        """Return that a key is among those found, in capitals where they are asked for."""
        if not isinstance(node, Term) or not node.capitals:
            return Sql(f"({key} IN ({found.text}))", found.values)
        own = rows.split()[1]
        place = f"{self._db.search.place_in}({columns}, ?) > 0"
        written = " OR ".join([place] * len(node.capitals))
        return Sql(
            f"({key} IN ({rows} WHERE {own} IN ({found.text}) AND ({written})))",
            (*found.values, *node.capitals),
        )

    def _of_outlet(self, outlet: Outlet) -> Sql:
        names = outlet_names(outlet, self._outlets)
        if not names:
            return Sql("(1 = 0)")
        some = placeholders(names)
        return Sql(
            f"((a.source IS NOT NULL AND a.source IN ({some})) OR a.id IN "
            f"(SELECT article FROM sources WHERE source IN ({some})))",
            (*names, *names),
        )

    @cached_property
    def _outlets(self) -> list[str]:
        return outlets(self._db)


def outlets(db: Readable) -> list[str]:
    """Return the names of all outlets."""
    names = {row[0] for t in ("articles", "sources") for row in db.rows(_OUTLETS.format(table=t))}
    return sorted(names)


def outlet_names(outlet: Outlet, known: Sequence[str]) -> list[str]:
    """Return the outlets that are meant: of this name, else with these words, else beginning so.

    >>> outlet_names(Outlet(("guardian",)), ["The Guardian", "Guardian Nigeria", "Herald"])
    ['The Guardian', 'Guardian Nigeria']
    >>> outlet_names(Outlet(("her",)), ["The Guardian", "Guardian Nigeria", "Herald"])
    ['Herald']
    """
    wanted = " ".join(outlet.words)
    written = {name: " ".join(search_words(name)) for name in known}
    for fits in (
        lambda own: own == wanted,
        lambda own: f" {wanted} " in f" {own} ",
        lambda own: f" {wanted}" in f" {own}",
    ):
        if names := [name for name in known if fits(written[name])]:
            return names
    return []


def _published(node: Published) -> Sql:
    parts = []
    if node.since is not None:
        parts.append(Sql("(a.published >= ?)", (time_text(node.since),)))
    if node.until is not None:
        parts.append(Sql("(a.published < ?)", (time_text(node.until),)))
    return _joined("AND", parts)


def _joined(operator: str, parts: Sequence[Sql]) -> Sql:
    text = f" {operator} ".join(part.text for part in parts)
    return Sql(f"({text})", tuple(value for part in parts for value in part.values))


def _only_words(node: Node) -> bool:
    """Say whether the index alone can find it: it does not know what is in capitals."""
    if isinstance(node, All | Either):
        return all(map(_only_words, node.parts))
    return isinstance(node, Term) and not node.capitals


def _has_filters(node: Node) -> bool:
    return any(not isinstance(leaf, Term) for leaf in leaves(node))


def _has_words(node: Node) -> bool:
    return any(isinstance(leaf, Term) for leaf in leaves(node))
