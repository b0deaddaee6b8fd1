"""The summary of a story: sentences of its articles, from how it began to where it stands."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from scstory.discovery.profile import SAME_TERMS, Profile, unit
from scstory.types import Milestone, Quote

FEWEST, MOST = 3, 5
"""Sentences of a summary, as far as there are usable ones."""
ARTICLES_PER_SENTENCE = 6
"""Articles for which a summary has another sentence."""
VARIETY = 0.6
"""How much likeness to a chosen sentence counts against another one."""
WORTH = 0.5
"""The least relevance of a sentence, compared with the most relevant one."""


def summarise(
    profile: Profile, milestones: Sequence[Milestone], earlier: Sequence[Quote] = ()
) -> tuple[Quote, ...]:
    """Return the summary of a story with these milestones, in the order of time.

    It has milestones, with the first one for how the story began and the latest for where it
    stands. Where they are too few, maximal marginal relevance adds the sentences that say most of
    the story and are least like those already chosen. Where the articles of the window have too
    few, those of the `earlier` summary stay.
    """
    wanted = min(FEWEST + len(profile.rows) // ARTICLES_PER_SENTENCE, MOST)
    wanted = min(max(wanted, len(milestones)), MOST)
    sentences, scores = profile.sentences, profile.relevance.copy()
    chosen: list[tuple[date, int, Quote]] = [
        (said.day, sentences.number.get(said.text, -1), Quote(said.text, said.article))
        for said in _main(profile, milestones, wanted)
    ]
    scores[scores < WORTH * scores.max(initial=0)] = -np.inf
    texts = [*(said.text for said in milestones), *(quote.text for quote in earlier)]
    likeness = profile.likeness(texts[: len(milestones)]).max(axis=1, initial=0)
    while len(chosen) < wanted:
        values = np.where(likeness < 1, scores - VARIETY * likeness, -np.inf)
        best = int(values.argmax()) if len(values) else -1
        if best < 0 or not np.isfinite(values[best]):
            break
        article = profile.articles[int(sentences.rows[best])]
        quote = Quote(sentences.texts[best], article.id)
        chosen.append((article.published.date(), best, quote))
        likeness = np.maximum(likeness, profile.likeness([quote.text])[:, 0])
    found = [quote for *_, quote in sorted(chosen, key=lambda each: each[:2])]
    return _with_earlier(profile, found, earlier, FEWEST)


def _with_earlier(
    profile: Profile, quotes: list[Quote], earlier: Sequence[Quote], wanted: int
) -> tuple[Quote, ...]:
    """Return quotes, with earlier ones that say something else where they are too few.

    The earlier ones follow the first: they are from between the beginning and now.
    """
    added: list[Quote] = []
    for quote in earlier:
        if len(quotes) + len(added) < wanted:
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
