"""The language of searches: from what a reader types to a tree of conditions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from scstory.errors import BadQuery
from scstory.text.language import detected
from scstory.text.languages import profile_of
from scstory.text.search_words import search_words, word_forms

MAX_CHARACTERS = 200
"""The longest search."""
MAX_TERMS = 40
"""The most words, phrases and filters of a search."""
MAX_DEPTH = 20
"""The most opening parentheses of a search."""
MIN_PREFIX = 2
"""The fewest letters before a `*`."""
MIN_UNSPACED = 4
"""Characters from which on Chinese, Japanese or Thai without spaces is taken for several words."""
MAX_ACRONYM = 4
"""The most letters of a word in capitals that is taken for an acronym, which has no other forms."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<paren>[()])
      | (?P<minus>-*)(?:(?P<field>outlet|source|since|until):)?
        (?: "(?P<quoted>[^"]*)(?P<closed>"?)(?P<star>\*?) | (?P<bare>[^\s"()]*) )
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = str.maketrans("“”„‟", '""""')
_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_CAPITALS = frozenset(["aids", "ice", "it", "us", "who"])
"""Acronyms that are words in small letters: if a search has them in capitals, texts must, too."""
_COMMON_WORDS = "a an and are as at be but by for from in is it of on or that the to was were with"
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that need not be found where a search has others, unless they are quoted."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase: it is found where one of its `forms` is, each a sequence of words.

    With `prefix` the last word may go on. With `capitals` it is an acronym, which a text has with
    one of these spellings. `word` is what was typed, if it is one plain word, and
    `span` its place in the text of the search. `last` says that the search ends with it, so that
    it may be unfinished.
    """

    forms: tuple[tuple[str, ...], ...]
    prefix: bool = False
    capitals: tuple[str, ...] = ()
    word: str | None = None
    span: tuple[int, int] = (0, 0)
    last: bool = False

    @property
    def is_common(self) -> bool:
        """Whether it is one of the most common words, not quoted and not in capitals."""
        return self.word in _COMMON and self.forms == ((self.word,),)


@dataclass(frozen=True, slots=True)
class Outlet:
    """An article is of an outlet whose name has these words; `span` is their place."""

    words: tuple[str, ...]
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Published:
    """An article was published at a time or later, or before a time."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part holds."""

    parts: tuple["Node", ...]


Node = Term | Outlet | Published | Not | All | Either


@lru_cache(256)
def parse(text: str) -> Node | None:
    """Return the conditions of a search, or None for an empty one.

    >>> parse('"ferry strike"').forms
    (('ferry', 'strike'),)
    >>> parse("ferry -strike").parts[1].part.word
    'strike'
    """
    text = text.strip()
    if not text:
        return None
    for number, limit, what in (
        (len(text), MAX_CHARACTERS, "characters"),
        (text.count("("), MAX_DEPTH, "parentheses"),
    ):
        if number > limit:
            raise BadQuery(f"search of {number} {what}: it can have at most {limit}; shorten it")
    node = _Parser(text).whole()
    if node is None:
        typed = " ".join(text.split())
        raise BadQuery(f"search for {typed}: has no word to search for; write a word beside it")
    if (number := sum(1 for _ in leaves(node))) > MAX_TERMS:
        raise BadQuery(f"search of {number} words: it can have at most {MAX_TERMS}; shorten it")
    return node


def leaves(node: Node | None, *, negated: bool = True) -> Iterator[Term | Outlet | Published]:
    """Yield the words, phrases and filters of a search, those to be left out only if asked."""
    if isinstance(node, All | Either):
        for part in node.parts:
            yield from leaves(part, negated=negated)
    elif isinstance(node, Not):
        if negated:
            yield from leaves(node.part)
    elif node is not None:
        yield node


def terms(node: Node | None) -> list[Term]:
    """Return the words and phrases that are searched for, without those to be left out."""
    return [leaf for leaf in leaves(node, negated=False) if isinstance(leaf, Term)]


def unfinished(node: Node | None) -> Node | None:
    """Return the search with its last word as the beginning of a word, or None if it has none."""
    if isinstance(node, Term):
        open_end = node.last and not node.prefix and not node.capitals
        return replace(node, prefix=True) if open_end else None
    if isinstance(node, All | Either) and (last := unfinished(node.parts[-1])):
        return replace(node, parts=(*node.parts[:-1], last))
    return None


