"""What a sentence takes as known: people and things that its text has introduced before."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from scstory.text.cues import cues_of
from scstory.text.languages import without_possessive

CACHED_TEXTS = 1 << 12
"""Texts of which the words are cached: a story is described again each time it grows."""
Need = frozenset[str]
"""The words of a reference: it is understood if one of them was said before."""
LONGEST_REFERENCE = 4
"""Words behind an article, such as "the", that may belong to its noun."""
LONGEST_ABBREVIATION = 5
"""Letters of a name in capitals that stands for itself."""
COMPARED = 5
"""Letters by which two words are compared, so that the forms of a word are the same."""

_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_](?:[\w’'-]*[^\W_])?|\S")


def references(
    sentences: Sequence[str], names: Collection[str], language: str
) -> tuple[frozenset[Need], ...]:
    """Return for each sentence of a text what it needs to be introduced, one need a reference.

    One of the `names` refers to somebody if the text had it before, or if it is a part of a longer
    one, unless the sentence says who that is or it is a place. A noun behind a definite article
    refers to something unless the next words say what, or everybody knows it.

    >>> sentences = "Ann Lanning saw a bridge.", "Lanning says that the bridge was low."
    >>> first, second = references(sentences, {"Ann Lanning"}, "en")
    >>> sorted(first), sorted(map(sorted, second))
    ([], [['bridg'], ['lanni']])
    """
    texts = [_TOKEN.findall(sentence) for sentence in sentences]
    text = _Text(names, texts, language)
    found = []
    for tokens in texts:
        found.append(frozenset([*text.nouns(tokens), *text.names(tokens)]))
        text.said.update(map(without_possessive, tokens))
    return tuple(found)


def understood(needs: Iterable[Need], known: Collection[str]) -> bool:
    """Say whether all references of a sentence are to something that is known."""
    return all(not need.isdisjoint(known) for need in needs)


@lru_cache(maxsize=CACHED_TEXTS)
def known_from(text: str, language: str) -> frozenset[str]:
    """Return the words that a reader of a text knows, as they are in needs.

    >>> sorted(known_from("Lanning shot", "en") & {"lanni", "victi", "bridg"})
    ['lanni', 'victi']
    """
    evoked = cues_of(language).references.evoked
    words = [word for cue, words in evoked if cue.search(text) for word in words]
    return frozenset(map(_key, [*_TOKEN.findall(text), *words]))


def _key(word: str) -> str:
    return without_possessive(word).lower()[:COMPARED]


class _Text:
    """A text that is read sentence by sentence."""

    def __init__(
        self, names: Collection[str], texts: Iterable[Sequence[str]], language: str
    ) -> None:
        self._cues = cues_of(language)
        self._refers = self._cues.references
        self.said: set[str] = set()
        """The words of the sentences so far."""
        split = [name.split() for name in names]
        self._words = {word for name in split for word in name if word[0].isupper()}
        self._last = {word for name in split for word in name[1:]} & self._words
        self._people = {name[0] for name in split if len(name) == 1}
        """Words that stand for somebody, alone or with what they are called before."""
        self._places: set[str] = set()
        for tokens in texts:
            for before, word, behind in zip(tokens, tokens[1:], [*tokens[2:], ""], strict=False):
                self._note(before, word, behind)

    def _note(self, before: str, word: str, behind: str) -> None:
        """Note what a word is, by those beside it."""
        cues, lower = self._cues, before.lower()
        if before in self._refers.within:
            self._places.add(word)
        elif lower in cues.honorifics and word[:1].isupper() and behind[:1].isupper():
            self._people.add(behind)
        elif word == "," and behind[:1].isdigit():
            self._people.add(before)
        capitals = before[:1].isupper() and word[:1].isupper() and word in self._words
        if capitals and lower not in cues.honorifics | cues.calendar | cues.common | cues.origins:
            self._last.add(word)

    def names(self, tokens: Sequence[str]) -> Iterator[Need]:
        """Yield the needs of the names in the next sentence."""
        cues, refers = self._cues, self._refers
        run: list[str] = []
        before, told = "", False
        """The word before the run, and whether it is what somebody is."""
        for place, token in enumerate([*tokens, ""]):
            word = without_possessive(token.rstrip("’'"))
            lower = word.lower()
            links = lower in cues.linking and [*tokens[place + 1 : place + 2], ""][0] in self._words
            if word in self._words and lower not in refers.polite:
                run.append(word)
                if word == token:
                    continue
            elif (token == "." and (run or told)) or (run and links):
                continue  # of an abbreviation such as Det., or within a name
            apposed = len(run) > 1 and token == "," and self._is_told(tokens[place:])
            subject = len(run) > 1 and place == len(run) and run[-1] in self._people
            refers_back = subject or self._is_known(run)
            if refers_back and not (told or apposed or before in refers.placing):
                yield frozenset(_key(word) for word in run if word.lower() not in cues.origins)
            run = []
            told = token[:1].isdigit() or (lower in cues.honorifics and lower not in refers.polite)
            before = lower

    def _is_known(self, run: Sequence[str]) -> bool:
        """Say whether a name is that of somebody whom the text introduced before."""
        if len(run) != 1:
            return bool(run) and run[-1] in self.said and run[-1] in self._people
        name = run[0]
        if name.lower() in self._cues.origins:
            return False
        short = name.isupper() and len(name) <= LONGEST_ABBREVIATION
        general = name in self._places or name.lower() in self._cues.general_names
        return not (short or general) and (name in self.said or name in self._last)

    def nouns(self, tokens: Sequence[str]) -> Iterator[Need]:
        """Yield the needs of definite nouns in the next sentence."""
        cues, refers = self._cues, self._refers
        here: set[str] = set()
        """What the sentence introduces itself."""
        named = False
        at = 0
        while at < len(tokens):
            before = tokens[at - 1].lower() if at else ""
            word, following = tokens[at].lower(), [*tokens[at + 1 : at + 2], ""][0]
            points = self._points(before, word, without_possessive(following))
            if word not in refers.definite and not points:
                named = named or without_possessive(tokens[at]) in self._words
                if word not in cues.common:
                    here.add(_key(word))
                at += 1
                continue
            skipped = int(not points and following.lower() in refers.counting)
            run = self._run(tokens[at + 1 + skipped :])
            at += 1 + skipped + len(run)
            keys = frozenset(map(_key, run))
            owner = without_possessive(run[0]) if run and not points else ""
            if owner not in ("", *run[:1], *refers.known):
                yield frozenset([_key(owner)])
            if (points or self._is_definite(run, tokens[at:], named)) and here.isdisjoint(keys):
                yield keys

    def _points(self, before: str, word: str, following: str) -> bool:
        """Say whether a word, between two others, points at something said before."""
        refers = self._refers
        if word in refers.pointing:
            return following not in refers.known
        behind = word in refers.pointing_behind and before in refers.placing
        at_role = word in refers.pointing_at_roles and following in refers.roles
        common = following in self._cues.common or following in refers.known
        at_noun = word in refers.pointing_at_nouns and following.isalpha() and not common
        return at_role or at_noun or (behind and following not in refers.telling)

    def _is_definite(self, run: Sequence[str], behind: Sequence[str], named: bool) -> bool:
        """Say whether a noun behind a definite article needs to be introduced.

        `named` says that the sentence has had a name, which some nouns may stand for.
        """
        if not run or self._is_told(behind):
            return False
        refers = self._refers
        nouns = {noun for noun in run if not self._cues.no_noun.search(noun)} or {run[-1]}
        stands_for_name = named and not refers.bodies.isdisjoint(nouns)
        dated = all(noun[0].isdigit() and "-" not in noun for noun in nouns)
        known = not refers.known.isdisjoint(nouns) or nouns <= self._cues.origins
        return not (known or stands_for_name or dated)

    def _run(self, tokens: Sequence[str]) -> list[str]:
        """Return the small words at the start of tokens that may belong to a noun."""
        cues = self._cues
        run: list[str] = []
        for token in tokens[:LONGEST_REFERENCE]:
            small = token[0].isdigit() or token[0].islower() or token.lower() in cues.origins
            if token in cues.common or not small:
                break
            run.append(token.lower())
        return run

    def _is_told(self, behind: Sequence[str]) -> bool:
        """Say whether the words behind a noun say which one it is, or are its name."""
        refers, (first, second) = self._refers, [*behind[:2], "", ""][:2]
        dated = second.lower() in self._cues.calendar
        named = second[:1].isdigit() or (second[:1].isupper() and not dated)
        if first == ",":
            return named or second in refers.telling_apart
        return first[:1].isupper() or first in refers.telling or (named and first in refers.placing)
