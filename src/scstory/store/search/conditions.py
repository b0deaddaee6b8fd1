"""The conditions of a search as SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scstory.store.columns import time_text
from scstory.store.database import Readable, placeholders
from scstory.store.search.dialect import DESCRIPTION, EVERYWHERE, HEADLINE
from scstory.store.search.query import All, Either, Node, Not, Outlet, Published, Term, leaves
from scstory.text.search_words import search_words

_OUTLETS = (
    "WITH RECURSIVE found (name) AS (SELECT min(source) FROM {table} UNION ALL "
    "SELECT (SELECT min(source) FROM {table} WHERE source > name) FROM found "
    "WHERE name IS NOT NULL) SELECT name FROM found WHERE name IS NOT NULL"
)
"""One look into the index of a column for each name."""
_TEXTS = {
    HEADLINE: "a.title",
    EVERYWHERE: "a.title || ' ' || a.text",
}
_STORY_TEXTS = {
    DESCRIPTION: "title || ' ' || summary",
    EVERYWHERE: "title || ' ' || summary || ' ' || keywords",
}


@dataclass(frozen=True, slots=True)
class Sql:
    """A condition or a query, and its values."""

    text: str
    values: tuple[object, ...] = ()


class Conditions:
    """Makes the conditions of searches in one database.

    With `known` the articles are looked up otherwise, and only checked by the conditions.
    """

    def __init__(self, db: Readable, *, known: bool = False) -> None:
        self._db = db
        self._article = db.search.known_article if known else db.search.article

    def article(self, node: Node, where: str = EVERYWHERE) -> Sql:
        """Return the condition that an article `a`, of the story `d.story`, matches.

        What is to be left out is neither in the article nor in what its story says of itself.
        """
        if isinstance(node, Term) or _only_words(node):
            return self._in_article(node, where)
        if isinstance(node, Not):
            parts = [self.article(node.part)]
            if has_words(node.part):
                parts.append(self.story(node.part, "d.story"))
            return _joined("AND", [_not(part) for part in parts])
        if isinstance(node, All | Either):
            parts = [self.article(part, where) for part in _grouped(node)]
            return _joined("AND" if isinstance(node, All) else "OR", parts)
        return self._filter(node)

    def story(self, node: Node, story: str, where: str = EVERYWHERE) -> Sql:
        """Return the condition that a story matches by itself, and its article `a` the filters.

        `story` is the column with the number of the story.
        """
        if isinstance(node, Term) or _only_words(node):
            return self._in_story(node, story, where)
        if isinstance(node, Not):
            return _not(self.story(node.part, story))
        if isinstance(node, All | Either):
            parts = [self.story(part, story, where) for part in _grouped(node)]
            return _joined("AND" if isinstance(node, All) else "OR", parts)
        return self._filter(node)

    def articles_with(self, forms: Sequence[str]) -> int:
        """Return how many articles have one of some words."""
        condition = self._in_article(Term(tuple((form,) for form in forms)), EVERYWHERE)
        query = f"SELECT count(*) FROM articles a WHERE {condition.text}"
        return int(self._db.value(query, condition.values))

    def _in_article(self, node: Node, where: str) -> Sql:
        search = self._db.search
        found = Sql(f"({self._article})", (search.match_articles(node, where),))
        if not isinstance(node, Term) or not node.capitals:
            return found
        return _joined("AND", [found, self._written(node, _TEXTS[where])])

    def _in_story(self, node: Node, story: str, where: str) -> Sql:
        search = self._db.search
        found = Sql(f"({story} IN ({search.stories}))", (search.match_stories(node, where),))
        if not isinstance(node, Term) or not node.capitals:
            return found
        written = self._written(node, _STORY_TEXTS[where])
        among = Sql(f"({story} IN (SELECT id FROM stories WHERE {written.text}))", written.values)
        return _joined("AND", [found, among])

    def _written(self, term: Term, text: str) -> Sql:
        """Return the condition that a text has a term in capitals."""
        place = f"({self._db.search.place_in}({text}, ?) > 0)"
        return _joined("OR", [Sql(place, (written,)) for written in term.capitals])

    def _filter(self, node: Node) -> Sql:
        if isinstance(node, Published):
            return _published(node)
        assert isinstance(node, Outlet)
        names = outlet_names(node, self._outlets)
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


def _not(part: Sql) -> Sql:
    return Sql(f"(NOT {part.text})", part.values)


def _grouped(node: All | Either) -> list[Node]:
    """Return the parts, with words and phrases as one: the index joins them faster than SQL."""
    together = tuple(part for part in node.parts if _only_words(part))
    parts = [part for part in node.parts if part not in together]
    if together:
        parts.insert(0, type(node)(together) if len(together) > 1 else together[0])
    return parts


def _joined(operator: str, parts: Sequence[Sql]) -> Sql:
    text = f" {operator} ".join(part.text for part in parts)
    return Sql(f"({text})", tuple(value for part in parts for value in part.values))


def _only_words(node: Node) -> bool:
    """Say whether the index alone can find it: it does not know what is in capitals."""
    if isinstance(node, All | Either):
        return all(map(_only_words, node.parts))
    return isinstance(node, Term) and not node.capitals


def has_filters(node: Node) -> bool:
    """Say whether a search has filters by outlet or time."""
    return any(not isinstance(leaf, Term) for leaf in leaves(node))


def has_words(node: Node) -> bool:
    """Say whether a search has words or phrases, also such that are to be left out."""
    return any(isinstance(leaf, Term) for leaf in leaves(node))
