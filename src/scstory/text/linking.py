"""Names that go on behind a small word, or have an 's of their own, told by how texts use them.

Capitals alone do not tell whether "Aid for Kelby" is one name or two, or whether the 's of
"McKelby's" is a part of the name. The texts of a story show it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scstory.text.cues import Cues

if TYPE_CHECKING:
    from scstory.text.wording import Wording

Link = tuple[str, ...]
"""A name, what stands behind it, and the name behind that, if any."""
FEWEST = 2
"""Texts that link two names, at least."""
SHARE = {"for": 0.5, "and": 0.8, "&": 0.8}
"""The share of the uses of each of the names that are linked, at least."""
NUMBERED = 0.6
"""The share of a name's uses with a number behind it, from which that is part of it."""
OWN = 0.2
"""The share of a name's uses with an 's that owns nothing, from which that is part of it."""
LONGEST = 6
"""Words of the longest name."""

_CAPITALS = r"(?<![\w-])[A-Z][\w-]*+(?: [A-Z][\w-]*+){0,3}"
_LINKED = re.compile(rf"({_CAPITALS}) ({'|'.join(SHARE)}) (?=({_CAPITALS}))")
_NUMBERED = re.compile(
    rf"({_CAPITALS}) (\d{{1,4}}[A-Z]?)\b(?![,.:%]\d| (?:percent|people|years?)\b)"
)
_OWN = re.compile(
    rf"({_CAPITALS})([’']s)"
    r"(?=[,.;)]| (?:has|have|is|are|was|were|will|said|says|in|at|on|to|for|and|from)\b)"
)


def links(sentences: Iterable[str], names: Collection[str]) -> dict[Link, int]:
    """Return how often names are linked to others, or have an 's without owning anything.

    >>> links(["The Aid for Kelby began."], {"Aid", "Kelby"})
    {('Aid', 'for', 'Kelby'): 1}
    """
    found: Counter[Link] = Counter()
    for sentence in sentences:
        for match in _LINKED.finditer(sentence):
            before, link, behind = match.groups()
            one, other = _named(before, names, at_end=True), _named(behind, names, at_end=False)
            if one and other:
                found[one, link, other] += 1
        for match in _NUMBERED.finditer(sentence):
            if name := _named(match[1], names, at_end=True):
                found[name, f" {match[2]}"] += 1
        for match in _OWN.finditer(sentence):
            if name := _named(match[1], names, at_end=True):
                found[name, match[2]] += 1
    return dict(found)


def _named(words: str, names: Collection[str], *, at_end: bool) -> str:
    """Return the longest name at the end or the start of some words, empty if there is none."""
    split = words.split()
    size = len(split)
    parts = (split[n:] if at_end else split[: size - n] for n in range(size))
    return next((name for name in map(" ".join, parts) if name in names), "")


def whole_names(texts: Sequence["Wording"], cues: Cues) -> dict[str, str]:
    """Return the names that are a part of a longer one in most of its uses, and that one."""
    uses, linked, having = Counter[str](), Counter[Link](), Counter[Link]()
    for text in texts:
        uses.update(text.names)
        linked.update(text.together)
        having.update(text.together.keys())
    found: dict[str, str] = {}
    for link in sorted(linked, key=lambda link: (-linked[link], link)):
        if (
            having[link] >= FEWEST
            and not found.keys() & {*link}
            and _is_one(link, linked, uses, cues)
        ):
            *names, last = link
            whole = " ".join(link) if len(link) > 2 else "".join(link)
            found |= dict.fromkeys(names[:1] + [last] * (len(link) > 2), whole)
    return found


def _is_one(link: Link, linked: Mapping[Link, int], uses: Mapping[str, int], cues: Cues) -> bool:
    if len(link) == 2:
        share = NUMBERED if link[1][-1:].isalnum() and link[1][:1] == " " else OWN
        return linked[link] >= share * uses[link[0]]
    one, between, other = link
    body = other.rpartition(" ")[2].lower() in cues.before_of
    return (
        (between == "for" or body)  # Ann Lanning and Ben Kelby are two.
        and len(" ".join(link).split()) <= LONGEST
        and all(linked[link] >= SHARE[between] * uses[name] for name in (one, other))
    )
