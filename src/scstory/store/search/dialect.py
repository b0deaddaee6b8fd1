"""Full-text search as SQLite's FTS5 and as PostgreSQL's tsvector have it: one tree, two texts.

Both find the words of `scstory.text.search_words`, without stemming. All else about a search is
the same SQL for both.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scstory.store.search.query import All, Either, Node, Term

HEADLINE, DESCRIPTION, EVERYWHERE = "headline", "description", "everywhere"
"""Where a word is looked for: of an article the title, or title and text; of a story the title,
title and summary, or also its keywords."""

TITLE_MARK = "="
"""What stands before a word of a title in a tsvector, beside the word itself: PostgreSQL finds it
in the index, whereas it would have to look at each tsvector for a weight."""


@dataclass(frozen=True, slots=True)
class Search:
    """How a database searches.

    `article` is the condition that an article `a` matches a text, which `match_articles` returns
    for words and phrases joined by All and Either; `known_article` is the same for articles that
    are not looked up by it. `stories` selects the numbers of the stories
    that match a text of `match_stories`. `tsvectors` says that the store makes the index itself.
    `drop_text` empties the texts of articles, also in the index. `place_in` is the function that
    returns where one text is in another, or 0. `not_indexed` counts what the
    index lacks. `start` and `end` are queries to be made before and
    after a search.
    """

    article: str
    known_article: str
    stories: str
    match_articles: Callable[[Node, str], str]
    match_stories: Callable[[Node, str], str]
    tsvectors: bool = False
    drop_text: str = "text = ''"
    place_in: str = "instr"
    not_indexed: Mapping[str, str] = field(default_factory=dict)
    start: str = "SELECT 1"
    end: str = "SELECT 1"


def _fts5(columns: dict[str, str]) -> Callable[[Node, str], str]:
    def match(node: Node, where: str) -> str:
        return columns[where] + _joined(
            node, "OR", "AND", lambda form, prefix: f'"{" ".join(form)}"' + (" *" if prefix else "")
        )

    return match


def _tsquery(fields: dict[str, tuple[str, str]]) -> Callable[[Node, str], str]:
    """Return what writes a tsquery, given the mark before words and the weights after them."""

    def match(node: Node, where: str) -> str:
        mark, weights = fields[where]

        def phrase(form: tuple[str, ...], prefix: bool) -> str:
            *first, last = (f"'{mark}{word}'" for word in form)
            parts = [f"{word}:{weights}" for word in first]
            return "(" + " <-> ".join([*parts, f"{last}:{'*' * prefix}{weights}"]) + ")"

        return _joined(node, "|", "&", phrase)

    return match


def _joined(
    node: Node, either: str, both: str, phrase: Callable[[tuple[str, ...], bool], str]
) -> str:
    """Return a tree of words as text: a word with all its forms in parentheses."""
    if isinstance(node, Term):
        parts, operator = [phrase(form, node.prefix) for form in node.forms], either
    elif isinstance(node, All | Either):
        operator = both if isinstance(node, All) else either
        parts = [_joined(part, either, both, phrase) for part in node.parts]
    else:
        raise TypeError(f"{node}: an index finds words only")
    return "(" + f" {operator} ".join(parts) + ")"


_IN_SQLITE = "a.sequence IN (SELECT rowid FROM article_search WHERE article_search MATCH ?)"
_ARTICLES, _STORIES = "articles that search does not find", "stories that search does not find"
SQLITE = Search(
    article=_IN_SQLITE,
    known_article=f"+{_IN_SQLITE}",  # the plus keeps SQLite from going through all that match
    stories="SELECT rowid FROM story_search WHERE story_search MATCH ?",
    match_articles=_fts5({HEADLINE: "{title} : ", EVERYWHERE: ""}),
    match_stories=_fts5({DESCRIPTION: "{title summary} : ", EVERYWHERE: ""}),
    not_indexed={
        _ARTICLES: "SELECT count(*) FROM articles "
        "WHERE sequence NOT IN (SELECT id FROM article_search_docsize)",
        _STORIES: "SELECT count(*) FROM stories "
        "WHERE id NOT IN (SELECT id FROM story_search_docsize)",
    },
)
POSTGRES = Search(
    article="a.words @@ CAST(? AS tsquery)",
    known_article="a.words @@ CAST(? AS tsquery)",
    stories="SELECT id FROM stories WHERE words @@ CAST(? AS tsquery)",
    match_articles=_tsquery({HEADLINE: (TITLE_MARK, ""), EVERYWHERE: ("", "")}),
    match_stories=_tsquery({DESCRIPTION: ("", "AB"), EVERYWHERE: ("", "")}),
    tsvectors=True,
    place_in="strpos",
    drop_text="text = '', words = ts_filter(words, '{a}')",
    not_indexed={
        _ARTICLES: "SELECT count(*) FROM articles WHERE words IS NULL",
        _STORIES: "SELECT count(*) FROM stories WHERE words IS NULL",
    },
    # The planner does not know that a scan of the table would unpack every tsvector.
    start="SELECT set_config('enable_seqscan', 'off', true)",
    end="SELECT set_config('enable_seqscan', 'on', true)",
)
