"""Names by their capitals: runs of capitalised words, without what stands around them."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from scstory.text.cues import Cues
from scstory.text.languages import without_possessive
from scstory.text.quotable import without_dateline

SHOUTED = 7
"""Letters of a word in capitals from which it is no abbreviation."""
LONGEST_NAME = 5
"""Words of the longest name."""

_ADDRESS = re.compile(r"[@#/]\w|\.(?:com|org|net|gov|edu|info|tv|ly|uk)\b", re.IGNORECASE)
"""What a word has that is an address or a tag."""
_CREDIT = re.compile(r"^(?:[A-Z][\w.’'-]* ){2,5}(?=@\w)")
"""Who wrote a text, before the writer's address."""
_REGNAL = re.compile(r"II|III|IV|VI{0,3}|IX|XI{0,3}|XI?V|XVI{0,2}")
_REGION = re.compile(r"[A-Z]{2}")
"""The code of a state or a county behind the name of a town and a comma."""
_INSIDE_QUOTES = re.compile(r"[“‘\"]")
_CAPITAL = re.compile(r"[^\W\da-z_]|(?:al|el|ad|ul|bin|d|l)[-’'][^\W\da-z_]")
_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_](?:[\w’'&-]*[^\W_])?[’']?|\S")


class _Run(NamedTuple):
    """A run of words that start with a capital."""

    starts: bool
    """Whether it stands where a sentence starts."""
    words: list[str]
    behind: str
    """The token behind it."""


def sentence_tokens(
    sentences: Sequence[str], cues: Cues, *, whole: bool = False
) -> list[list[str]]:
    """Return the tokens of each sentence, unless it is `whole` without datelines and credits.

    Parts of a page that are no sentences of the text are left out where there are others.
    """
    if whole:
        return [_TOKEN.findall(sentence) for sentence in sentences]
    own = [sentence for sentence in sentences if not cues.boilerplate.search(sentence)]
    found = [
        _TOKEN.findall(_without_addresses(_CREDIT.sub("", without_dateline(sentence))))
        for sentence in own or sentences
    ]
    return [tokens for tokens in found if not _is_heading(tokens, cues)] or found


def names_by_capitals(
    body: Sequence[Sequence[str]], nouns: Collection[str], cues: Cues
) -> tuple[dict[str, int], set[str], set[str]]:
    """Return the names in sentences, those that only start them, and words that may be names.

    A name of several words that starts a sentence is certain if a comma follows, as in "Ann
    Lanning, 59, fell." The text uses the `nouns`.
    """
    runs = [run for tokens in body for run in _runs(tokens, cues)]
    known = {word for starts, run, _ in runs for word in run[starts:]}
    small = Counter(token for tokens in body for token in tokens if token.islower())
    names: Counter[str] = Counter()
    inside = set()
    for starts, run, behind in runs:
        if behind in cues.places:
            continue  # as in "Mill and River streets"
        if starts and len(run) > 1 and run[0] not in known and cues.no_noun.search(run[0]):
            run = run[1:]  # as in "Scrapping Obamacare"
        # The first word of a sentence is a name if it is one elsewhere, or if a name follows it.
        kept = run if not starts or run[0] in known or len(run) > 1 else []
        if name := _without_role(_name(kept, cues), nouns, cues):
            names[name] += 1
            if not starts or run[0] in known or (" " in name and behind == ","):
                inside.add(name)
    found = {name: uses for name, uses in names.items() if small[name.lower()] < uses}
    perhaps = {run[0] for starts, run, _ in runs if starts and len(run) == 1} - known
    return found, found.keys() - inside, perhaps


def _without_addresses(sentence: str) -> str:
    return " ".join(";" if _ADDRESS.search(word) else word for word in sentence.split())


def _is_heading(tokens: Sequence[str], cues: Cues) -> bool:
    """Say whether a sentence capitalises its words, as headlines within a page do."""
    words = [token for token in tokens if token[0].isalpha()]
    small = [word for word in words if word[0].islower()]
    telling = any(word not in cues.common and len(word) > 2 for word in small)
    return len(words) > 4 and not telling and 4 * len(small) < len(words)


def _runs(tokens: Sequence[str], cues: Cues) -> Iterator[_Run]:
    """Yield the runs of capitalised words."""
    run: list[str] = []
    starts, fresh, before = True, True, ""
    for token, following in pairwise([*tokens, ""]):
        fresh, region = fresh or _opens_sentence(before, token), before == "," and not fresh
        before = token
        if _may_be_name(token, following, run, cues) and not (region and _REGION.fullmatch(token)):
            if run and len(token) > 3 and token.isupper() and not run[-1].isupper():
                yield _Run(starts, run, token)  # a headline in capitals, or a dateline, follows
                run = []
            starts = fresh if not run else starts
            bare = without_possessive(token.rstrip("’'"))
            goes_on = following[:1].isupper() and _is_plural_owner(token, bare, cues)
            run.append(token if goes_on else bare)
            if bare == token or goes_on:
                fresh = False
                continue
        elif run and token == "." and len(run[-1]) <= 3 and following[:1].isupper():
            run[-1] += "."
            continue
        elif (
            run
            and _links(run[-1], token.lower(), cues)
            and (following[:1].isupper() or following == ".")  # as in Roe v. Wade
        ):
            run.append(token)
            continue
        if run:
            yield _Run(starts, run, token)
            run = []
        fresh = fresh and not token[0].isalnum()
    if run:
        yield _Run(starts, run, "")


def _may_be_name(token: str, following: str, run: Sequence[str], cues: Cues) -> bool:
    """Say whether a token may belong to a name, before another one and behind a run of them."""
    start = _CAPITAL.match(token)
    capital = start and start[0][-1].isupper() and _is_name_word(token, cues)
    regnal = run and _REGNAL.fullmatch(token)
    numbered = following[:1].isupper() and cues.numbered.match(f"{token} {following}")
    return bool(capital or regnal or numbered)


def _is_plural_owner(token: str, bare: str, cues: Cues) -> bool:
    """Say whether an owner is part of a name, as in Teachers' Federation, Children's Hospital."""
    return token[-2:] in ("s'", "s’") or (bare != token and bare.lower() in cues.vague)


def _opens_sentence(before: str, token: str) -> bool:
    """Say whether a sentence starts behind a mark, within what somebody said."""
    ends = token in (".", "?", "!") and before.islower() and len(before) > 2
    return ends or (before in (",", ":") and bool(_INSIDE_QUOTES.fullmatch(token)))


def _links(before: str, token: str, cues: Cues) -> bool:
    """Say whether a word that is written small may stand within a name, behind another one."""
    if token == cues.of:
        return before.lower() in cues.before_of or before.lower() in cues.honorifics
    return token in cues.linking


def _is_name_word(token: str, cues: Cues) -> bool:
    lower = token.lower().replace("’", "'").rstrip(".")
    return lower.partition("'")[0] not in cues.common and lower not in cues.calendar


def _name(run: list[str], cues: Cues) -> str:
    """Return a run of words as a name, without what stands around it; empty if it is none."""
    lower = [word.lower().rstrip(".").partition("-")[0] for word in run]
    last = max((n for n, word in enumerate(lower[:-1]) if word in cues.honorifics), default=-1)
    start = last + 1
    while 0 < start < len(run) - 1 and lower[start] in cues.second_honorifics:
        start += 1
    if 0 < start < len(run) - 2 and lower[start] in cues.linking:  # Secretary of State
        start += 2
    name = run[start:]
    if name[: len(name) // 2] == name[len(name) // 2 :]:
        name = name[: len(name) // 2]  # from one line of a page into the next
    compound = [n for n, word in enumerate(name) if cues.compound.search(word)]
    name = name[compound[-1] + 1 :] if compound else name
    while name and (
        name[0].lower().rstrip(".") in cues.around_name
        or name[0] in cues.linking
        or cues.before_name.search(name[0])
    ):
        name = name[1:]
    behind = cues.around_name, cues.honorifics, cues.linking
    while len(name) > 1 and any(name[-1].lower().rstrip(".") in words for words in behind):
        if name[-2] in cues.before_body:
            break
        name = name[:-1]
    if not name or len(name) > LONGEST_NAME or len("".join(name)) < 2 or _is_noise(name):
        return ""
    last_word = name[-1].lower()
    nobody = (cues.vague, cues.around_name, cues.honorifics) if len(name) == 1 else ()
    names_nobody = any(last_word in words for words in (cues.origins, *nobody))
    return "" if names_nobody else " ".join(name)


def _without_role(name: str, nouns: Collection[str], cues: Cues) -> str:
    """Return a name of a person without a noun before it, as in Vet Ann Lanning."""
    role, _, bare = name.partition(" ")
    general = {word.lower() for word in name.split()} & cues.vague
    is_role = role.lower() in nouns and role.lower() not in cues.general_names
    return bare if is_role and " " in bare and not general else name


def _is_noise(name: list[str]) -> bool:
    """Say whether capitals are shouted, or a page ran words into one another."""
    shouted = all(word.isupper() and len(word) > 2 for word in name)
    glued = any(
        a != b and len(a) > 3 and b.startswith(a) and b[len(a)].isupper()
        for a in name
        for b in name
    )
    return glued or (shouted and (len(name) > 1 or len(name[0]) >= SHOUTED))
