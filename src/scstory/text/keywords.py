"""Keywords of a group of texts: names and things that many of them share and few others have."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log

from scstory.text.cues import cues_of
from scstory.text.joining import joined
from scstory.text.language import ENGLISH
from scstory.text.languages import profile_of
from scstory.text.linking import whole_names
from scstory.text.terms import TermStatistics, terms
from scstory.text.wording import Wording

NAMES, THINGS = 4, 3
"""Names among the keywords, unless there are too few things; and things at most."""
TELLING = 2
"""Names from which no things are added, in a language whose names are known by their capitals."""
FURTHER = 0.3
"""The least score of a further name, compared with the best one, in such a language."""
SHARE, THING_SHARE = 0.25, 0.35
"""The share of the texts that have a name and a thing, at least."""
AS_NOUN = 0.05
"""The share of the uses of a thing in which it is a noun, at least."""
TITLED_SHARE = 0.2
"""The share of the titles that have a thing, at least, and all pairs of words."""
IN_TITLE = 2
"""Uses of a name that one in the title counts as, in addition."""
UNTITLED, UNTITLED_SHARE = 4, 0.6
"""The number and the share of the texts that have a thing that few of their titles have, at
least. Without titles, the share decides."""
BY_LAST, BY_FIRST = 0.34, 0.75
"""The share of the texts with a word alone that have a name which ends or starts with it, from
which the word stands for that name."""
OF_PERSON = 3
"""Words of the longest name for which its first word may stand."""
LIFT, THING_LIFT = 1.0, 2.0
"""The logarithm of how much more common than in the stream a name and a thing are in the texts, at
least."""
KNOWN = 50
"""Articles after which a stream shows what is common in it."""
STAYS = 2
"""Texts that an earlier keyword counts as being in beyond those that it is in."""
PAIRS = 3
"""Texts that have a pair of words that is a keyword, at least."""
STEM = 5
"""Letters from which two names of one word are forms of one: Canada, Canadian."""


def keywords(
    texts: Sequence[Wording],
    statistics: TermStatistics,
    *,
    earlier: Sequence[str] = (),
    missing: bool = False,
    count: int = 6,
) -> tuple[str, ...]:
    """Return the most telling names, then the most telling things.

    In a language whose names are known by their capitals, things are returned only where there are
    fewer than `TELLING` names, and of names beyond the first `NAMES` only those that tell enough.

    A name or thing scores the number of texts that have it, a text that has it often counting up
    to twice, times the logarithm of how much more common it is in the texts than in the stream so
    far. The forms of a name count together, and no two keywords share a word. Of texts in several
    languages, those in the most common one count. The `earlier` keywords stay unless others are
    clearly better. Where some of the texts that they are of are `missing`, they need be in few.

    >>> bank = frozenset({"bank"})
    >>> one = Wording({"Kelby": 2, "Mill Lane": 1, "Lane": 1}, {"bank": 1}, bank)
    >>> other = Wording({"Kelby": 1}, {"bank": 2}, bank)
    >>> keywords([one, one, other], TermStatistics(), count=3)
    ('Kelby', 'Mill Lane')
    >>> keywords([other, other], TermStatistics(), count=3)
    ('Kelby', 'bank')
    """
    language = _main_language(texts)
    cues = cues_of(language)
    texts = [text for text in texts if text.language == language]
    parted = not profile_of(language).spaced
    texts, whole = (joined(texts), {}) if parted else (texts, whole_names(texts, cues))
    few = min(2, len(texts))
    things_before = [keyword for keyword in earlier if _is_thing(keyword, texts)]
    names_before = [keyword for keyword in earlier if keyword not in things_before]
    floor = max(few, SHARE * len(texts))
    beyond = STAYS * missing
    merged = _merged(texts, whole)
    names = _scores(merged, floor, statistics, names_before, LIFT, language, beyond)
    titled = {name for text in texts for name in text.titled}
    if titled and not parted and profile_of(language).parts is None:
        # One word may be half of a name, or be mentioned in passing.
        about = titled | {name for name in names if all(name in text for text in merged)}
        names = {name: names[name] for name in names if " " in name or name in about}
    nouns = _nouns(texts) | {*earlier}
    words = [{word: n for word, n in text.words.items() if word in nouns} for text in texts]
    floor = max(few, THING_SHARE * len(texts))
    things = _scores(words, floor, statistics, things_before, THING_LIFT, language, beyond)
    for pair in [thing for thing in things if " " in thing]:
        head = pair.rpartition(" ")[2]
        rare = sum(pair in text.words for text in texts) < PAIRS
        if rare or things[pair] < 0.5 * things.get(head, 0.0):
            del things[pair]
    best_names = _distinct(_ordered(names), [], language)
    room = max(0, TELLING - len(best_names)) if cues.determiners else THINGS
    best_things = _distinct(_ordered(things), best_names, language)[:room]
    if cues.determiners:
        enough = FURTHER * max(names.values(), default=0.0)
        others = [name for name in best_names[NAMES:] if names[name] >= enough]
        best_names = [*best_names[:NAMES], *others]
    leading = best_names[: max(NAMES, count - len(best_things))]
    return (*leading, *best_things)[:count]


def _main_language(texts: Sequence[Wording]) -> str:
    """Return the language of most texts; of several as common the first one's."""
    counted = Counter(text.language for text in texts)
    return max(counted, key=lambda language: counted[language], default=ENGLISH)


def _is_thing(keyword: str, texts: Sequence[Wording]) -> bool:
    """Say whether an earlier keyword is no name; not every language has capitals for them."""
    if keyword.islower():
        return True
    named = any(keyword in text.names for text in texts)
    return not named and any(keyword in text.words for text in texts)


