"""Full-text search as SQLite's FTS5 and as PostgreSQL's tsvector have it: one tree, two texts.

Both find the words of `scstory.text.search_words`, without stemming. All else about a search is
the same SQL for both.
"""

from collections.abc import Callable
from dataclasses import dataclass

from scstory.store.search.query import All, Either, Node, Term

HEADLINE, DESCRIPTION, EVERYWHERE = "headline", "description", "everywhere"
"""Where a word is looked for: of an article the title, or title and text; of a story the title,
title and summary, or also its keywords."""


@dataclass(frozen=True, slots=True)
class Search:
    """How a database searches.

    `articles` and `stories` are queries that select the sequences of the articles, and the numbers
    of the stories, that match the text which `match_articles` and `match_stories` return for words
    and phrases joined by All and Either. `tsvectors` says that the store makes the index itself.
    `drop_text` empties the texts of articles, also in the index. `place_in` is the function that
    returns where one text is in another, or 0.
    """

    articles: str
    stories: str
    match_articles: Callable[[Node, str], str]
    match_stories: Callable[[Node, str], str]
    tsvectors: bool = False
    drop_text: str = "text = ''"
    place_in: str = "instr"


def _fts5(columns: dict[str, str]) -> Callable[[Node, str], str]:
    def match(node: Node, where: str) -> str:
        return columns[where] + _joined(
            node, "OR", "AND", lambda form, prefix: f'"{" ".join(form)}"' + (" *" if prefix else "")
        )

    return match


def _tsquery(weights: dict[str, str]) -> Callable[[Node, str], str]:
    def match(node: Node, where: str) -> str:
        def phrase(form: tuple[str, ...], prefix: bool) -> str:
            *first, last = (f"'{word}':{weights[where]}" for word in form)
            return "(" + " <-> ".join([*first, last.replace(":", ":*") if prefix else last]) + ")"

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


SQLITE = Search(
    articles="SELECT rowid FROM article_search WHERE article_search MATCH ?",
    stories="SELECT rowid FROM story_search WHERE story_search MATCH ?",
    match_articles=_fts5({HEADLINE: "{title} : ", EVERYWHERE: ""}),
    match_stories=_fts5(
        {HEADLINE: "{title} : ", DESCRIPTION: "{title summary} : ", EVERYWHERE: ""}
    ),
)
POSTGRES = Search(
    articles="SELECT sequence FROM articles WHERE words @@ CAST(? AS tsquery)",
    stories="SELECT id FROM stories WHERE words @@ CAST(? AS tsquery)",
    match_articles=_tsquery({HEADLINE: "A", EVERYWHERE: ""}),
    match_stories=_tsquery({HEADLINE: "A", DESCRIPTION: "AB", EVERYWHERE: ""}),
    tsvectors=True,
    place_in="strpos",
    drop_text="text = '', words = ts_filter(words, '{a}')",
)
