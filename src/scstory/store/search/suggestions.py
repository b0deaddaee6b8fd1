"""Suggestions for a search that finds nothing: the words of the database that are spelled alike."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice, product
from typing import NamedTuple

from scstory.store.database import Readable, chunks, placeholders
from scstory.store.search.conditions import Conditions, outlet_names, outlets
from scstory.store.search.finding import find_stories
from scstory.store.search.query import Outlet, Term, leaves, parse
from scstory.text.search_words import search_words, word_forms, words_with_places
from scstory.text.spelling import spelling_distance, starts_misspelled

SHORT_WORD, LONG_WORD = 3, 7
"""From so many letters on, one of them may be wrong, or two of them."""
CANDIDATES, ATTEMPTS = 4, 8
"""The most words tried in place of one, and the most searches tried."""
COMMONER = 5
"""How many times as many articles must have a word for which another one is replaced."""
MOST = 40
"""The most words of equal distance that are compared."""
_START = 2
"""How many letters words have in common that are compared in full."""
_LAST = "\U0010ffff"


class Advice(NamedTuple):
    """What to tell a reader whose search finds nothing.

    `suggestion` is a search with other spellings that finds something, and `reason` says which
    words are in no article.
    """

    suggestion: str | None = None
    reason: str | None = None


class _Typed(NamedTuple):
    """A word as it was typed, where it starts and ends, and what may have been meant."""

    start: int
    end: int
    meant: list[str]


def advise(
    db: Readable, text: str, since: datetime | None = None, until: datetime | None = None
) -> Advice:
    """Return what may help where a search finds nothing."""
    text = text.strip()
    places = list(_typed(text))
    unknown = [(start, end) for start, end in places if not _is_known(db, text[start:end])]
    unknown_outlets = list(_outlets_meant(db, text))
    reasons = [f"No article has: {', '.join(text[s:e] for s, e in unknown)}."] if unknown else []
    reasons += [f"No outlet has in its name: {text[s:e]}." for s, e, _ in unknown_outlets]
    for replacements in islice(_corrections(db, text, places, unknown, unknown_outlets), ATTEMPTS):
        corrected = _replaced(text, replacements)
        if find_stories(db, corrected, since, until):
            return Advice(corrected, " ".join(reasons) or None)
    return Advice(None, " ".join(reasons) or None)


def _corrections(
    db: Readable,
    text: str,
    places: Sequence[tuple[int, int]],
    unknown: Sequence[tuple[int, int]],
    unknown_outlets: Sequence[_Typed],
) -> Iterator[Sequence[tuple[_Typed, str]]]:
    """Yield what could be replaced by what, the most likely first."""
    if unknown or unknown_outlets:
        wrong = [*(_meant(db, text, *place) for place in unknown), *unknown_outlets]
        for meant in product(*(typed.meant for typed in wrong)):
            yield list(zip(wrong, meant, strict=True))
    elif len(places) > 1 and all(isinstance(leaf, Term) for leaf in leaves(parse(text))):
        # Each word exists, but a rare one may be a common one with an error.
        for start, end in places:
            typed = _meant(db, text, start, end)
            often = COMMONER * _articles_with(db, word_forms(*search_words(text[start:end])))
            for other in typed.meant:
                if _articles_with(db, word_forms(search_words(other)[0])) >= often:
                    yield [(typed, other)]


def words_like(db: Readable, word: str) -> list[str]:
    """Return the words of the database that are spelled like one, the most likely first."""
    limit = (len(word) >= SHORT_WORD) + (len(word) >= LONG_WORD)
    if not limit or not word.isalpha():
        return []
    start = word[:_START]
    found = {
        row[0]
        for row in db.rows(
            "SELECT word FROM words WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
            (start, start + _LAST, len(word) - limit, len(word) + limit),
        )
    }
    found |= _known(db, list(starts_misspelled(word, _START)))
    near: dict[int, list[str]] = {}
    for other in found - {word}:
        near.setdefault(spelling_distance(word, other, limit), []).append(other)
    likely: list[str] = []
    for distance in range(1, limit + 1):
        if len(likely) < CANDIDATES:
            number = {w: _articles_with(db, (w,)) for w in sorted(near.get(distance, []))[:MOST]}
            likely += sorted((w for w, n in number.items() if n), key=lambda w: -number[w])
    return likely[:CANDIDATES]


def _typed(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the words of a search are that must be found."""
    for leaf in leaves(parse(text), negated=False):
        if isinstance(leaf, Term) and not leaf.prefix:
            first, last = leaf.span
            if text[first:last].isupper() and len(leaf.forms) > 1:
                continue  # other acronyms are not meant
            for _, start, end in words_with_places(text[first:last]):
                yield first + start, first + end
                if leaf.word:
                    break  # what follows is no word of its own, such as a possessive s


def _is_known(db: Readable, typed: str) -> bool:
    (word,) = search_words(typed)
    return len(word) < SHORT_WORD or _articles_with(db, word_forms(word)) > 0


def _meant(db: Readable, text: str, start: int, end: int) -> _Typed:
    written = text[start:end]
    (word,) = search_words(written)
    meant = words_like(db, word)
    parts = [
        (word[:place], word[place:]) for place in range(SHORT_WORD, len(word) - SHORT_WORD + 1)
    ]
    known = _known(db, [part for pair in parts for part in pair])
    quote = '"' if text[start - 1 : start] != '"' else ""
    meant += [f"{quote}{one} {other}{quote}" for one, other in parts if {one, other} <= known]
    return _Typed(start, end, [_written_like(written, other) for other in meant])


def _written_like(written: str, word: str) -> str:
    """Return a word with capitals where a reader wrote some."""
    if len(written) > 1 and written.isupper():
        return word.upper()
    return word.capitalize() if written[0].isupper() else word


def _outlets_meant(db: Readable, text: str) -> Iterator[_Typed]:
    """Yield the outlets of a search that do not exist."""
    for leaf in leaves(parse(text), negated=False):
        if isinstance(leaf, Outlet):
            known, typed = outlets(db), " ".join(leaf.words)
            if not outlet_names(leaf, known):
                limit = max(1, min(3, len(typed) // 3))
                near = []
                for name in known:
                    words = search_words(name)
                    distance = min(
                        spelling_distance(typed, other, limit)
                        for other in (" ".join(words), *words)
                    )
                    if distance <= limit:
                        near.append((distance, name))
                quoted = text[leaf.span[0] - 1] == '"'
                yield _Typed(*leaf.span, [n if quoted else f'"{n}"' for _, n in sorted(near)])


def _known(db: Readable, words: Sequence[str]) -> set[str]:
    """Return those of some words that the database has."""
    return {
        row[0]
        for some in chunks([*dict.fromkeys(words)])
        for row in db.rows(f"SELECT word FROM words WHERE word IN ({placeholders(some)})", some)
    }


def _articles_with(db: Readable, forms: Sequence[str]) -> int:
    return Conditions(db).articles_with(forms)


def _replaced(text: str, replacements: Sequence[tuple[_Typed, str]]) -> str:
    for typed, meant in sorted(replacements, key=lambda pair: -pair[0].start):
        text = text[: typed.start] + meant + text[typed.end :]
    return text
