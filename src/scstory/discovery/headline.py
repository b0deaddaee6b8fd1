"""The headline of a story: the article title that tells it to somebody who knows nothing of it."""

from datetime import datetime

import numpy as np

from scstory.discovery.profile import Profile, unit
from scstory.discovery.window import Floats
from scstory.text.headlines import faults
from scstory.types import Edition, Headline, Story

MARGIN = 0.15
"""How much better than the present headline another one must be to replace it."""
MARGIN_BY_TERMS = 0.35
"""The same, where only the terms of the two can be compared."""
FAULT = 0.7
"""How much a fault of a headline counts, compared with its closeness to the story."""
AGREEMENT = 0.5
"""How much its likeness to the other headlines counts, compared with that to the articles: an
opinion is not what most of them say."""
MOST_EARLIER = 20
"""Earlier headlines of a story that are kept: the first one and the latest."""


def choose_headline(
    profile: Profile, before: Story | Edition | None, *, present: bool
) -> tuple[str, str | None]:
    """Return the headline of a story and the article whose title it is.

    The headline before stays unless another is clearly better, or its article has left the story
    (`present` is false).
    """
    articles = profile.articles
    titled = [row for row, article in enumerate(articles) if article.title.strip()]
    if not titled:
        if before is not None and present:
            return before.title, before.title_article
        return profile.members[0].sentences[0], articles[0].id
    texts = [profile.extracts[row].headline for row in titled]
    vectors = unit(np.array([profile.members[row].vectors[0] for row in titled]))
    terms = profile.of_texts(texts).toarray()
    against = FAULT * profile.faults[titled]
    by_terms = terms @ profile.terms
    by_meaning = vectors @ profile.vector
    scores = (by_terms + by_meaning + _agreement(terms) + _agreement(vectors)) / 2 - against
    best = int(scores.argmax())
    if before is None or not present:
        return texts[best], articles[titled[best]].id
    held = [n for n, row in enumerate(titled) if articles[row].id == before.title_article]
    if held:
        better = scores[best] - scores[held[0]] > MARGIN
    else:  # the vector of its title has left the window with its article
        was = (profile.of_texts([before.title]) @ profile.terms)[0]
        was -= FAULT * faults(before.title, profile.members[-1].reading.language)
        better = by_terms[best] - against[best] - was > MARGIN_BY_TERMS
    if not better:
        return before.title, before.title_article
    return texts[best], articles[titled[best]].id


def earlier_headlines(before: Story | None, title: str, now: datetime) -> tuple[Headline, ...]:
    """Return the earlier headlines of a story, which has the headline `title` now."""
    if before is None:
        return ()
    if title == before.title:
        return before.headlines
    replaced = Headline(before.title, before.title_article or "", now)
    first, *later = (*before.headlines, replaced)
    return (first, *later[-(MOST_EARLIER - 1) :])


def _agreement(titles: Floats) -> Floats:
    """Return the cosine of each title's vector and those of the other titles, AGREEMENT times."""
    others = unit(titles.sum(axis=0) - titles)
    return np.asarray(AGREEMENT * (titles * others).sum(axis=1))
