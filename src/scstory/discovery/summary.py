"""The summary of a story: sentences of its articles, from how it began to where it stands."""

from collections.abc import Sequence
from datetime import date
from operator import itemgetter

import numpy as np

from scstory.discovery.profile import HELD, SAME_TERMS, Profile, unit
from scstory.discovery.window import Floats
from scstory.types import Milestone, Quote

FEWEST, MOST = 3, 5
"""Sentences of a summary, as far as there are usable ones."""
ARTICLES_PER_SENTENCE = 6
"""Articles for which a summary has another sentence."""
VARIETY = 0.6
"""How much likeness to a chosen sentence counts against another one."""
WORTH = 0.5
"""The least relevance of a sentence, compared with the most relevant one."""
OPENINGS, OPENING = 0.2, 2
"""How much more alike two of the sentences that open articles count, and how many of each do: an
article begins with what happened, in its own words."""


def summarise(
    profile: Profile, headline: str, milestones: Sequence[Milestone], earlier: Sequence[Quote] = ()
) -> tuple[Quote, ...]:
    """Return the summary of a story with this headline and these milestones, in the order of time.

    It has milestones, with the first one for how the story began and the latest for where it
    stands. Where they are too few, maximal marginal relevance adds the sentences that say most of
    the story and are least like those already chosen. Each is understood after the headline and the
    sentences before it. Where the articles of the window have too few, those of the `earlier`
    summary stay.
    """
    wanted = min(FEWEST + len(profile.rows) // ARTICLES_PER_SENTENCE, MOST)
    wanted = min(max(wanted, len(milestones)), MOST)
    summary = _Summary(profile, headline)
    for said in _main(profile, milestones, wanted):
        number = profile.sentences.number.get(said.text)
        alike = _likeness(profile, [quote.text for quote in summary.quotes])
        if number is None or (
            summary.understood(said.day, number) and alike[number].max(initial=0) < 1
        ):
            summary.add(said.day, Quote(said.text, said.article))
    _extend(summary, wanted, [said.text for said in milestones], {q.text for q in earlier})
    return _with_earlier(profile, summary.quotes, earlier, FEWEST)


class _Summary:
    """The sentences chosen so far, day by day; those of a day in the order of their choice."""

    def __init__(self, profile: Profile, headline: str) -> None:
        self.profile, self._headline = profile, headline
        self._said: list[tuple[date, Quote]] = []
        self._known: dict[date, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self._said)

    @property
    def quotes(self) -> list[Quote]:
        return [quote for _, quote in self._said]

    def add(self, day: date, quote: Quote) -> None:
        """Add a sentence behind those of its day."""
        self._said.append((day, quote))
        self._said.sort(key=itemgetter(0))
        self._known.clear()

    def understood(self, day: date, number: int) -> bool:
        """Say whether a sentence would be understood where it would stand."""
        if day not in self._known:
            before = [quote.text for said, quote in self._said if said <= day]
            self._known[day] = self.profile.known([self._headline, *before])
        return self.profile.understood(number, self._known[day])


def _extend(summary: _Summary, wanted: int, unlike: list[str], held: set[str]) -> None:
    """Add sentences until there are so many; those that were `held` before have an advantage."""
    profile, sentences = summary.profile, summary.profile.sentences
    scores = profile.relevance.copy()
    scores[scores < WORTH * scores.max(initial=0)] = -np.inf
    scores[[text in held for text in sentences.texts]] += HELD
    likeness = _likeness(profile, unlike).max(axis=1, initial=0)
    while len(summary) < wanted:
        values = np.where(likeness < 1, scores - VARIETY * likeness, -np.inf)
        for best in np.argsort(-values, kind="stable").tolist():
            article = profile.articles[int(sentences.rows[best])]
            day = article.published.date()
            if not np.isfinite(values[best]) or summary.understood(day, best):
                break
        else:
            return
        if not np.isfinite(values[best]):
            return
        summary.add(day, Quote(sentences.texts[best], article.id))
        likeness = np.maximum(likeness, _likeness(profile, [sentences.texts[best]])[:, 0])


def _likeness(profile: Profile, texts: Sequence[str]) -> Floats:
    """Return how alike each sentence is to each text; from 1 on they say the same."""
    opens = profile.sentences.places <= OPENING
    numbers = [profile.sentences.number.get(text, -1) for text in texts]
    found = profile.likeness(texts)
    found += OPENINGS * np.outer(opens, [number >= 0 and opens[number] for number in numbers])
    return found


def _with_earlier(
    profile: Profile, quotes: list[Quote], earlier: Sequence[Quote], wanted: int
) -> tuple[Quote, ...]:
    """Return quotes, with earlier ones that say something else where they are too few.

    Only those are added whose articles have left the window, for the others were not chosen again.
    They follow the first: they are from between the beginning and now.
    """
    added: list[Quote] = []
    for quote in earlier:
        if len(quotes) + len(added) < wanted and quote.text not in profile.sentences.number:
            vectors = profile.of_texts([quote.text, *(q.text for q in (*quotes, *added))])
            alike = (vectors[1:] @ vectors[[0]].T).toarray()
            if quote not in quotes and alike.max(initial=0) < SAME_TERMS:
                added.append(quote)
    return (*quotes[:1], *added, *quotes[1:])


def _main(profile: Profile, milestones: Sequence[Milestone], count: int) -> list[Milestone]:
    """Return so many milestones: the first, the last, and those between that say most."""
    if len(milestones) <= count:
        return list(milestones)
    vectors = profile.of_texts([said.text for said in milestones]).toarray()
    scores = vectors @ (unit(vectors.mean(axis=0)) + profile.terms)
    between = sorted(np.argsort(-scores[1:-1], kind="stable")[: count - 2] + 1)
    return [milestones[0], *(milestones[n] for n in between), milestones[-1]]