class _Parser:
    """A recursive descent over the tokens; what is missing at the end is made up."""

    def __init__(self, text: str) -> None:
        self._text = text.translate(_QUOTES)
        self._tokens = [m for m in _TOKEN.finditer(self._text) if m[0].strip()]
        self._next = 0

    def whole(self) -> Node | None:
        """Return the tree; a closing parenthesis too many is skipped."""
        parts = []
        while self._next < len(self._tokens):
            parts.append(self._either())
            self._next += self._at(")")
        return _joined(All, parts)

    def _either(self) -> Node | None:
        parts = [self._all()]
        while self._at("OR"):
            self._next += 1
            parts.append(self._all())
        return _joined(Either, parts)

    def _all(self) -> Node | None:
        parts: list[Node | None] = []
        while self._next < len(self._tokens) and not self._at("OR") and not self._at(")"):
            if self._at("AND"):
                self._next += 1
            else:
                parts.append(self._one())
        kept = [p for p in parts if not (isinstance(p, Term) and p.is_common)]
        return _joined(All, kept if any(isinstance(p, Term) for p in kept) else parts)

    def _one(self) -> Node | None:
        token = self._tokens[self._next]
        self._next += 1
        if token["bare"] == "NOT" and not token["minus"]:
            more = self._next < len(self._tokens) and not self._at("OR") and not self._at(")")
            part = self._one() if more else None
            return None if part is None else Not(part)
        minus = bool(token["minus"])
        if token["paren"] or (
            minus and not token["field"] and token["bare"] == "" and self._at("(")
        ):
            self._next += token["paren"] is None
            part = self._either()
            self._next += self._at(")")
        else:
            part = self._leaf(token)
        return Not(part) if minus and part is not None else part

    def _at(self, word: str) -> bool:
        """Say whether the next token is a parenthesis or an operator."""
        if self._next >= len(self._tokens):
            return False
        return self._tokens[self._next][0].strip() == word

    def _leaf(self, token: re.Match[str]) -> Node | None:
        quoted = token["quoted"] is not None
        group = "quoted" if quoted else "bare"
        value, span = token[group], token.span(group)
        last = token is self._tokens[-1] and not (quoted and token["closed"])
        if token["field"]:
            return _filter(token["field"].lower(), value, span)
        if not quoted:
            return _word(value, span, last=last)
        words = tuple(search_words(value))
        prefix = bool(token["star"])
        return Term((words,), prefix=prefix, span=span, last=last) if words else None


def _joined(kind: type[All] | type[Either], parts: list[Node | None]) -> Node | None:
    found = tuple(part for part in parts if part is not None)
    return kind(found) if len(found) > 1 else found[0] if found else None


def _word(typed: str, span: tuple[int, int], *, last: bool) -> Node | None:
    """Return the term of a word as it was typed; words that are joined by signs are a phrase.

    Words that are joined because their language has no spaces are several terms.
    """
    bare = typed.rstrip("*")
    prefix = bare != typed
    bare = re.sub(r"['’]s$", "", bare) if not prefix else bare
    words = tuple(search_words(bare))
    if not words:
        return None
    if prefix:
        if len(words) == 1 and len(words[0]) < MIN_PREFIX:
            raise BadQuery(f"{typed}: a * needs at least {MIN_PREFIX} letters before it")
        return Term((words,), prefix=True, span=span)
    if _DOTTED.fullmatch(bare.rstrip(".") + "."):  # U.S. and US are the same
        acronym = "".join(words)
        capitals = (acronym.upper(), ".".join(acronym.upper())) if acronym in _CAPITALS else ()
        return Term(((acronym,), words), capitals=capitals, span=span)
    if len(words) > 1:
        pieces = _unspaced_words(typed) if len(words) >= MIN_UNSPACED else []
        return _together(typed, pieces, span, last) or Term((words,), span=span, last=last)
    (word,) = words
    if bare.isupper() and bare.isalpha() and 1 < len(word) <= MAX_ACRONYM:
        capitals = (bare, ".".join(bare)) if word in _CAPITALS else ()
        return Term(((word,), tuple(word)), False, capitals, word, span, last)
    forms = tuple((form,) for form in word_forms(word)) if word not in _COMMON else ((word,),)
    return Term(forms, word=word, span=span, last=last)


def _unspaced_words(typed: str) -> list[str]:
    """Return the words of two characters or more, if the language has no spaces between words."""
    profile = profile_of(detected(typed))
    return [] if profile.spaced else [w for w in profile.words(typed) if len(search_words(w)) > 1]


def _together(typed: str, pieces: list[str], span: tuple[int, int], last: bool) -> Node | None:
    """Return the terms of pieces of what was typed, each with its place; nothing if it is one."""
    terms: list[Term] = []
    end = 0
    for piece in pieces:
        start = typed.index(piece, end)
        end = start + len(piece)
        place = (span[0] + start, span[0] + end)
        terms.append(Term((tuple(search_words(piece)),), span=place))
    if len(terms) < 2:
        return None
    return All((*terms[:-1], replace(terms[-1], last=last and end == len(typed))))


def _filter(field: str, value: str, span: tuple[int, int]) -> Outlet | Published:
    if field in ("outlet", "source"):
        words = tuple(search_words(value))
        if not words:
            raise BadQuery(
                f'{field}: names no outlet; write {field}:Herald or {field}:"Evening Herald"'
            )
        return Outlet(words, span)
    start, end = period(field, value)
    return Published(since=start) if field == "since" else Published(until=end)


def period(field: str, value: str) -> tuple[datetime, datetime]:
    """Return the beginning and the end of a day, month or year."""
    if match := _DATE.fullmatch(value):
        year, month, day = (int(part) if part else None for part in match.groups())
        try:
            start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
            if 1 < start.year < 9998:
                if day:
                    return start, start + timedelta(days=1)
                later = start + timedelta(days=31 if month else 366)
                return start, later.replace(month=later.month if month else 1, day=1)
        except ValueError:
            pass
    raise BadQuery(f"{field}:{' '.join(value[:40].split())}: write a date like {field}:2026-03-03")
