"""Full-text search: the one thing that each database does in its own way."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

PREFIX_LETTERS = 3
"""The last word also matches longer words that begin with it if it has so many letters."""
MAX_WORDS = 20
"""The largest number of words in a query."""


@dataclass(frozen=True, slots=True)
class Search:
    """How a database searches.

    `match` returns the query for what a reader typed, or "" if there is no word in it. `found`
    selects, for a query, the stories with articles that contain all its words, each with the score
    of its best article and the number of its articles. `snippets` selects, for a query and some
    stories, pieces of text, the best first; hits stand between the characters 1 and 2.
    """

    match: Callable[[str], str]
    found: str
    snippets: str


def match_of(text: str) -> str:
    """Return what a reader typed as an FTS5 query: all words, of which the last may be unfinished.

    >>> match_of('ferry "strike')
    '"ferry" "strike"*'
    """
    words = _words(text)
    return " ".join(f'"{word}"' for word in words) + ("*" if _may_be_unfinished(words) else "")


def tsquery_of(text: str) -> str:
    """Return what a reader typed as a PostgreSQL tsquery.

    >>> tsquery_of("café Überfall's")
    "'cafe' & 'Uberfall' & 's'"
    >>> tsquery_of("ferry strike")
    "'ferry' & 'strike':*"
    """
    words = _words(re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text)))
    return " & ".join(f"'{word}'" for word in words) + (":*" if _may_be_unfinished(words) else "")


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text).split()[:MAX_WORDS]


def _may_be_unfinished(words: list[str]) -> bool:
    return bool(words) and len(words[-1]) >= PREFIX_LETTERS


SQLITE = Search(
    match_of,
    found="SELECT d.story, -min(f.score), count(*) FROM ("
    "SELECT rowid, bm25(article_search, 3.0, 1.0) AS score FROM article_search "
    "WHERE article_search MATCH ? ORDER BY score LIMIT 5000) f "
    "JOIN articles a ON a.sequence = f.rowid JOIN assignments d ON d.article = a.id "
    "GROUP BY d.story",
    snippets="SELECT d.story, f.snippet FROM (SELECT rowid, rank AS score, "
    "snippet(article_search, 1, char(1), char(2), '…', 28) AS snippet "
    "FROM article_search WHERE article_search MATCH ? ORDER BY rank LIMIT 1000) f "
    "JOIN articles a ON a.sequence = f.rowid JOIN assignments d ON d.article = a.id "
    "WHERE d.story IN ({stories}) ORDER BY f.score",
)

POSTGRES = Search(
    tsquery_of,
    # Weights are given for D, C, B, A: a word counts three times as much in the title.
    found="SELECT d.story, max(f.score), count(*) FROM ("
    "SELECT id, CAST(ts_rank('{0, 0, 0.3, 0.9}', words, query, 1) AS double precision) AS score "
    "FROM articles, to_tsquery('scstory', ?) query WHERE words @@ query "
    "ORDER BY score DESC, sequence LIMIT 5000) f JOIN assignments d ON d.article = f.id "
    "GROUP BY d.story",
    snippets="SELECT story, ts_headline('scstory', text, query, "
    "'StartSel=' || chr(1) || ', StopSel=' || chr(2) || "
    "', MaxFragments=1, MaxWords=28, MinWords=14') FROM ("
    "SELECT DISTINCT ON (d.story) d.story, a.text, query "
    "FROM to_tsquery('scstory', ?) query JOIN articles a ON a.words @@ query "
    "JOIN assignments d ON d.article = a.id WHERE d.story IN ({stories}) "
    "ORDER BY d.story, ts_rank('{0, 0, 0.3, 0.9}', a.words, query, 1) DESC, a.sequence) best",
)
