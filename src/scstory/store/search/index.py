"""The words of articles and stories, indexed in the transaction that writes them.

On SQLite triggers index the texts. PostgreSQL's own parser depends on the locale of the database,
so its tsvectors are made here. The table `words` holds each word once, for suggestions.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import chain

from scstory.store.database import Database, chunks, placeholders
from scstory.store.search.dialect import TITLE_MARK
from scstory.text.search_words import search_words

FIRST_INDEXED = 10
"""The schema with which the words in the index on PostgreSQL last changed."""
MAX_TEXT = 100_000
"""The most characters of a text that are indexed on PostgreSQL: an entry holds a megabyte."""
MAX_LETTERS = 200
"""The longest word that PostgreSQL indexes."""
SUGGESTED_LETTERS = range(3, 41)
"""How long a word is that may be suggested."""
_BATCH = 500


def index_articles(db: Database, articles: Sequence[tuple[int, str, str]]) -> None:
    """Index new articles: their sequences, titles and texts."""
    found = [
        (number, search_words(title), search_words(text[:MAX_TEXT]))
        for number, title, text in articles
    ]
    _add_words(db, chain.from_iterable(chain(title, text) for _, title, text in found))
    if db.search.tsvectors:
        db.run_many(
            "UPDATE articles SET words = CAST(? AS tsvector) WHERE sequence = ?",
            [
                (f"{tsvector([TITLE_MARK + word for word in title])} {tsvector(title, text)}", n)
                for n, title, text in found
            ],
        )


def index_stories(db: Database, stories: Sequence[int]) -> None:
    """Index stories that are new or have changed."""
    if not db.search.tsvectors:
        return
    for some in chunks(stories):
        rows = db.rows(
            f"SELECT id, title, summary, keywords FROM stories WHERE id IN ({placeholders(some)})",
            some,
        )
        db.run_many(
            "UPDATE stories SET words = CAST(? AS tsvector) WHERE id = ?",
            [
                (tsvector(*map(search_words, [title, _sentences(summary), _words(keywords)])), id_)
                for id_, title, summary, keywords in rows
            ],
        )


def index_all(db: Database) -> None:
    """Index what an earlier version stored."""
    # On SQLite the migration itself does it.
    query = (
        "SELECT sequence, title, text FROM articles WHERE sequence > ? "
        f"ORDER BY sequence LIMIT {_BATCH}"
    )
    last = -1
    while rows := db.rows(query, (last,)):
        index_articles(db, [(number, title, text) for number, title, text in rows])
        last = rows[-1][0]
    index_stories(db, [row[0] for row in db.rows("SELECT id FROM stories ORDER BY id")])


def tsvector(*fields: Sequence[str]) -> str:
    """Return the words of some fields as a tsvector; the first field has the weight A, and so on.

    There is a gap between fields, so that no phrase extends over two of them.

    >>> tsvector(["ferry", "strike"], ["ferry"])
    "'ferry':1A,4B 'strike':2A"
    """
    places: dict[str, list[str]] = {}
    start = 1
    for weight, words in zip("ABCD", fields, strict=False):
        for place, word in enumerate(words, start):
            if len(word) <= MAX_LETTERS:
                places.setdefault(word, []).append(f"{place}{weight}")
        start += len(words) + 1
    return " ".join(f"'{word}':{','.join(found)}" for word, found in places.items())


def _sentences(summary: str) -> str:
    """Return the text of a stored summary."""
    return " ".join(text for text, *_ in json.loads(summary))


def _words(keywords: str) -> str:
    return " ".join(json.loads(keywords))


def _add_words(db: Database, words: Iterable[str]) -> None:
    """Store the words that are not known yet."""
    new = [w for w in dict.fromkeys(words) if len(w) in SUGGESTED_LETTERS and w.isalpha()]
    for some in chunks(new):
        db.run(
            f"INSERT INTO words (word) VALUES {', '.join(['(?)'] * len(some))} "
            "ON CONFLICT DO NOTHING",
            some,
        )
