"""How a story developed: the days on which something new was said, each in a sentence."""

from collections.abc import Collection
from datetime import date

import numpy as np

from scstory.discovery.profile import HELD, Profile
from scstory.discovery.window import Floats
from scstory.types import Milestone

RELEVANT, COLOURFUL = 0.6, 0.8
"""The least relevance of a milestone that reports, and of another one, compared with the most
relevant sentence of the story."""
NEW = 0.3
"""The least share of a milestone's words, by their weight, that is new on its day."""
MOST_MILESTONES = 60
"""Milestones of a story that are kept: the first one and the latest."""


def find_milestones(
    profile: Profile, headline: str, days: Collection[date], kept: Collection[Milestone]
) -> tuple[Milestone, ...]:
    """Return the milestones of a story after articles of some days joined it.

    `kept` are the milestones before whose articles are still in the story. Those of other days
    stay as they are; of each of these days at most one is found. Each is understood after the
    headline and those of the days before it.
    """
    found = {milestone.day: milestone for milestone in kept if milestone.day not in days}
    held = {milestone.text for milestone in kept if milestone.day in days}
    for day in sorted(days):
        sentence = _of_day(profile, day, headline, list(found.values()), held)
        if sentence is not None:
            row = int(profile.sentences.rows[sentence])
            text, article = profile.sentences.texts[sentence], profile.articles[row].id
            found[day] = Milestone(day, text, article)
    ordered = [found[day] for day in sorted(found)]
    return (*ordered[:1], *ordered[1:][-(MOST_MILESTONES - 1) :])


def _of_day(
    profile: Profile, day: date, headline: str, others: list[Milestone], held: Collection[str]
) -> int | None:
    """Return the sentence that says best what was new on a day, if anything was.

    Those that it `held` before have an advantage.
    """
    sentences = profile.sentences
    of_day = np.array([article.published.date() == day for article in profile.articles])
    before = np.array([article.published.date() < day for article in profile.articles])
    own = np.flatnonzero(of_day[sentences.rows])
    if not len(own):
        return None
    scores = profile.relevance[own]
    scores[[sentences.texts[n] in held for n in own]] += HELD
    least = np.where(profile.reports[own], RELEVANT, COLOURFUL) * profile.relevance.max()
    scores[scores < least] = -np.inf
    if len(profile.articles) == 1 and not others:  # its page may begin with other news
        scores[
            (sentences.terms[own] @ profile.of_texts([headline]).T).toarray()[:, 0] == 0
        ] = -np.inf
    earlier = [milestone.text for milestone in others if milestone.day < day]
    if before.any() or earlier:
        newness = _newness(profile, of_day, before, earlier)
        news = np.asarray(profile.article_terms[of_day].mean(axis=0)).ravel() * newness
        share = sentences.terms[own].power(2) @ newness
        closeness = sentences.terms[own] @ news / max(float(np.linalg.norm(news)), 1e-12)
        scores = np.where(share >= NEW, scores + closeness, -np.inf)
    if others:
        likeness = profile.likeness([milestone.text for milestone in others])[own]
        scores = np.where(likeness.max(axis=1) >= 1, -np.inf, scores)
    known = profile.known([headline, *earlier])
    scores[[not profile.understood(int(n), known) for n in own]] = -np.inf
    best = int(scores.argmax())
    return int(own[best]) if np.isfinite(scores[best]) else None


def _newness(
    profile: Profile, of_day: np.ndarray, before: np.ndarray, earlier: list[str]
) -> Floats:
    """Return how new each term is on a day: 1 if no article or milestone before had it."""

    def share(rows: np.ndarray) -> Floats:
        having = np.bincount(profile.article_terms[rows].indices, minlength=size)
        return np.asarray(having / max(int(rows.sum()), 1))

    size = len(profile.vocabulary)
    known = share(before)
    if earlier and not before.any():
        known[profile.of_texts(earlier).indices] = 1
    return np.asarray(1 - np.minimum(known / np.maximum(share(of_day), 1e-12), 1))
