"""What of a text may become a keyword: the names in it, and the things that it speaks of."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from scstory.text.cues import Cues, cues_of
from scstory.text.language import ENGLISH, language_of
from scstory.text.languages import Kind, Profile, profile_of, without_possessive
from scstory.text.quotable import without_dateline
from scstory.types import Article

CACHED_TEXTS = 1 << 12
"""Texts whose wording is cached: a story is described again each time it grows."""
IN_TITLE = 3
"""Uses that one in the title counts as."""
LONGEST_NAME = 5
"""Words of the longest name."""

_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_](?:[\w’'&-]*[^\W_])?[’']?|\S")


class Wording(NamedTuple):
    """What of a text may become a keyword, and how often the text has it."""

    names: Mapping[str, int]
    """Names, without what people are called before their names."""
    words: Mapping[str, int]
    """Words that are written small, and pairs of them; those of the title count more."""
    nouns: frozenset[str]
    """Those of the words, and of the pairs, that are used as nouns, or end with one."""
    perhaps: frozenset[str] = frozenset()
    """Words at the start of sentences that are names if they are in another text."""
    titled: frozenset[str] = frozenset()
    """The words and pairs that the title has."""
    language: str = ENGLISH
    """The language of the text."""


def wording_of(article: Article, sentences: Sequence[str], language: str | None = None) -> Wording:
    """Return the wording of an article of which these are the sentences, its title included.

    `language` is the one that it was read in, if that is known. A word is a name if the text
    capitalises it where it need not, or as the profile of the language says. Titles capitalise more
    than names, so they are not looked at unless there is nothing else. A full stop within a
    sentence belongs to a name.

    >>> from datetime import UTC, datetime
    >>> sentences = "Coins lost", "On Friday the exchange Mt. Gox filed for bankruptcy."
    >>> article = Article("1", datetime(2026, 3, 3, tzinfo=UTC), *sentences)
    >>> found = wording_of(article, sentences)
    >>> list(found.names), sorted(found.nouns)
    (['Mt. Gox'], ['bankruptcy', 'exchange'])
    """
    language = language or language_of(article)
    return _wording(tuple(sentences), language, int(bool(article.title.strip())))


@lru_cache(maxsize=CACHED_TEXTS)
def _wording(sentences: tuple[str, ...], language: str, titles: int) -> Wording:
    profile = profile_of(language)
    if profile.parts is None:
        return _by_capitals(sentences, language, titles)
    return _by_parts(profile, sentences, titles)


def _by_parts(profile: Profile, sentences: Sequence[str], titles: int) -> Wording:
    """Return the wording of sentences in a language whose profile finds names and things."""
    assert profile.parts is not None
    found = profile.parts(profile, sentences)
    names: Counter[str] = Counter()
    words: Counter[str] = Counter()
    titled = set()
    for number, parts in enumerate(found):
        for part in parts:
            if part.kind is Kind.NAME:
                names[part.text] += 1
            elif part.kind is Kind.THING and not profile.is_stop_word(part.text):
                words[part.text] += IN_TITLE if number < titles else 1
            if number < titles:
                titled.add(part.text)
    nouns = frozenset(words)
    return Wording(names, words, nouns, titled=frozenset(titled & nouns), language=profile.language)


def _by_capitals(sentences: Sequence[str], language: str, titles: int) -> Wording:
    cues = cues_of(language)
    found = [
        _TOKEN.findall(without_dateline(sentence)) for sentence in sentences[titles:] or sentences
    ]
    runs = [run for tokens in found for run in _runs(tokens, cues)]
    known = {word for starts, run in runs for word in run[starts:]}
    names: Counter[str] = Counter()
    for starts, run in runs:
        # The first word of a sentence is a name if it is one elsewhere, or if a name follows it.
        kept = run if not starts or run[0] in known or len(run) > 1 else []
        if name := _name(kept, cues):
            names[name] += 1
    perhaps = {run[0] for starts, run in runs if starts and len(run) == 1} - known
    small = [[_small(token, cues) for token in tokens] for tokens in found]
    nouns = frozenset(noun for words in small for noun in _nouns(words, cues))
    words = Counter(word for words in small for word in _counted(words, cues) if word in nouns)
    title = [token.lower() for token in _TOKEN.findall(" ".join(sentences[:titles]))]
    titled = words.keys() & set(_counted(title, cues))
    words.update(dict.fromkeys(sorted(titled), IN_TITLE))
    return Wording(names, words, nouns, frozenset(perhaps), frozenset(titled), language)


def _small(token: str, cues: Cues) -> str:
    """Return a token that may be a word, without the capital of a common one, else nothing."""
    lower = token.lower()
    return lower if token.islower() or lower in cues.common else ""


def _counted(words: Sequence[str], cues: Cues) -> list[str]:
    """Return the words that may be keywords, and the pairs of them."""
    usable = [word if word not in cues.common and word[:1].isalpha() else "" for word in words]
    pairs = [f"{one} {other}" for one, other in pairwise(usable) if one and other]
    return [*filter(None, usable), *pairs]


def _runs(tokens: Sequence[str], cues: Cues) -> list[tuple[bool, list[str]]]:
    """Return the runs of capitalised words, and whether each starts the sentence."""
    runs: list[tuple[bool, list[str]]] = []
    run: list[str] = []
    starts, fresh = True, True
    for token, following in pairwise([*tokens, ""]):
        capital = token[0].isupper() and _is_name_word(token, cues)
        if capital:
            if run and len(token) > 3 and token.isupper() and not run[-1].isupper():
                runs.append((starts, run))  # a headline in capitals, or a dateline, follows
                run = []
            starts = fresh if not run else starts
            plural = token[-2:] in ("s'", "s’") and following[:1].isupper()
            bare = without_possessive(token.rstrip("’'"))
            run.append(token if plural else bare)
            if bare == token or plural:
                fresh = False
                continue
        elif run and token == "." and len(run[-1]) <= 3 and following[:1].isupper():
            run[-1] += "."
            continue
        elif run and token.lower() in cues.linking and following[:1].isupper():
            run.append(token)
            continue
        if run:
            runs.append((starts, run))
            run = []
        fresh = fresh and not token[0].isalnum()
    return [*runs, (starts, run)] if run else runs


def _is_name_word(token: str, cues: Cues) -> bool:
    lower = token.lower().replace("’", "'").rstrip(".")
    return lower.partition("'")[0] not in cues.common and lower not in cues.calendar


def _name(run: list[str], cues: Cues) -> str:
    """Return a run of words as a name, without titles before it; empty if it is none."""
    lower = [word.lower().rstrip(".") for word in run]
    last = max((n for n, word in enumerate(lower[:-1]) if word in cues.honorifics), default=-1)
    start = last + 1
    while 0 < start < len(run) - 1 and lower[start] in cues.second_honorifics:
        start += 1
    if 0 < start < len(run) - 2 and lower[start] in cues.linking:  # Secretary of State
        start += 2
    name = run[start:]
    while name and name[0].lower() in cues.linking:
        name = name[1:]
    if name and name[-1].lower() in cues.honorifics:
        name = name[:-1]
    if not name or len(name) > LONGEST_NAME or len("".join(name)) < 2:
        return ""
    return " ".join(name)


def _nouns(words: Sequence[str], cues: Cues) -> list[str]:
    """Return the words of a sentence that are used as nouns, and the pairs that end with one.

    A noun is the last of at most three words between one after which a noun follows and one that
    is no noun, or stands before a mark. In a language of which these are not known, every word may
    be a noun.
    """
    if not cues.determiners:
        return [word for word in words if word.isalpha() and word not in cues.common]
    found: list[str] = []
    run: list[str] = []
    follows = False
    for word in [*words, "."]:
        mark = not word[:1].isalpha()
        if mark or word in cues.common or word in cues.determiners:
            if run and _is_noun(run[-1], cues) and (mark or (follows and len(run) <= 3)):
                found += [run[-1]] * (run[-1] not in cues.vague)
                found += [" ".join(run[-2:])] * (follows and len(run) in (2, 3))
            run, follows = [], word in cues.determiners
        else:
            run.append(word)
    return found


def _is_noun(word: str, cues: Cues) -> bool:
    return len(word) > 2 and not cues.no_noun.search(word)
