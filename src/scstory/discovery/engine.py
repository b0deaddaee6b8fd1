"""The engine: the window, M, assignment and learning put together, a slide at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.adam import Adam
from scstory.discovery.archive import Archive
from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.calibrate import CalibratedConfidence
from scstory.discovery.centre import RunningMean
from scstory.discovery.confidence import Confidence, PlainConfidence
from scstory.discovery.explain import as_given, assignment_of
from scstory.discovery.learn import begin_embedding, update
from scstory.discovery.lifecycle import describe
from scstory.discovery.presets import Parameters
from scstory.discovery.review import review
from scstory.discovery.second_look import CERTAIN, second_look
from scstory.discovery.seeds import seed_stories
from scstory.discovery.slide import OpenSlide
from scstory.discovery.views import Reader, Rows
from scstory.discovery.window import (
    UNDECIDED,
    SlideCutter,
    Window,
    slide_index,
    slide_start,
)
from scstory.discovery.within import Standing
from scstory.errors import BadItem
from scstory.text import FIELDS, TermStatistics
from scstory.types import Article, Assignment, EncodedArticle, Story, Vectors
from scstory.vectors import Encoder, encode_articles

ALL = slice(None)


class Engine:
    """Decides on articles, closes slides, learns: the paper's Algorithm 1."""

    def _setup(self, parameters: Parameters, encoder: Encoder, device: torch.device) -> None:
        self.parameters = parameters
        self.encoder = encoder
        self._device = device
        self._cutter = SlideCutter(parameters.slide_length)
        views, window = parameters.compared, parameters.window_length
        lexical = [name for name in views if name in FIELDS]
        fields = len(FIELDS) if lexical else 1
        self._window = Window(encoder.dim, fields)
        self._memory = Window(encoder.dim, fields)
        self._statistics = TermStatistics(fields)
        self._mean = RunningMean(encoder.dim)
        self._confidence: Confidence = (
            CalibratedConfidence(views, window, timing=parameters.timing)
            if parameters.calibrated
            else PlainConfidence()
        )
        self._reader = Reader(views, self._statistics, unit=parameters.calibrated)
        self._archive = Archive(len(views) - len(lexical), len(lexical), encoder.dim)
        self._stories: dict[int, Story] = {}
        self._sizes: Counter[int] = Counter()
        self._ended: list[Story] = []
        self._open = 0
        self._fold: OpenSlide | None = None
        self._told: dict[int, tuple[int, Story]] = {}
        self._next_story = 1
        self._slide: int | None = None
        self._first_slide: int | None = None
        self._waiting = parameters.cold_start == "kmeans"
        self._rng = np.random.default_rng(parameters.seed)
        self._model = self._make_model()
        self._optimiser = Adam(self._model.parameters(), parameters.learning_rate)

    def _make_model(self) -> ArticleEncoder:
        parameters = self.parameters
        return ArticleEncoder(
            self.encoder.dim,
            heads=parameters.heads,
            width=parameters.attention_width,
            pooling_width=parameters.pooling_width,
            start=parameters.start,
            seed=parameters.seed,
        ).to(self._device)

    def encode(self, articles: Iterable[Article | EncodedArticle]) -> list[EncodedArticle]:
        """Encode the articles that are not yet; cut those that are to L sentences."""
        articles = list(articles)
        plain = [article for article in articles if isinstance(article, Article)]
        limit = self.parameters.max_sentences
        fresh = iter(encode_articles(plain, self.encoder, max_sentences=limit))
        return [
            next(fresh)
            if isinstance(article, Article)
            else EncodedArticle(article.article, article.sentences[:limit], article.vectors[:limit])
            for article in articles
        ]

    # -- slide by slide -----------------------------------------------------------------------

    def decide(self, articles: Iterable[Article | EncodedArticle]) -> list[Assignment]:
        """Decide on articles now, in the order given, within the open slide.

        One of a later slide closes the open one first: what `close` says comes before it. Which
        stories come out depends on the articles and on where slides were closed, and on nothing
        else: not on how many articles a call brings, nor on stopping and going on in between.
        """
        encoded = self.encode(articles)
        self._refuse_duplicates(encoded)
        self._ended = []
        decided: list[Assignment] = []
        for index, some in self._by_slide(encoded):
            if self._slide is not None and index > self._slide:
                decided += self._closed()
            decided += self._advance(index)
            decided += self._take(some, index)
        return decided

    def close(self) -> list[Assignment]:
        """End the open slide: learn from it and look again at what is doubtful.

        Returns changes of mind, and what was held back until now: the first window of the paper's
        cold start. Nothing happens if no article came since the last slide was closed.
        """
        self._ended = []
        return self._closed()

    def process(self, articles: Iterable[Article | EncodedArticle]) -> list[Assignment]:
        """Decide on the articles of one slide, in order, then learn from the window.

        Slides without articles between the last call and this one are passed through first.
        Articles of a slide that is over count as belonging to the current one.
        """
        encoded = self.encode(articles)
        if not encoded:
            return []
        self._refuse_duplicates(encoded)
        self._ended = []
        index = max(index for index, _ in self._by_slide(encoded))
        decided = self._closed() if self._slide is not None and index > self._slide else []
        decided += self._advance(index)
        first = len(self._window)
        found = self._take(encoded, index)
        held_back, moved = self._end_slide()
        founded = {decision.story for decision in found if decision.new}
        self._ended = [story for story in self._ended if story.size or story.id not in founded]
        return decided + held_back + self._reported(first, found, moved)

    def admit_late(self, published: datetime, story: int | None = None) -> int:
        """Count an article from before the window, which is not taken in, with a story.

        Without one, return the number of a story that is over before it began to be told.
        """
        self._ended = []
        if story is None:
            self._next_story += 1
            return self._next_story - 1
        if story in self._sizes:
            self._sizes[story] += 1
        elif told := self._archive.told.get(story):
            first = min(told.first_seen, published)
            self._archive.told[story] = replace(told, first_seen=first, size=told.size + 1)
        if before := self._stories.get(story):
            first = min(before.first_seen, published)
            self._stories[story] = replace(before, first_seen=first)
            self._told.pop(story, None)
        return story

    @property
    def statistics(self) -> TermStatistics:
        """How common each term has been in the stream so far."""
        return self._statistics

    @property
    def current_slide(self) -> int | None:
        """The number of the slide decided last."""
        return self._slide

    @property
    def open_articles(self) -> int:
        """How many articles the open slide has; none if it is closed."""
        return self._open

    def _by_slide(
        self, articles: list[EncodedArticle]
    ) -> Iterator[tuple[int, list[EncodedArticle]]]:
        """Yield articles by the slide they are decided in; a late one goes with those before."""
        length, current = self.parameters.slide_length, self._slide
        indices = []
        for member in articles:
            index = slide_index(member.article.published, length)
            current = index if current is None else max(current, index)
            indices.append(current)
        for index, some in groupby(zip(indices, articles, strict=True), key=itemgetter(0)):
            yield index, [member for _, member in some]

    def _take(self, articles: list[EncodedArticle], index: int) -> list[Assignment]:
        """Take articles into the open slide; return the decisions, if it is time for any."""
        first = len(self._window)
        begins = slide_start(index, self.parameters.slide_length)
        self._window.append_unread(articles, not_before=begins)
        self._open += len(articles)
        new = np.arange(first, len(self._window))
        embedded = self._renewing(new, self._window) if not self._waiting else None
        self._window.read()
        if embedded is None:
            return []
        slide = self._open_slide(first)
        embedded()
        found = []
        coming = slide.newcomers(self._rows(new), self._times()[new].tolist())
        for i, article in zip(new.tolist(), coming, strict=True):
            decision, numbers = slide.decide(article, self._next_story)
            found.append(assignment_of(self._window, i, decision, numbers))
            self._settle(np.array([i]), found[-1:])
        return found

    def _open_slide(self, end: int) -> OpenSlide:
        """Return the stories as the first `end` articles of the window left them."""
        if self._fold is None:
            end = 0 if self._waiting else end  # nothing is decided yet
            assert self._slide is not None or not end
            length, window = self.parameters.slide_length, self.parameters.window_length
            ends = slide_start((self._slide or 0) + 1, length)
            self._fold = OpenSlide(
                self._window.story[:end],
                self._times()[:end].tolist(),
                self._rows(slice(0, end)),
                min(len(self._window) - self._open, end),
                archive=self._archive,
                strangers_before=(ends - 2 * window).timestamp(),
                confidence=self._confidence,
                delta=self.parameters.delta,
            )
        return self._fold

    def _closed(self) -> list[Assignment]:
        """Close the open slide; return what there is to say of it."""
        before = set(self._window.story.tolist())
        decided, moved = self._end_slide()
        for _, decision in sorted(moved.items()):
            decided.append(replace(decision, new=decision.story not in before))
            before.add(decision.story)
        return decided

    def _end_slide(self) -> tuple[list[Assignment], dict[int, Assignment]]:
        """Learn from the open slide; return what was held back, and changes of mind."""
        if not self._open:
            return [], {}
        first = len(self._window) - self._open
        new = np.arange(first, len(self._window))
        self._open, self._fold = 0, None
        self._told.clear()
        if self._waiting:
            assert self._slide is not None
            due = self._slide >= self._last_slide_of_first_window()
            return (self._seed() if due else []), {}
        self._confidence.learn()
        before = self._window.story.copy()
        moved = self._review(new)
        emptied = set(before[first:].tolist()) - set(self._window.story.tolist())
        founded = self._told_as(before, first) if emptied else {}
        self._learn(new)
        self._describe([*new.tolist(), *(i for i in moved if i < first)])
        for story in sorted(emptied & founded.keys() - self._stories.keys()):
            # All its articles went elsewhere before the slide was over.
            del self._sizes[story]
            self._ended.append(replace(founded[story], articles=(), size=0, active=False))
        return [], moved

    def _reported(
        self, first: int, found: list[Assignment], moved: dict[int, Assignment]
    ) -> list[Assignment]:
        """Return a slide's decisions as they stand after review, changes of mind last."""
        resumed = {decision.story for decision in found if not decision.new}
        known = {
            moved[i].was if i in moved else story
            for i, story in enumerate(self._window.story[:first].tolist())
        } | resumed
        known -= {decision.story for decision in found if decision.new}
        decided = []
        for i, decision in enumerate(found, first):
            final = replace(moved[i], was=None) if i in moved else decision
            decided.append(replace(final, new=final.story not in known))
            known.add(final.story)
        for i, decision in moved.items():
            if i < first:
                decided.append(replace(decision, new=decision.story not in known))
                known.add(decision.story)
        return decided

    def _advance(self, index: int) -> list[Assignment]:
        """Move the window, slide by slide, so that it ends with slide `index`."""
        slide, window = self.parameters.slide_length, self.parameters.window_length
        decided: list[Assignment] = []
        if self._slide is None or self._first_slide is None:
            self._slide = self._first_slide = index
        while self._slide < index:
            if self._waiting and self._slide >= self._last_slide_of_first_window():
                decided += self._seed()
            self._fold = None
            # Once nothing is left in the window, empty slides change nothing.
            self._slide = self._slide + 1 if len(self._window) else index
            end = slide_start(self._slide + 1, slide)
            gone = self._window.evict(end - window)
            self._keep(gone, end)
            if self.parameters.memory_length > window:
                self._memory = gone.after(self._memory)
                self._memory.evict(end - self.parameters.memory_length)
            if len(gone):
                self._end(self._stories.keys() - set(self._window.story.tolist()))
            if self._slide < index and not self._waiting:
                self._learn()
        return decided

    def _keep(self, gone: Window, end: datetime) -> None:
        """Remember, for a while, what left the window."""
        if not self.parameters.resume:
            return
        if len(gone):
            rows = self._reader.rows(gone, slice(None), self._mean_vector())
            self._archive.add(gone.story, _seconds(gone), rows)
        self._archive.drop((end - self.parameters.resume_length).timestamp())

    def _last_slide_of_first_window(self) -> int:
        assert self._first_slide is not None
        slides = -(-self.parameters.window_length // self.parameters.slide_length)
        return self._first_slide + slides - 1

    def _seed(self) -> list[Assignment]:
        """Cold start: cluster the first window, train M on the clusters, cluster once more."""
        window, parameters = self._window, self.parameters
        everything = np.arange(len(window))
        self._waiting = False
        self._count(everything)

        def cluster() -> None:
            window.story[:] = self._next_story + seed_stories(
                window.vectors, seed_size=parameters.seed_size, rng=self._rng
            )

        window.vectors[:] = [member.vectors.mean(axis=0) for member in window.members]
        cluster()
        for _ in range(parameters.warm_epochs if parameters.learned else 0):
            self._embed(everything)
            self._update(everything)
        self._embed(everything)
        cluster()
        self._embed(everything)
        decided = self._settle(everything, self._as_given(everything))
        self._describe(everything)
        return decided

    def _as_given(self, chosen: NDArray[np.int64]) -> list[Assignment]:
        return as_given(self._window, chosen, self._standing(self._window), self._confidence)

    def _settle(self, chosen: NDArray[np.int64], decided: list[Assignment]) -> list[Assignment]:
        """Take note of decisions on articles of the window."""
        for i, decision in zip(chosen, decided, strict=True):
            if not decision.new and decision.story in self._archive.told:
                self._take_up(decision.story)
            self._window.story[i] = decision.story
            self._window.confidence[i] = decision.confidence
            self._sizes[decision.story] += 1
        self._next_story = max(self._next_story, *(d.story + 1 for d in decided))
        return decided

    def _take_up(self, story: int) -> None:
        """Go on telling a story that was over."""
        told = self._archive.told.pop(story)
        self._stories[story] = replace(told, active=True)
        self._sizes[story] = told.size
        self._ended = [ended for ended in self._ended if ended.id != story]

    def _learn(self, new: Sequence[int] | NDArray[np.int64] = ()) -> None:
        """Update M on the window, then bring R_d, R_S and confidences up to date.

        What is known of the stream (mean vector, term frequencies) grows between the two: an
        update compares vectors as they were decided on. If the window is too large for every
        article to get a new vector, those whose story has not grown are not rated anew.
        """
        window = self._window
        if not len(window):
            return
        everything = np.arange(len(window))
        for epoch in range(self.parameters.epochs if self._is_time_to_learn() else 0):
            if epoch:
                self._embed(everything)
            self._update(new)
        self._count(new)
        most = self.parameters.refresh or len(window)
        if most >= len(window):
            self._embed(everything)
        else:
            self._renew(np.argsort(window.embedded, kind="stable")[:most], window)
            grown = np.isin(window.story, window.story[np.asarray(new, dtype=np.int64)])
            self._rate(window, np.flatnonzero(grown))

    def _describe(self, joined: Sequence[int] | NDArray[np.int64]) -> None:
        """Put the stories that articles joined into words afresh; let emptied ones end."""
        window = self._window
        arrivals: dict[int, list[Article]] = {}
        for i in joined:
            arrivals.setdefault(int(window.story[i]), []).append(window.members[i].article)
        for story, articles in arrivals.items():
            self._stories[story] = describe(
                window,
                story,
                self._statistics,
                joined=articles,
                before=self._stories.get(story),
            )
        self._end(self._stories.keys() - set(window.story.tolist()))

    def _told_of(self, first: int, *, only_new: bool = False) -> dict[int, Story]:
        """Return the stories of the open slide's articles, told as of now.

        Until the slide is closed every telling begins with the one before the slide, so that it
        does not matter how often a story was told in between.
        """
        window = self._window
        arrivals: dict[int, list[Article]] = {}
        for i in range(first, len(window)):
            story = int(window.story[i])
            if story != UNDECIDED and not (only_new and story in self._stories):
                arrivals.setdefault(story, []).append(window.members[i].article)
        for story, articles in arrivals.items():
            if self._told.get(story, (0,))[0] != len(articles):
                before = self._stories.get(story)
                told = describe(window, story, self._statistics, joined=articles, before=before)
                self._told[story] = len(articles), told
        return {story: self._told[story][1] for story in arrivals}

    def _told_as(self, story: NDArray[np.int64], first: int) -> dict[int, Story]:
        """Return the stories that began in the open slide, told as if articles were as given."""
        now, self._window.story = self._window.story, story
        told = self._told_of(first, only_new=True)
        self._window.story = now
        self._told.clear()
        return told

    def _end(self, stories: Iterable[int]) -> None:
        """Let stories go that have no article in the window any more."""
        for story in sorted(stories):
            ended = replace(self._stories.pop(story), size=self._sizes.pop(story), active=False)
            self._ended.append(ended)
            self._archive.tell(replace(ended, articles=(), key_sentences=()))

    def _is_time_to_learn(self) -> bool:
        parameters = self.parameters
        if not parameters.learned:
            return False
        if parameters.update == "first":
            assert self._slide is not None
            return (
                parameters.cold_start == "none"
                and self._slide <= self._last_slide_of_first_window()
            )
        share = parameters.update_share
        return share >= 1 or bool(self._rng.random() < share)

    def _update(self, new: Sequence[int] | NDArray[np.int64] | None = None) -> None:
        window, scope = self._window, None
        added = None if new is None else np.asarray(new, dtype=np.int64)
        if len(self._memory):
            added = None if added is None else added + len(self._memory)
            window = self._window.after(self._memory)
            self._embed(np.arange(len(window)), window)
        elif self.parameters.memory_length < self.parameters.window_length:
            assert self._slide is not None
            end = slide_start(self._slide + 1, self.parameters.slide_length)
            since = end - self.parameters.memory_length
            scope = np.flatnonzero([time >= since for time in window.times])
        update(
            self._model,
            self._optimiser,
            window,
            self.parameters,
            centre=self._centre(),
            rng=self._rng,
            scope=scope,
            new=added,
        )

    def _review(self, new: NDArray[np.int64]) -> dict[int, Assignment]:
        """Look again at the window's articles; return the changes of mind."""
        window, parameters = self._window, self.parameters
        before = window.story.copy()
        for _ in range(parameters.review):
            if parameters.calibrated:
                doubted = self._look_again(new)
                if doubted:
                    self._rate(window)
            else:
                self._next_story, doubted = review(
                    window.story,
                    window.confidence,
                    self._times(),
                    self._rows(slice(None)),
                    self._confidence,
                    below=parameters.review_below,
                    delta=parameters.delta,
                    frozen=parameters.review_frozen,
                    next_story=self._next_story,
                )
            if not doubted:
                break
        changed = np.flatnonzero(window.story != before)
        for i in changed.tolist():
            self._sizes[int(before[i])] -= 1
            self._sizes[int(window.story[i])] += 1
        decided = self._as_given(changed) if len(changed) else []
        return {
            i: replace(decision, was=int(before[i]))
            for i, decision in zip(changed.tolist(), decided, strict=True)
        }

    def _look_again(self, new: NDArray[np.int64]) -> bool:
        """Let articles move that are new, alone or not certain; say whether any did."""
        window = self._window
        _, column, sizes = np.unique(window.story, return_inverse=True, return_counts=True)
        looked_at = (sizes[column] == 1) | (window.confidence < CERTAIN)
        looked_at[new] = True
        # All articles of their stories are needed to say what these are like without one of them.
        some = np.flatnonzero((np.bincount(column, looked_at) > 0)[column])
        story = window.story[some]
        self._next_story = second_look(
            story,
            self._times()[some],
            self._rows(some),
            np.searchsorted(some, new),
            self._confidence,
            delta=self.parameters.delta,
            next_story=self._next_story,
            looked_at=np.flatnonzero(looked_at[some]),
        )
        moved = not np.array_equal(story, window.story[some])
        window.story[some] = story
        return moved

    def _embed(self, chosen: NDArray[np.int64], window: Window | None = None) -> None:
        """Make R of some articles anew, and every confidence in the window."""
        window = window or self._window
        self._renew(chosen, window)
        self._rate(window)

    def _renew(self, chosen: NDArray[np.int64], window: Window) -> None:
        """Make R of some articles anew."""
        self._renewing(chosen, window)()

    def _renewing(self, chosen: NDArray[np.int64], window: Window) -> Callable[[], None]:
        """Begin to make R of some articles anew; return what ends it."""
        assert self._slide is not None
        window.embedded[chosen] = self._slide
        model = self._model if self.parameters.learned else None
        return begin_embedding(model, window, chosen, self._centre())

    def _rate(self, window: Window, chosen: NDArray[np.int64] | slice = ALL) -> None:
        """Set the confidence of some stories' articles, all of them, to that in their own story."""
        window.confidence[chosen] = self._standing(window, chosen).own(self._confidence)

    def _standing(self, window: Window, chosen: NDArray[np.int64] | slice = ALL) -> Standing:
        rows = self._reader.rows(window, chosen, self._mean_vector())
        apart = self.parameters.calibrated
        return Standing.of(window.story[chosen], _seconds(window)[chosen], rows, apart=apart)

    def _rows(self, chosen: NDArray[np.int64] | slice) -> Rows:
        return self._reader.rows(self._window, chosen, self._mean_vector())

    def _times(self) -> NDArray[np.float64]:
        return _seconds(self._window)

    def _count(self, new: Sequence[int] | NDArray[np.int64]) -> None:
        """Let new articles count in what is known of the stream."""
        if len(new):
            self._statistics.update(self._window.terms[new])
        for i in new:
            self._mean.update(self._window.members[i].vectors)

    def _centre(self) -> Tensor:
        return torch.from_numpy(self._mean_vector())

    def _mean_vector(self) -> Vectors:
        mean = self._mean.value()
        return mean if self.parameters.centring else np.zeros_like(mean)

    def _refuse_duplicates(self, articles: list[EncodedArticle]) -> None:
        known = {member.article.id for member in self._window.members}
        for member in articles:
            if member.article.id in known:
                raise BadItem(f"article {member.article.id!r}: already in the window")
            known.add(member.article.id)


def _seconds(window: Window) -> NDArray[np.float64]:
    """Return when the articles of a window came."""
    return np.array([time.timestamp() for time in window.times])
