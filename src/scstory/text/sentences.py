"""Sentence splitting: the title is sentence 0, the body follows."""

import sentencex

from scstory.text.language import language_of
from scstory.types import Article

MAX_SENTENCES = 50
"""L of the paper: enough for most articles; news puts first what matters."""

MAX_BODY = 100_000
"""Characters of a body that are looked at: far more than MAX_SENTENCES sentences fill."""


WITHOUT_MARKS = frozenset({"th", "lo"})
"""Languages that divide sentences and clauses alike by spaces."""
CLAUSE = 80
"""Characters from which on a clause of such a language ends at a space."""


def split_article(article: Article, *, max_sentences: int = MAX_SENTENCES) -> tuple[str, ...]:
    """Return the title and the first sentences of the body, at most `max_sentences` in all.

    >>> from datetime import datetime, UTC
    >>> split_article(Article("1", datetime(2026, 3, 3, tzinfo=UTC), "Alder rises",
    ...     "The river rose 1.5 metres. Dr. Lanning said: \\"Leave now.\\"\\n\\nRain goes on."))
    ('Alder rises', 'The river rose 1.5 metres.', 'Dr. Lanning said: "Leave now."', 'Rain goes on.')
    """
    language = language_of(article)
    body = _whole(article.text[:MAX_BODY])
    pieces = [" ".join(piece.split()) for piece in sentencex.segment(language, body)]
    if language in WITHOUT_MARKS:
        pieces = [clause for piece in pieces for clause in _clauses(piece)]
    sentences = [" ".join(_whole(article.title).split()), *pieces]
    return tuple(sentence for sentence in sentences if sentence)[:max_sentences]


def _clauses(text: str) -> list[str]:
    """Return a text that has no marks between sentences, cut at spaces.

    >>> [len(clause) for clause in _clauses(" ".join(["ประชาชนอพยพ"] * 30))]
    [83, 83, 83, 83, 23]
    """
    clauses: list[str] = []
    for part in text.split(" "):
        if clauses and len(clauses[-1]) < CLAUSE:
            clauses[-1] += f" {part}"
        else:
            clauses.append(part)
    return clauses


def _whole(text: str) -> str:
    """Return text with a question mark for halves of characters, which no encoder takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
