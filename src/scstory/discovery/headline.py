"""The headline of a story: the article title that tells it to somebody who knows nothing of it."""

from datetime import datetime

import numpy as np

from scstory.discovery.profile import Profile
from scstory.discovery.window import Floats
from scstory.text.headlines import faults, plain_headline
from scstory.types import Edition, Headline, Story

MARGIN = 0.15
"""How much better than the present headline another one must be to replace it."""
MARGIN_BY_TERMS = 0.35
"""The same, where only the terms of the two can be compared."""
FAULT = 0.7
"""How much a fault of a headline counts, compared with its closeness to the story."""
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
    languages = [member.reading.language for member in profile.members]
    texts = [plain_headline(articles[row].title, languages[row]) for row in titled]
    meaning = np.array([profile.members[row].vectors[0] for row in titled])
    meaning /= np.maximum(np.linalg.norm(meaning, axis=1, keepdims=True), 1e-12)
    against = FAULT * profile.faults[titled]
    by_terms = _closeness(profile, texts)
    scores = (by_terms + meaning @ profile.vector) / 2 - against
    best = int(scores.argmax())
    if before is None or not present:
        return texts[best], articles[titled[best]].id
    held = [n for n, row in enumerate(titled) if articles[row].id == before.title_article]
    if held:
        better = scores[best] - scores[held[0]] > MARGIN
    else:  # the vector of its title has left the window with its article
        was = _closeness(profile, [before.title])[0]
        was -= FAULT * faults(before.title, languages[-1])
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


def _closeness(profile: Profile, texts: list[str]) -> Floats:
    """Return the cosine of each text's terms and the story's."""
    return np.asarray(profile.of_texts(texts) @ profile.terms)
