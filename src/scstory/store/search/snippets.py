"""Snippets: the passage of a text in which a search is answered, with the words found marked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scstory.store.search.query import Term
from scstory.text.search_words import words_with_places

SNIPPET_WORDS = 30
"""How many words a snippet has."""
LEAD_WORDS = 6
"""How many words stand before the first hit, or twice as many if a sentence starts with them."""
_ENDS = re.compile(r"[.!?…][\"'”’)]*\s|\n")
_MAX_TEXT = 100_000

_Words = Sequence[tuple[str, int, int]]
Snippet = list[tuple[str, bool]]
"""Pieces of a text, and which of them are hits."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A term that is found from one word of a text to another."""

    term: int
    first: int
    last: int


def best_snippet(texts: Sequence[str], terms: Sequence[Term]) -> Snippet:
    """Return the snippet of the text with most of the terms; of equal ones the first."""
    return _snippet(*max((_found(text, terms) for text in texts), key=_number_of_terms))


def snippet_of(text: str, terms: Sequence[Term]) -> Snippet:
    """Return the passage with most of the terms, or nothing if none is in the text.

    >>> from scstory.store.search.query import parse
    >>> snippet_of("The ferries are back.", [parse("ferry")])
    [('The ', False), ('ferries', True), (' are back.', False)]
    """
    return _snippet(*_found(text, terms))


def _snippet(text: str, words: _Words, hits: Sequence[_Hit]) -> Snippet:
    if not hits:
        return []
    snippet: Snippet = []
    end = 0
    for first, last in _passages(text, words, hits):
        start = max(words[first][1] if first else 0, end)
        if start > end:
            snippet.append(("…", False))
        end = words[last][2] if last < len(words) - 1 else len(text)
        marked = [(words[hit.first][1], words[hit.last][2]) for hit in hits]
        snippet += _pieces(text, start, end, [place for place in marked if start <= place[0] < end])
    return [*snippet, *([("…", False)] if end < len(text) else [])]


def _found(text: str, terms: Sequence[Term]) -> tuple[str, _Words, list[_Hit]]:
    """Return a text, its words with their places, and where terms are among them."""
    text = text[:_MAX_TEXT]
    words = list(words_with_places(text))
    hits = [
        hit
        for hit in _hits([word for word, _, _ in words], terms)
        if not terms[hit.term].capitals or text[words[hit.first][1] : words[hit.last][2]].isupper()
    ]
    return text, words, hits


def _number_of_terms(found: tuple[str, _Words, list[_Hit]]) -> int:
    return len({hit.term for hit in found[2]})


def _passages(text: str, words: _Words, hits: Sequence[_Hit]) -> list[tuple[int, int]]:
    """Return the first and last words of the passage to show, or of two shorter ones."""
    best, within = _best(hits, SNIPPET_WORDS - 2 * LEAD_WORDS)
    chosen, length = [best], SNIPPET_WORDS
    if missing := [hit for hit in hits if hit.term not in within]:
        length = SNIPPET_WORDS // 2
        best, within = _best(hits, length - LEAD_WORDS)
        missing = [hit for hit in hits if hit.term not in within] or missing
        chosen = sorted([best, _best(missing, length - LEAD_WORDS)[0]], key=lambda hit: hit.first)
    passages: list[tuple[int, int]] = []
    for hit in chosen:
        first = _from_start_of_sentence(text, words, max(0, hit.first - LEAD_WORDS))
        last = min(max(hit.last, first + length - 1), len(words) - 1)
        if passages and first <= passages[-1][1] + 1:
            before = passages.pop()
            first, last = before[0], max(before[1], last)
        passages.append((first, last))
    return passages


def _best(hits: Sequence[_Hit], length: int) -> tuple[_Hit, set[int]]:
    """Return the hit after which most terms are found, and these terms; of equal ones the first."""
    within = [
        {h.term for h in hits if hit.first <= h.first and h.last < hit.first + length}
        for hit in hits
    ]
    best = max(range(len(hits)), key=lambda place: len(within[place]))
    return hits[best], within[best]


def _hits(words: Sequence[str], terms: Sequence[Term]) -> list[_Hit]:
    """Return where terms are found, in the order of the text."""
    starts: dict[str, list[tuple[int, tuple[str, ...], bool]]] = {}
    prefixes: list[tuple[int, tuple[str, ...]]] = []
    for number, term in enumerate(terms):
        for form in term.forms:
            if term.prefix and len(form) == 1:
                prefixes.append((number, form))
            else:
                starts.setdefault(form[0], []).append((number, form, term.prefix))
    found = []
    for place, word in enumerate(words):
        for number, form, prefix in starts.get(word, ()):
            *whole, end = words[place : place + len(form)]
            same = end.startswith(form[-1]) if prefix else end == form[-1]
            if len(whole) + 1 == len(form) and tuple(whole) == form[:-1] and same:
                found.append(_Hit(number, place, place + len(form) - 1))
        found += [_Hit(n, place, place) for n, form in prefixes if word.startswith(form[0])]
    return found


def _from_start_of_sentence(text: str, words: _Words, first: int) -> int:
    """Return the word that a sentence starts with, if one starts shortly before."""
    for place in range(first, max(-1, first - LEAD_WORDS), -1):
        before = text[words[place - 1][2] : words[place][1]] if place else "\n"
        if _ENDS.search(before):
            return place
    return first


def _pieces(text: str, start: int, end: int, marked: Sequence[tuple[int, int]]) -> Snippet:
    """Return a passage in pieces; marked ones that overlap are one."""
    found: Snippet = []
    for first, last in sorted(marked):
        last = min(last, end)
        if first < start:
            if last > start and found:
                piece, _ = found.pop()
                found.append((piece + text[start:last], True))
                start = last
            continue
        if first > start:
            found.append((text[start:first], False))
        found.append((text[first:last], True))
        start = last
    if start < end:
        found.append((text[start:end], False))
    return found
