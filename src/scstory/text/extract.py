"""What a description takes from an article: its headline, sentences to quote, perhaps keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scstory.text.cues import cues_of
from scstory.text.headlines import faults, plain_headline
from scstory.text.quotable import is_cut, quotable
from scstory.text.references import Need, references
from scstory.text.wording import Wording, wording_of
from scstory.types import Article

OPENING = 15
"""Sentences of an article that can be quoted, without its title."""
CUT = 0.3
"""How much it counts against a headline that it ends within a word."""
OPINION = 0.5
"""How much it counts against a headline that its article stands among opinions."""


class Quotable(NamedTuple):
    """A sentence that can be quoted."""

    place: int
    """Its place among the sentences of the article."""
    text: str
    reports: bool
    """Whether it reports; of a language without cues, each may."""
    needs: frozenset[Need]
    """What it needs to be said before it."""


class Extract(NamedTuple):
    """What a description takes from an article; it depends on the article alone."""

    wording: Wording
    headline: str
    """The title without the labels around it."""
    fault: float
    """What speaks against the headline, and the place of the article; 0 is a plain one."""
    quotes: tuple[Quotable, ...]


def extract_of(article: Article, sentences: Sequence[str], language: str) -> Extract:
    """Return the extract of an article of which these are the sentences, its title included."""
    wording = wording_of(article, sentences, language)
    needs = references(sentences[: OPENING + 1], wording.names, language)
    reports = cues_of(language).reporting
    headline = plain_headline(article.title, language)
    titles = int(bool(article.title.strip()))
    quotes = tuple(
        Quotable(place, text, bool(reports.search(text)), needs[place])
        for place, text in _quotes(sentences, titles, headline, language)
    )
    fault = _fault(article, language) + CUT * _is_cut(headline, sentences[titles:])
    return Extract(wording, headline, fault, quotes)


def _is_cut(headline: str, body: Sequence[str]) -> bool:
    """Say whether a headline ends within a word, which the text below it has in full."""
    last = headline.rpartition(" ")[2]
    if not last.isalpha() or last.isupper():
        return False
    text = "\n".join(body).lower()
    starts, whole = (re.compile(rf"\b{last.lower()}{end}") for end in (r"\w", r"\b"))
    return bool(starts.search(text)) and not whole.search(text)


def _fault(article: Article, language: str) -> float:
    opinion = article.url is not None and bool(cues_of(language).opinion_pages.search(article.url))
    return faults(article.title, language) + OPINION * opinion


def _quotes(
    sentences: Sequence[str], titles: int, headline: str, language: str
) -> Iterator[tuple[int, str]]:
    """Yield the places of the sentences that can be quoted, and what is quoted."""
    several = [*sentences[: OPENING + 2], ""]
    cut = False
    for place in range(titles, min(len(sentences), OPENING + 1)):
        rest, cut = cut, is_cut(several[place], several[place + 1], language)
        text = "" if rest or cut else quotable(several[place], language)
        if text and not (titles and headline in text):
            yield place, text
