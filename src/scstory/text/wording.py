"""What of a text may become a keyword: the names in it, and the things that it speaks of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from scstory.text.capitals import names_by_capitals, sentence_tokens
from scstory.text.cues import Cues, cues_of
from scstory.text.headlines import plain_headline
from scstory.text.joining import side_by_side
from scstory.text.language import ENGLISH, language_of
from scstory.text.languages import Kind, Profile, profile_of
from scstory.text.linking import links
from scstory.types import Article

IN_TITLE = 3
"""Uses that one in the title counts as."""
SENTENCES = 30
"""Sentences of an article that are looked at: what comes later is seldom what it is about."""


class Wording(NamedTuple):
    """What of a text may become a keyword, and how often the text has it."""

    names: Mapping[str, int]
    """Names, without what people are called before their names."""
    words: Mapping[str, int]
    """Words that are written small, and pairs of them; those of the title count more."""
    nouns: Mapping[str, int]
    """How often words, and pairs that end with one, are used as nouns."""
    perhaps: frozenset[str] = frozenset()
    """Words at the start of sentences that are names if they are in another text."""
    titled: frozenset[str] = frozenset()
    """The names, words and pairs that the title has."""
    opening: frozenset[str] = frozenset()
    """Names that stand only where a sentence starts: their first word may be none of a name."""
    language: str = ENGLISH
    """The language of the text."""
    together: Mapping[tuple[str, ...], int] = MappingProxyType({})
    """Where no spaces divide words: how often words stand side by side that may be one name, and
    how often each of them stands at all. Elsewhere: how often names are linked by a small word."""


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
    (['Mt. Gox'], ['bankruptcy'])
    """
    language = language or language_of(article)
    titles = int(bool(article.title.strip()))
    profile = profile_of(language)
    if profile.parts is None:
        return _by_capitals(article, sentences[titles : titles + SENTENCES], language)
    return _by_parts(profile, sentences, titles)


def _by_parts(profile: Profile, sentences: Sequence[str], titles: int) -> Wording:
    """Return the wording of sentences in a language whose profile finds names and things."""
    assert profile.parts is not None
    names: Counter[str] = Counter()
    words: Counter[str] = Counter()
    titled: set[str] = set()
    found = profile.parts(profile, sentences)
    for number, parts in enumerate(found):
        for part in parts:
            if part.kind is Kind.NAME:
                names[part.text] += 1
            elif part.kind is Kind.THING and not profile.is_stop_word(part.text):
                words[part.text] += 1
        if number < titles:
            titled.update(part.text for part in parts)
    nouns = dict(words)
    words.update(dict.fromkeys(sorted(titled & words.keys()), IN_TITLE))
    named = frozenset(titled & (names.keys() | words.keys()))
    together = {} if profile.spaced else side_by_side(found, sentences)
    return Wording(names, words, nouns, titled=named, language=profile.language, together=together)


def _by_capitals(article: Article, sentences: Sequence[str], language: str) -> Wording:
    """Return the wording of an article by the capitals of the sentences below its title."""
    cues = cues_of(language)
    title = plain_headline(article.title, language)
    body = sentence_tokens(sentences or [title], cues)
    tokens = [token for tokens in sentence_tokens([title], cues, whole=True) for token in tokens]
    small = [[_small(token, cues) for token in tokens] for tokens in (*body, tokens)]
    nouns = Counter(noun for tokens in small for noun in _nouns(tokens, cues))
    names, opening, perhaps = names_by_capitals(body, nouns, cues)
    headline = f" {' '.join(tokens).lower()} "
    named = {name for name in names if f" {name.lower()} " in headline}
    outlet = _bare(article.source or "", cues)
    names = {
        name: uses
        for name, uses in names.items()
        if name in named or not (_is_general(name, cues) or _bare(name, cues) == outlet)
    }

    used = Counter(word for tokens in small[: len(body)] for word in _counted(tokens, cues))
    words = {word: uses for word, uses in used.items() if word in nouns or " " not in word}
    titled = words.keys() & set(_counted([token.lower() for token in tokens], cues))
    words |= dict.fromkeys(sorted(titled), IN_TITLE)
    return Wording(
        names,
        words,
        nouns,
        frozenset(perhaps),
        frozenset(titled | named),
        frozenset(opening & names.keys()),
        language,
        links(sentences, names),
    )


def _is_general(name: str, cues: Cues) -> bool:
    """Say whether a name, of an outlet for example, tells a story only if a headline has it."""
    lower = name.lower()
    *before, last = name.split()
    called = [word for word in before if word.isupper()]
    outlet = any(cues.outlet.fullmatch(part) for part in (*called, last, name))
    return (
        outlet or lower in cues.general_names or " ".join(lower.split()[-2:]) in cues.general_names
    )


def _bare(outlet: str, cues: Cues) -> str:
    """Return the name of an outlet without the words that many have in their names."""
    return " ".join(cues.outlet.sub("", outlet.partition("(")[0].lower()).split())


def _small(token: str, cues: Cues) -> str:
    """Return a token that may be a word, without the capital of a common one, else nothing."""
    lower = token.lower()
    return lower if token.islower() or lower in cues.common else ""


def _counted(words: Sequence[str], cues: Cues) -> list[str]:
    """Return the words that may be keywords, and the pairs of them."""
    usable = [word if word not in cues.common and word[:1].isalpha() else "" for word in words]
    pairs = [f"{one} {other}" for one, other in pairwise(usable) if one and other]
    return [*filter(None, usable), *pairs]


def _nouns(words: Sequence[str], cues: Cues) -> list[str]:
    """Return the words of a sentence that are used as nouns, and the pairs that end with one.

    A noun is the last of at most three words between one after which a noun follows and one that
    is no noun, or a mark. In a language of which these are not known, every word may
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
            if run and follows and len(run) <= 3 and _is_noun(run[-1], cues):
                verb = len(run) > 1 and run[-1].endswith("s")  # perhaps, as in "the trial begins"
                found += [run[-1]] * (run[-1] not in cues.vague and not verb)
                found += [" ".join(run[-2:])] * (len(run) > 1 and not set(run[-2:]) <= cues.vague)
            run, follows = [], word in cues.determiners
        else:
            run.append(word)
    return found


def _is_noun(word: str, cues: Cues) -> bool:
    return len(word) > 2 and not cues.no_noun.search(word)