def _merged(texts: Sequence[Wording], whole: Mapping[str, str]) -> list[Mapping[str, int]]:
    """Return the names of texts, those of one bearer under its most common full form.

    `whole` has the names that are parts of longer ones.
    """
    inside: Counter[str] = Counter(name for text in texts for name in text.names)
    inside.update(name for text in texts for name in text.perhaps if name in inside)
    written: dict[str, str] = {}
    spelled: Counter[str] = Counter()
    for name in sorted(inside, key=lambda name: (-inside[name], name)):
        written.setdefault(_key(name), name)
        spelled[_key(name)] += inside[name]
    certain = {name for text in texts for name in text.names.keys() - text.opening}
    certain |= {name for name, n in inside.items() if n > 1}
    longer: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for name in written.values():
        words = [_key(word) for word in name.split()]
        if len(words) > 1 and name in certain:
            for last in {words[-1], words[-1].rpartition(" ")[2]}:  # al-Deen is Deen, too
                longer[last].append((name, BY_LAST))
            if len(words) <= OF_PERSON:
                longer[words[0]].append((name, BY_FIRST))

    def without_middle(name: str) -> str:
        words = _key(name).split()
        short = written.get(f"{words[0]} {words[-1]}") if len(words) == OF_PERSON else None
        return short or name

    def full(name: str) -> str:
        common = written[_key(name)]
        behind = written.get(_key(common.partition(" ")[2]))
        if behind and common not in certain:  # "Plucky Halcyon-2", once at the start of a sentence
            common = behind
        if " " in common:
            return without_middle(common)
        fuller = [
            (spelled[_key(name)], name)
            for name, share in longer[_key(common)]
            if spelled[_key(name)] >= share * inside[common]
        ]
        return without_middle(max(fuller, default=(0, common))[1])

    found: list[Mapping[str, int]] = []
    for text in texts:
        merged: Counter[str] = Counter()
        for name, uses in text.names.items():
            merged[whole.get(name) or full(name)] += uses + (IN_TITLE if name in text.titled else 0)
        for name in sorted(text.perhaps & inside.keys()):
            merged[whole.get(name) or full(name)] += 1
        found.append(merged)
    return found


def _key(name: str) -> str:
    """Return a name as all its spellings have it: Kim Jong-un and Kim Jong Un are one.

    >>> _key("Kim Jong-un"), _key("J.J. Abrams")
    ('kim jong un', 'jj abrams')
    """
    return name.lower().replace("-", " ").replace(".", "").replace("’", "'")


def _nouns(texts: Sequence[Wording]) -> set[str]:
    """Return the words and pairs that are used as nouns, by headlines or by most texts."""
    having = Counter(word for text in texts for word in text.words)
    titled = Counter(word for text in texts for word in text.titled)
    texts_with = Counter(noun for text in texts for noun in text.nouns)
    uses, as_noun = Counter[str](), Counter[str]()
    for text in texts:
        uses.update(text.words)
        as_noun.update(text.nouns)
    few = min(2, len(texts))
    most = max(UNTITLED if titled else few, UNTITLED_SHARE * len(texts))
    return {
        noun
        for noun in texts_with
        if (texts_with[noun] >= few or titled[noun] >= few)
        and as_noun[noun] >= AS_NOUN * uses[noun]
        and (
            titled[noun] >= max(1, TITLED_SHARE * len(texts))
            or (having[noun] >= most and " " not in noun)
        )
    }


def _scores(
    texts: Sequence[Mapping[str, int]],
    floor: float,
    statistics: TermStatistics,
    earlier: Sequence[str],
    least: float,
    language: str,
    beyond: int,
) -> dict[str, float]:
    """Return the scores of the names or things that enough texts and few articles have.

    Earlier ones count as being in so many texts `beyond` those that have them.
    """
    inside: Counter[str] = Counter()
    uses: defaultdict[str, float] = defaultdict(float)
    for text in texts:
        for name, times in text.items():
            inside[name] += 1
            uses[name] += 1 + min(log(times), 2) / 2
    for name in earlier:
        inside[name] += beyond
        uses[name] += STAYS
    scores = {}
    least = least if statistics.documents >= KNOWN else log(SHARE)
    for name in [name for name, n in inside.items() if n >= floor and terms(name, language)]:
        in_stream = 1 - max(statistics.idf_of(terms(name, language)))
        lift = log(min(inside[name], len(texts)) / len(texts)) - in_stream
        if lift >= least:
            scores[name] = uses[name] * (lift + 1)
    return scores


def _ordered(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))


def _distinct(ordered: Iterable[str], taken: Sequence[str], language: str) -> list[str]:
    """Return those that share no word, and no stem, with one before them or with one taken."""
    known = {form for name in taken for form in _forms(name, language)}
    found = []
    for name in ordered:
        forms = _forms(name, language)
        if not forms & known:
            found.append(name)
            known |= forms
    return found


def _forms(name: str, language: str) -> set[str]:
    """Return the words of a name, and the beginning of one that is a name of its own.

    Where no spaces divide words, two characters in a row stand for a word.
    """
    profile = profile_of(language)
    if not profile.spaced and not name.isascii():
        return {one + other for one, other in pairwise(name)}
    words = ["-".join(sorted(word.split("-"))) for word in name.lower().split()]
    bare = {word.removesuffix("s") for word in words} | {word[:STEM] + "-" for word in words}
    return bare | ({profile.stem(word) for word in words} if language != ENGLISH else set())
