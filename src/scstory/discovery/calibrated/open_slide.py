"""The open slide: its articles are decided one after the other, however many arrive at a time.

The state of the stories is a fold: the stories as the slide started, then one article after the
other. Each step depends on the article and on what came before it, bit for bit; so a slide may be
divided into calls anywhere, and resumed from a checkpoint, with the same outcome.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import spans
from scstory.discovery.calibrated.languages import (
    Parts,
    best_parts,
    languages_of,
    part_number,
    part_numbers,
    stories_of,
)
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.posterior import sigmoid
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.story_features import (
    COMPARED_AT_ONCE,
    ArticleFeatures,
    StoryFeatures,
    one_by_one,
)
from scstory.discovery.paper.assignment import choose
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints
from scstory.types import RunnerUp


class Newcomer(NamedTuple):
    """An article about to be decided, and its products with what was there before the slide."""

    article: ArticleFeatures
    ongoing: Floats
    """Inner products with the stories of the window, by field."""
    archived: Floats
    """The same with those beyond it."""


class Choice(NamedTuple):
    """The story for an article, None for a new one, and why."""

    story: int | None
    confidence: float
    runners_up: tuple[RunnerUp, ...]
    evidence: dict[str, float]


class OpenSlide:
    """The stories of a window and of the articles decided since, as of the latest of them."""

    def __init__(
        self,
        story: Ints,
        times: Sequence[float],
        rows: Features,
        first: int,
        *,
        archive: Archive,
        strangers_before: float,
        posteriors: PairPosteriors,
        settings: CalibratedSettings,
    ) -> None:
        """Start with the window's articles before `first`, then add the rest of those given."""
        parts = part_numbers(story, rows.language)
        ids, members = membership(parts[:first])
        self._parts: Ints = ids
        """The parts of stories, each the articles in one language (`languages.py`)."""
        self.ids: list[int] = stories_of(ids).tolist()
        """The story of each part."""
        self._posteriors, self._settings = posteriors, settings
        self._archive, self._strangers_before = archive, strangers_before
        newest, oldest = spans(parts[:first], np.array(times[:first]), ids)
        sizes = np.diff(members.indptr).astype(np.float64)
        self._ongoing = StoryFeatures(rows[:first].summed(members), sizes, newest, oldest)
        self._archived = StoryFeatures(archive.sums, archive.sizes, archive.last, archive.last)
        self._columns = {part: column for column, part in enumerate(ids.tolist())}
        self._strangers_for: tuple[int, Ints] | None = None
        rest = one_by_one(rows[first:], times[first:])
        for article, number in zip(rest, parts[first:].tolist(), strict=True):
            self._join(article, self._ongoing.products(article), number)

    def newcomers(self, rows: Features, times: Sequence[float]) -> Iterator[Newcomer]:
        """Yield articles to be decided; what does not change in between is computed for many."""
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            few = slice(start, start + COMPARED_AT_ONCE)
            some = rows[few]
            ongoing = self._ongoing.initial_products(some.terms)
            archived = self._archived.initial_products(some.terms)
            for i, article in enumerate(one_by_one(some, times[few])):
                yield Newcomer(article, ongoing[:, i], archived[:, i])

    def predict(self, newcomer: Newcomer) -> Choice:
        """Say where an article would go, and change nothing."""
        products = self._ongoing.products(newcomer.article, newcomer.ongoing)
        return self._choose(newcomer, products, note=False)

    def decide(self, newcomer: Newcomer, new_story: Callable[[], int]) -> tuple[Choice, int]:
        """Add an article to the story chosen for it; return the choice and the story's number."""
        products = self._ongoing.products(newcomer.article, newcomer.ongoing)
        choice = self._choose(newcomer, products, note=True)
        story = new_story() if choice.story is None else choice.story
        part = part_number(story, newcomer.article.language)
        self._join(newcomer.article, products, part)
        return choice, story

    def _choose(self, newcomer: Newcomer, products: Floats, *, note: bool) -> Choice:
        article, posteriors, delta = newcomer.article, self._posteriors, self._settings.delta
        coherence, kinds_of = self._settings.coherence, posteriors.languages.kinds
        cosines = self._ongoing.cosines(article, products, coherence)
        kinds = kinds_of(article.language, languages_of(self._parts))
        gaps = self._ongoing.gaps(article, None if kinds is None else Parts.of(self._parts))
        numbers, evidence = self.ids, posteriors.evidence(cosines, gaps, kinds)
        if kinds is not None:
            numbers, evidence = best_parts(self._parts, evidence)
        story, confidence, runners_up = choose(numbers, sigmoid(evidence.sum(axis=0)), delta)
        past_products = self._archived.products(article, newcomer.archived)
        past = self._archived.cosines(article, past_products, coherence)
        past_kinds = kinds_of(article.language, self._archive.sums.language)
        if note:
            strangers = self._strangers()
            strange_kinds = None if past_kinds is None else past_kinds[strangers]
            posteriors.note(cosines, gaps, past[:, strangers], kinds, strange_kinds)
        if story is None:
            ended = np.flatnonzero(~np.isin(self._archive.stories, self.ids))
            quiet = article.time - self._archive.last[ended]
            kinds = None if past_kinds is None else past_kinds[ended]
            evidence = posteriors.resumption_evidence(past[:, ended], quiet, kinds)
            numbers = self._archive.stories[ended].tolist()
            if kinds is not None:
                numbers, evidence = best_parts(self._archive.ids[ended], evidence)
            story, confidence, _ = choose(numbers, sigmoid(evidence.sum(axis=0)), delta)
        if story is None:
            return Choice(None, confidence, runners_up, {})
        own = evidence[:, numbers.index(story)].tolist()
        named = dict(zip(posteriors.names, own, strict=True))
        return Choice(story, confidence, runners_up, named)

    def _strangers(self) -> Ints:
        """Return as many stories that ended long ago as are ongoing."""
        if self._strangers_for is None or self._strangers_for[0] != len(self.ids):
            self._strangers_for = len(self.ids), self._find_strangers()
        return self._strangers_for[1]

    def _find_strangers(self) -> Ints:
        count = max(len(self._ongoing), self._settings.fewest_strangers)
        ended = ~np.isin(self._archive.stories, self.ids)
        long_ago = np.flatnonzero(ended & (self._archive.last < self._strangers_before))
        if self._archive.full and len(long_ago) < count:
            return np.flatnonzero(ended)[:count]
        return long_ago[-count:]

    def _join(self, article: ArticleFeatures, products: Floats, part: int) -> None:
        column = self._columns.setdefault(part, len(self.ids))
        if column == len(self.ids):
            self._parts = np.append(self._parts, part)
            self.ids.append(int(stories_of(self._parts[-1])))
        self._ongoing.join(column, article, products)
