"""The open slide: its articles are decided one after the other, however many arrive at a time.

The state of the stories is a fold: the stories as the slide started, then one article after the
other. Each step depends on the article and on what came before it, bit for bit; so a slide may be
divided into calls anywhere, and resumed from a checkpoint, with the same outcome.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import Gaps, spans
from scstory.discovery.calibrated.languages import (
    Parts,
    best_parts,
    languages_of,
    part_number,
    part_numbers,
    stories_of,
)
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.pair_posteriors import Kinds, PairPosteriors
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.story_features import (
    COMPARED_AT_ONCE,
    ArticleFeatures,
    StoryFeatures,
    one_by_one,
)
from scstory.discovery.method import Decision
from scstory.discovery.paper.assignment import choose
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints
from scstory.types import RunnerUp

_NO_TERMS, _NO_COUNTS = np.empty(0, dtype=np.int32), np.empty(0)


class Newcomer(NamedTuple):
    """An article about to be decided, and its products with what was there before the slide."""

    article: ArticleFeatures
    ongoing: NDArray[Any]
    """Inner products with the stories of the window, by field; in a large one how close it is."""
    archived: Floats
    """Inner products with the stories beyond it."""
    terms: NDArray[np.int32] = _NO_TERMS
    counts: Floats = _NO_COUNTS
    """In a large window, how often the article has each of its terms."""
    since: int = 0
    """How often the table had changed by then."""


class Compared(NamedTuple):
    """An article and the stories of the window."""

    ids: list[int]
    products: Floats
    cosines: Floats
    gaps: Gaps
    unrelated: Gaps | None = None
    """Gaps to stories unrelated to the article, where not all stories are compared."""
    kinds: Kinds | None = None
    """The kinds of the pairs; None if all are of the first kind."""
    parts: Ints = np.empty(0, dtype=np.int64)
    """The parts of stories, where there are several kinds."""


class Choice(NamedTuple):
    """The story for an article, None for a new one, and why."""

    story: int | None
    confidence: float
    runners_up: tuple[RunnerUp, ...]
    evidence: dict[str, float]

    def decided(self, row: int, story: int) -> Decision:
        """Return the choice as the decision on a row, with the number that the story got."""
        new = self.story is None
        return Decision(row, story, self.confidence, new, self.runners_up, self.evidence)


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
        posterior: PairPosteriors,
        settings: CalibratedSettings,
    ) -> None:
        """Start with the window's articles before `first`, then add the rest of those given."""
        parts = part_numbers(story, rows.language)
        ids, members = membership(parts[:first])
        self._parts: Ints = ids
        """The parts of stories, each the articles in one language (`languages.py`)."""
        self.ids: list[int] = stories_of(ids).tolist()
        """The story of each part."""
        self._begin(archive, strangers_before, posterior, settings)
        newest, oldest = spans(parts[:first], np.array(times[:first]), ids)
        sizes = np.diff(members.indptr).astype(np.float64)
        self._ongoing = StoryFeatures(rows[:first].summed(members), sizes, newest, oldest)
        self._ended = ~np.isin(archive.stories, story)
        self._columns = {part: column for column, part in enumerate(ids.tolist())}
        rest = one_by_one(rows[first:], times[first:])
        for article, number in zip(rest, story[first:].tolist(), strict=True):
            self._join(article, self._ongoing.products(article), number)

    def _begin(
        self,
        archive: Archive,
        strangers_before: float,
        posterior: PairPosteriors,
        settings: CalibratedSettings,
    ) -> None:
        self._posterior, self._settings = posterior, settings
        self._archive, self._strangers_before = archive, strangers_before
        self._archived = StoryFeatures(archive.sums, archive.sizes, archive.last, archive.last)
        self._ended = np.ones(len(archive.ids), dtype=bool)
        """Which stories of the archive have no article in the window."""
        self._strangers_for: tuple[int, Ints] | None = None

    def newcomers(
        self, rows: Features, times: Sequence[float], counts: csr_array | None = None
    ) -> Iterator[Newcomer]:
        """Yield articles to be decided; what does not change in between is computed for many.

        `counts` says how often each has each of its terms, which a large window asks for.
        """
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            few = slice(start, start + COMPARED_AT_ONCE)
            some = rows[few]
            ongoing = self._ongoing.initial_products(some.terms)
            archived = self._archived.initial_products(some.terms)
            for i, article in enumerate(one_by_one(some, times[few])):
                yield Newcomer(article, ongoing[:, i], archived[:, i])

    def predict(self, newcomer: Newcomer) -> Choice:
        """Say where an article would go, and change nothing."""
        return self._choose(newcomer, self._compare(newcomer), note=False)

    def decide(self, newcomer: Newcomer, new_story: Callable[[], int]) -> tuple[Choice, int]:
        """Add an article to the story chosen for it; return the choice and the story's number."""
        compared = self._compare(newcomer)
        choice = self._choose(newcomer, compared, note=True)
        story = new_story() if choice.story is None else choice.story
        self._ended &= self._archive.stories != story
        self._join(newcomer.article, compared.products, story)
        return choice, story

    def _compare(self, newcomer: Newcomer) -> Compared:
        """Compare an article with the stories of the window."""
        article = newcomer.article
        products = self._ongoing.products(article, newcomer.ongoing)
        cosines = self._ongoing.cosines(article, products, self._settings.coherence)
        kinds = self._kinds(article.language, languages_of(self._parts))
        gaps = self._ongoing.gaps(article, None if kinds is None else Parts.of(self._parts))
        return Compared(self.ids, products, cosines, gaps, kinds=kinds, parts=self._parts)

    def _kinds(self, language: int, others: Ints) -> Kinds | None:
        """Return the kinds of pairs of an article and parts; None if all are of the first kind."""
        return self._posterior.languages.kinds(language, others)

    def _choose(self, newcomer: Newcomer, compared: Compared, *, note: bool) -> Choice:
        article, posterior, delta = newcomer.article, self._posterior, self._settings.delta
        kinds = compared.kinds
        parted = posterior.evidence(compared.cosines, compared.gaps, kinds)
        numbers, evidence = compared.ids, parted
        if kinds is not None:
            numbers, evidence = best_parts(compared.parts, parted)
        story, confidence, runners_up = choose(numbers, sigmoid(evidence.sum(axis=0)), delta)
        past = self._archived.cosines(article, self._past(newcomer), self._settings.coherence)
        past_kinds = self._kinds(article.language, self._archive.sums.language)
        if note:
            strange = self._strangers()
            strange_kinds = None if past_kinds is None else past_kinds[strange]
            cosines, gaps, far = compared.cosines, compared.gaps, compared.unrelated
            posterior.note(cosines, gaps, past[:, strange], far, kinds, strange_kinds)
            self._take_note(compared.ids, parted)
        if story is None:
            ended = np.flatnonzero(self._ended)
            numbers = self._archive.stories[ended].tolist()
            quiet = article.time - self._archive.last[ended]
            kinds = None if past_kinds is None else past_kinds[ended]
            evidence = posterior.resumption_evidence(past[:, ended], quiet, kinds)
            if kinds is not None:
                numbers, evidence = best_parts(self._archive.ids[ended], evidence)
            story, confidence, _ = choose(numbers, sigmoid(evidence.sum(axis=0)), delta)
        if story is None:
            return Choice(None, confidence, runners_up, {})
        own = evidence[:, numbers.index(story)].tolist()
        named = dict(zip(posterior.names, own, strict=True))
        return Choice(story, confidence, runners_up, named)

    def _past(self, newcomer: Newcomer) -> Floats:
        """Return the inner products of an article with the stories beyond the window."""
        return self._archived.products(newcomer.article, newcomer.archived)

    def _take_note(self, ids: list[int], evidence: Floats) -> None:
        """Take note of how an article compares with the stories of the window."""

    def _strangers(self) -> Ints:
        """Return as many stories that ended long ago as are ongoing."""
        ongoing = self._number_of_stories()
        if self._strangers_for is None or self._strangers_for[0] != ongoing:
            self._strangers_for = ongoing, self._find_strangers(ongoing)
        return self._strangers_for[1]

    def _number_of_stories(self) -> int:
        return len(self.ids)

    def _find_strangers(self, ongoing: int) -> Ints:
        count = max(ongoing, self._settings.fewest_strangers)
        long_ago = np.flatnonzero(self._ended & (self._archive.last < self._strangers_before))
        if self._archive.full and len(long_ago) < count:
            return np.flatnonzero(self._ended)[:count]
        return long_ago[-count:]

    def _join(self, article: ArticleFeatures, products: Floats, number: int) -> None:
        part = part_number(number, article.language)
        column = self._columns.setdefault(part, len(self.ids))
        if column == len(self.ids):
            self._parts = np.append(self._parts, part)
            self.ids.append(number)
        self._ongoing.join(column, article, products)
