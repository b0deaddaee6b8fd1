"""What of a text may become a keyword: the names in it, and the things that it speaks of."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from scstory.text.cues import Cues, cues_of
from scstory.text.joining import side_by_side
from scstory.text.language import ENGLISH, language_of
from scstory.text.languages import Kind, Profile, profile_of, without_possessive
from scstory.text.linking import links
from scstory.text.quotable import without_dateline
from scstory.types import Article

IN_TITLE = 3
"""Uses that one in the title counts as."""
SHOUTED = 7
"""Letters of a word in capitals from which it is no abbreviation."""
LONGEST_NAME = 5
"""Words of the longest name."""

_ADDRESS = re.compile(r"[@#/]\w|\.(?:com|org|net|gov|edu|info|tv|ly|uk)\b", re.IGNORECASE)
"""What a word has that is an address or a tag."""
_COMPOUND_ADJECTIVE = re.compile(r"\w-(?:born|area|led|era|style|old|[a-z]{2,}(?:ed|ing))$")
"""A word, with those before it, that says what the next one is like: New York-based."""
_PARTY_OR_OWNER = re.compile(r"^[DRI]-[A-Z]|s[’']$")
_ORDINAL = re.compile(
    r"\d+(?:st|nd|rd|th)|first|second|third|(?:four|fif|six|seven|eigh|nin|ten)th"
)
_STREET = re.compile(r"(?:Avenue|Ave|Street|St)\b")
_REGNAL = re.compile(r"II|III|IV|VI{0,3}|IX|XI{0,3}|XI?V|XVI{0,2}")
_CREDIT = re.compile(r"^(?:By )?(?:[A-Z][\w.’'-]* ){2,4}(?=@\w)")
"""Who wrote a text, before the writer's address."""
_INSIDE_QUOTES = re.compile(r"[“‘\"]")
_CAPITAL = re.compile(r"[^\W\da-z_]|(?:al|el|ad|ul|bin|d|l)[-’'][^\W\da-z_]")
_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_](?:[\w’'&-]*[^\W_])?[’']?|\S")


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
        return _by_capitals(sentences, language, titles)
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


def _by_capitals(sentences: Sequence[str], language: str, titles: int) -> Wording:
    cues = cues_of(language)
    title = _TOKEN.findall(" ".join(sentences[:titles]))
    found = [
        _TOKEN.findall(_without_addresses(_CREDIT.sub("", without_dateline(sentence))))
        for sentence in sentences[titles:] or sentences
    ]
    body = [tokens for tokens in found if not _is_heading(tokens, cues)] or found
    names, opening, perhaps = _names(body, cues)
    headline = f" {' '.join(title).lower()} "
    named = {name for name in names if f" {name.lower()} " in headline}
    names = {n: uses for n, uses in names.items() if n in named or not _is_general(n, cues)}

    small = [[_small(token, cues) for token in tokens] for tokens in (*body, title)]
    nouns = Counter(noun for tokens in small for noun in _nouns(tokens, cues))
    used = Counter(word for tokens in small[: len(body)] for word in _counted(tokens, cues))
    words = {word: uses for word, uses in used.items() if word in nouns or " " not in word}
    titled = words.keys() & set(_counted([token.lower() for token in title], cues))
    words |= dict.fromkeys(sorted(titled), IN_TITLE)
    return Wording(
        names,
        words,
        nouns,
        frozenset(perhaps),
        frozenset(titled | named),
        frozenset(opening & names.keys()),
        language,
        links(sentences[titles:], names),
    )


def _names(body: Sequence[Sequence[str]], cues: Cues) -> tuple[dict[str, int], set[str], set[str]]:
    """Return the names in sentences, those that only start them, and words that may be names."""
    runs = [run for tokens in body for run in _runs(tokens, cues)]
    known = {word for starts, run in runs for word in run[starts:]}
    names: Counter[str] = Counter()
    inside = set()
    for starts, run in runs:
        if starts and len(run) > 1 and run[0] not in known and cues.no_noun.search(run[0]):
            run = run[1:]  # as in "Scrapping Obamacare"
        # The first word of a sentence is a name if it is one elsewhere, or if a name follows it.
        kept = run if not starts or run[0] in known or len(run) > 1 else []
        if name := _name(kept, cues):
            names[name] += 1
            if not starts or run[0] in known:
                inside.add(name)
    small = Counter(token for tokens in body for token in tokens if token.islower())
    found = {name: uses for name, uses in names.items() if small[name.lower()] < uses}
    perhaps = {run[0] for starts, run in runs if starts and len(run) == 1} - known
    return found, found.keys() - inside, perhaps


def _without_addresses(sentence: str) -> str:
    return " ".join(";" if _ADDRESS.search(word) else word for word in sentence.split())


def _is_heading(tokens: Sequence[str], cues: Cues) -> bool:
    """Say whether a sentence capitalises its words, as headlines within a page do."""
    words = [token for token in tokens if token[0].isalpha()]
    small = [word for word in words if word[0].islower()]
    telling = any(word not in cues.common and len(word) > 2 for word in small)
    return len(words) > 4 and not telling and 4 * len(small) < len(words)


def _is_general(name: str, cues: Cues) -> bool:
    """Say whether a name, of an outlet for example, tells a story only if a headline has it."""
    *before, last = name.split()
    called = [word for word in before if word.isupper()]
    outlet = any(cues.outlet.fullmatch(word) for word in (*called, last))
    return outlet or name.lower() in cues.general_names


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
    starts, fresh, before = True, True, ""
    for token, following in pairwise([*tokens, ""]):
        fresh, before = fresh or _opens_sentence(before, token), token
        start = _CAPITAL.match(token)
        capital = bool(start and start[0][-1].isupper()) and _is_name_word(token, cues)
        numbered = bool(_ORDINAL.fullmatch(token.lower()) and _STREET.match(following))
        regnal = bool(run and _REGNAL.fullmatch(token))
        if capital or numbered or regnal:
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
        elif run and _links(run[-1], token.lower(), cues) and following[:1].isupper():
            run.append(token)
            continue
        if run:
            runs.append((starts, run))
            run = []
        fresh = fresh and not token[0].isalnum()
    return [*runs, (starts, run)] if run else runs


def _opens_sentence(before: str, token: str) -> bool:
    """Say whether a sentence starts behind a mark, within what somebody said."""
    ends = token in (".", "?", "!") and before.islower() and len(before) > 2
    return ends or (before in (",", ":") and bool(_INSIDE_QUOTES.fullmatch(token)))


def _links(before: str, token: str, cues: Cues) -> bool:
    """Say whether a word that is written small may stand within a name, behind another one."""
    if token == "of":
        return before.lower() in cues.before_of or before.lower() in cues.honorifics
    return token in cues.linking


def _is_name_word(token: str, cues: Cues) -> bool:
    lower = token.lower().replace("’", "'").rstrip(".")
    return lower.partition("'")[0] not in cues.common and lower not in cues.calendar


def _name(run: list[str], cues: Cues) -> str:
    """Return a run of words as a name, without what stands around it; empty if it is none."""
    lower = [word.lower().rstrip(".") for word in run]
    last = max((n for n, word in enumerate(lower[:-1]) if word in cues.honorifics), default=-1)
    start = last + 1
    while 0 < start < len(run) - 1 and lower[start] in cues.second_honorifics:
        start += 1
    if 0 < start < len(run) - 2 and lower[start] in cues.linking:  # Secretary of State
        start += 2
    name = run[start:]
    if name[: len(name) // 2] == name[len(name) // 2 :]:
        name = name[: len(name) // 2]  # from one line of a page into the next
    compound = [n for n, word in enumerate(name) if _COMPOUND_ADJECTIVE.search(word)]
    name = name[compound[-1] + 1 :] if compound else name
    while name and (
        name[0].lower().rstrip(".") in cues.around_name
        or name[0] in cues.linking
        or _PARTY_OR_OWNER.search(name[0])
    ):
        name = name[1:]
    behind = cues.around_name | cues.honorifics | cues.linking
    while len(name) > 1 and name[-1].lower().rstrip(".") in behind:
        if name[-2] == "State":  # The state police are a body of their own.
            break
        name = name[:-1]
    if not name or len(name) > LONGEST_NAME or len("".join(name)) < 2 or _is_noise(name):
        return ""
    alone = name[0].lower() if len(name) == 1 else ""
    nobody = cues.origins | cues.vague | cues.around_name | cues.honorifics
    return "" if alone in nobody or name[-1].lower() in cues.origins else " ".join(name)


def _is_noise(name: list[str]) -> bool:
    """Say whether capitals are shouted, or a page ran words into one another."""
    shouted = all(word.isupper() and len(word) > 2 for word in name)
    glued = any(
        a != b and len(a) > 3 and b.startswith(a) and b[len(a)].isupper()
        for a in name
        for b in name
    )
    return glued or (shouted and (len(name) > 1 or len(name[0]) >= SHOUTED))


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
