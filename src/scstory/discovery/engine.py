"""StoryDiscovery: the window, M, assignment and learning put together, a slide at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scstory.discovery.assign import View, assign
from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.centre import RunningMean
from scstory.discovery.checkpoint import (
    model_arrays,
    restore_model,
    restore_window,
    window_arrays,
)
from scstory.discovery.confidence import (
    PlainConfidence,
    StandardConfidence,
    compare,
    confidences,
)
from scstory.discovery.explain import as_given
from scstory.discovery.learn import embed, update
from scstory.discovery.lifecycle import as_of_now, describe
from scstory.discovery.presets import Parameters, from_dict, make_parameters, to_dict
from scstory.discovery.review import review
from scstory.discovery.seeds import seed_stories
from scstory.discovery.state import dump_state, load_state, story_from_dict, story_to_dict
from scstory.discovery.window import (
    EPOCH,
    UNDECIDED,
    SlideCutter,
    Window,
    slide_index,
    slide_start,
)
from scstory.errors import BadItem, ConfigError, StoreError, UsageError
from scstory.text import TermStatistics
from scstory.types import (
    Article,
    Assignment,
    EncodedArticle,
    Explanation,
    RunnerUp,
    State,
    Story,
)
from scstory.vectors import Encoder, default_encoder, encode_articles

FORMAT = 1


class StoryDiscovery:
    """Reads articles and keeps the stories they tell.

    Feed it a stream with `stream` or `learn_one`, which cut the stream into slides, or slide by
    slide with `process`. One seed drives everything: the same stream gives the same stories.

    Parameters
    ----------
    preset
        `default`, or `paper` for the algorithm as published.
    encoder
        The sentence encoder; MiniLM unless given.
    overrides
        Single parameters of the preset, such as ``delta=0.4`` or ``window="3d"``.
    """

    def __init__(
        self,
        preset: str = "default",
        *,
        encoder: Encoder | None = None,
        **overrides: Any,
    ) -> None:
        self._setup(make_parameters(preset, overrides), encoder or default_encoder())

    def _setup(self, parameters: Parameters, encoder: Encoder) -> None:
        self.parameters = parameters
        self.encoder = encoder
        self._cutter = SlideCutter(parameters.slide_length)
        self._window = Window(encoder.dim)
        self._memory = Window(encoder.dim)
        self._statistics = TermStatistics()
        self._mean = RunningMean(encoder.dim)
        lexical = parameters.lexical
        kind = StandardConfidence if parameters.standardised else PlainConfidence
        self._confidence = kind([1 - lexical, lexical] if lexical else [1.0])
        self._stories: dict[int, Story] = {}
        self._sizes: Counter[int] = Counter()
        self._ended: list[Story] = []
        self._next_story = 1
        self._slide: int | None = None
        self._first_slide: int | None = None
        self._waiting = parameters.cold_start == "kmeans"
        self._rng = np.random.default_rng(parameters.seed)
        self._model = self._make_model()
        self._optimiser = torch.optim.Adam(self._model.parameters(), lr=parameters.learning_rate)

    def _make_model(self) -> ArticleEncoder:
        parameters = self.parameters
        return ArticleEncoder(
            self.encoder.dim,
            heads=parameters.heads,
            pooling_width=parameters.pooling_width,
            start=parameters.start,
            seed=parameters.seed,
        )

    # -- a stream, article by article ---------------------------------------------------------

    def stream(self, articles: Iterable[Article]) -> Iterator[Assignment]:
        """Yield a decision for every article, each slide's as soon as the slide is over."""
        for article in articles:
            yield from self.learn_one(article)
        yield from self.finish()

    def learn_one(self, article: Article) -> list[Assignment]:
        """Take the next article of the stream; return the decisions that this made possible.

        Articles are decided a slide at a time, when the first article of a later slide comes.
        """
        closed = self._cutter.add(article)
        return self.process(closed) if closed else []

    def predict_one(self, article: Article) -> Assignment:
        """Say which active story an article would join, without taking it in."""
        encoded = self.encode([article])
        scratch = Window(self.encoder.dim)
        scratch.append(encoded, not_before=article.published)
        return self._decide(scratch, np.arange(1))[0]

    def finish(self) -> list[Assignment]:
        """Decide on whatever is still held back, since the stream has ended (for now)."""
        decided = self.process(rest) if (rest := self._cutter.close()) else []
        if self._waiting and len(self._window):
            decided += self._seed()
        return decided

    def encode(self, articles: Sequence[Article | EncodedArticle]) -> list[EncodedArticle]:
        """Encode the articles that are not yet; cut those that are to L sentences."""
        plain = [article for article in articles if isinstance(article, Article)]
        limit = self.parameters.max_sentences
        fresh = iter(encode_articles(plain, self.encoder, max_sentences=limit))
        return [
            next(fresh)
            if isinstance(article, Article)
            else EncodedArticle(article.article, article.sentences[:limit], article.vectors[:limit])
            for article in articles
        ]

    @property
    def current_slide(self) -> int | None:
        """The number of the slide decided last."""
        return self._slide

    # -- slide by slide -----------------------------------------------------------------------

    def process(self, articles: Sequence[Article | EncodedArticle]) -> list[Assignment]:
        """Decide on the articles of one slide, in order, then learn from the window.

        Slides without articles between the last call and this one are passed through first.
        Articles of a slide that is over count as belonging to the current one.
        """
        encoded = self.encode(articles)
        if not encoded:
            return []
        self._refuse_duplicates(encoded)
        self._ended = []
        slide = self.parameters.slide_length
        indices = [slide_index(member.article.published, slide) for member in encoded]
        index = max(indices) if self._slide is None else max(self._slide, *indices)
        decided = self._advance(index)
        first = len(self._window)
        self._window.append(encoded, not_before=slide_start(index, slide))
        if self._waiting:
            if index >= self._last_slide_of_first_window():
                decided += self._seed()
            return decided
        new = np.arange(first, len(self._window))
        found = self._decide(self._window, new)
        self._confidence.observe(self._compare(self._window, new)[0])
        self._settle(new, found)
        moved = self._review()
        self._learn(new)
        self._describe([*new.tolist(), *(i for i in moved if i < first)])
        self._after_slide(new)
        return decided + self._reported(first, found, moved)

    def _reported(
        self, first: int, found: list[Assignment], moved: dict[int, Assignment]
    ) -> list[Assignment]:
        """Return a slide's decisions as they stand after review, changes of mind last."""
        known = set(self._window.story[:first].tolist()) - {d.story for d in found if d.new}
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

    def _after_slide(self, new: NDArray[np.int64]) -> None:
        """Do what a kin of this system does after a slide."""

    def _advance(self, index: int) -> list[Assignment]:
        """Move the window, slide by slide, so that it ends with slide `index`."""
        slide, window = self.parameters.slide_length, self.parameters.window_length
        decided: list[Assignment] = []
        if self._slide is None or self._first_slide is None:
            self._slide = self._first_slide = index
        while self._slide < index:
            if self._waiting and self._slide >= self._last_slide_of_first_window():
                decided += self._seed()
            # Once nothing is left in the window, empty slides change nothing.
            self._slide = self._slide + 1 if len(self._window) else index
            end = slide_start(self._slide + 1, slide)
            gone = self._window.evict(end - window)
            if self.parameters.memory_length > window:
                self._memory = gone.after(self._memory)
                self._memory.evict(end - self.parameters.memory_length)
            if len(gone):
                self._end(self._stories.keys() - set(self._window.story.tolist()))
            if self._slide < index and not self._waiting:
                self._learn()
        return decided

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
        decided = self._settle(everything, self._as_given())
        self._describe(everything)
        return decided

    def _decide(self, articles: Window, chosen: NDArray[np.int64]) -> list[Assignment]:
        """Say where articles go, without taking note of it."""
        model = self._model if self.parameters.learned else None
        embed(model, articles, chosen, self._centre())
        views, ids = self._compare(articles, chosen)
        numbers = [*ids.tolist(), *range(self._next_story, self._next_story + len(chosen))]
        decisions = assign(views, self._confidence, delta=self.parameters.delta)
        return [
            Assignment(
                articles.members[i].article.id,
                numbers[decision.story],
                decision.confidence,
                decision.new,
                runners_up=tuple(RunnerUp(numbers[k], conf) for k, conf in decision.runners_up),
                parts=decision.parts,
                weights=tuple(articles.pooling[i].tolist()),
            )
            for i, decision in zip(chosen, decisions, strict=True)
        ]

    def _as_given(self) -> list[Assignment]:
        views, ids = self._compare(self._window, np.arange(len(self._window)))
        return as_given(self._window, views, ids, self._confidence)

    def _settle(self, chosen: NDArray[np.int64], decided: list[Assignment]) -> list[Assignment]:
        """Take note of decisions on articles of the window."""
        for i, decision in zip(chosen, decided, strict=True):
            self._window.story[i] = decision.story
            self._window.confidence[i] = decision.confidence
            self._sizes[decision.story] += 1
        self._next_story = max(self._next_story, *(d.story + 1 for d in decided))
        return decided

    def _learn(self, new: Sequence[int] | NDArray[np.int64] = ()) -> None:
        """Update M on the window, then bring every R_d, R_S and confidence up to date.

        What is known of the stream (mean vector, term frequencies) grows between the two, so
        that an update compares vectors made with one and the same mean.
        """
        if not len(self._window):
            return
        everything = np.arange(len(self._window))
        for epoch in range(self.parameters.epochs if self._is_time_to_learn() else 0):
            if epoch:
                self._embed(everything)
            self._update(new)
        self._count(new)
        self._embed(everything)

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

    def _end(self, stories: Iterable[int]) -> None:
        """Let stories go that have no article in the window any more."""
        for story in sorted(stories):
            ended = replace(self._stories.pop(story), size=self._sizes.pop(story), active=False)
            self._ended.append(ended)

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

    def _review(self) -> dict[int, Assignment]:
        """Look again at the window's doubtful articles; return the changes of mind."""
        window, parameters = self._window, self.parameters
        before = window.story.copy()
        for _ in range(parameters.review):
            self._next_story, moved = review(
                window,
                lambda doubtful: self._compare(window, doubtful),
                self._confidence,
                below=parameters.review_below,
                delta=parameters.delta,
                frozen=parameters.review_frozen,
                next_story=self._next_story,
            )
            if not moved:
                break
            self._rate(window)
        changed = np.flatnonzero(window.story != before).tolist()
        as_given = self._as_given() if changed else []
        for i in changed:
            self._sizes[int(before[i])] -= 1
            self._sizes[int(window.story[i])] += 1
        return {i: replace(as_given[i], was=int(before[i])) for i in changed}

    def _embed(self, chosen: NDArray[np.int64], window: Window | None = None) -> None:
        """Bring R, and with it every confidence in the window, up to date."""
        window = window or self._window
        model = self._model if self.parameters.learned else None
        embed(model, window, chosen, self._centre())
        self._rate(window)

    def _rate(self, window: Window) -> None:
        """Set every article's confidence to that in its own story."""
        views, ids = self._compare(window, np.arange(len(window)), window)
        own = np.searchsorted(ids, window.story)
        total, _ = confidences(views, self._confidence)
        window.confidence[:] = total[np.arange(len(own)), own]

    def _compare(
        self, articles: Window, chosen: NDArray[np.int64], window: Window | None = None
    ) -> tuple[list[View], NDArray[np.int64]]:
        return compare(
            articles,
            chosen,
            window or self._window,
            statistics=self._statistics,
            lexical=self.parameters.lexical > 0,
        )

    def _count(self, new: Sequence[int] | NDArray[np.int64]) -> None:
        """Let new articles count in what is known of the stream."""
        if len(new):
            self._statistics.update(self._window.terms[new])
        for i in new:
            self._mean.update(self._window.members[i].vectors)

    def _centre(self) -> Tensor:
        mean = self._mean.value()
        return torch.from_numpy(mean if self.parameters.centring else np.zeros_like(mean))

    def _refuse_duplicates(self, articles: list[EncodedArticle]) -> None:
        known = {member.article.id for member in self._window.members}
        for member in articles:
            if member.article.id in known:
                raise BadItem(f"article {member.article.id!r}: already in the window")
            known.add(member.article.id)

    # -- what a reader gets -------------------------------------------------------------------

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window, the latest news first."""
        found = [
            replace(as_of_now(self._window, story), size=self._sizes[story.id])
            for story in self._stories.values()
        ]
        return sorted(found, key=lambda story: (story.last_seen, story.id), reverse=True)

    def ended(self) -> list[Story]:
        """Return the stories that left the window in the last call of `process`.

        When the stream is sparse a story may come and go within one call.
        """
        return sorted(self._ended, key=lambda story: story.id)

    def embedded(self) -> dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return R and α of every decided article of the window, as M makes them now."""
        window = self._window
        return {
            member.article.id: (window.vectors[i].copy(), window.pooling[i].copy())
            for i, member in enumerate(window.members)
            if window.story[i] != UNDECIDED
        }

    def explain(self, article: str) -> Explanation:
        """Say why an article of the window is in its story, as things stand now."""
        window = self._window
        for i, member in enumerate(window.members):
            if member.article.id == article and window.story[i] != UNDECIDED:
                now = self._as_given()[i]
                return Explanation(
                    article,
                    now.story,
                    now.confidence,
                    now.parts,
                    tuple(zip(member.sentences, now.weights, strict=True)),
                    now.runners_up,
                )
        raise UsageError(f"article {article!r}: not in the window; the store remembers older ones")

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> State:
        """Return all that is needed to go on exactly from here, after the last slide."""
        if len(self._cutter):
            raise UsageError(
                f"{len(self._cutter)} articles wait for their slide to close; call finish() first"
            )
        documents, used, counts = self._statistics.state()
        meta = {
            "format": FORMAT,
            "parameters": to_dict(self.parameters),
            "encoder": self.encoder.name,
            "slide": self._slide,
            "first_slide": self._first_slide,
            "waiting": self._waiting,
            "next_story": self._next_story,
            "stories": [story_to_dict(story) for story in self._stories.values()],
            "sizes": [[story, self._sizes[story]] for story in self._stories],
            "times": [time.isoformat() for time in self._memory.times + self._window.times],
            "remembered": len(self._memory),
            "rng": self._rng.bit_generator.state,
            "documents": documents,
            "sentences": self._mean.count,
        }
        arrays: dict[str, NDArray[Any]] = {
            **window_arrays(self._window),
            **model_arrays(self._model, self._optimiser),
            "memory.story": self._memory.story,
            "mean.total": self._mean.total,
            "confidence.seen": self._confidence.state(),
            "terms.used": used,
            "terms.counts": counts,
        }
        # Copies: what was saved must not change when the engine goes on.
        copied = {name: value.copy() for name, value in arrays.items()}
        return State(meta, copied, tuple(self._memory.members + self._window.members))

    def restore(self, state: State) -> None:
        """Go on from a state. Parameters come with it; the encoder must be the same."""
        meta, arrays = state.meta, state.arrays
        if meta["format"] != FORMAT:
            raise StoreError(f"saved state of format {meta['format']}: this version reads {FORMAT}")
        if meta["encoder"] != self.encoder.name:
            raise ConfigError(
                f"encoder {self.encoder.name}: the saved state was made with {meta['encoder']}; "
                "use that encoder, or start afresh"
            )
        self._setup(from_dict(meta["parameters"]), self.encoder)
        self._slide, self._first_slide = meta["slide"], meta["first_slide"]
        self._cutter = SlideCutter(self.parameters.slide_length, current=self._slide)
        self._waiting, self._next_story = meta["waiting"], meta["next_story"]
        self._stories = {values["id"]: story_from_dict(values) for values in meta["stories"]}
        self._sizes = Counter(dict(meta["sizes"]))
        self._rng.bit_generator.state = meta["rng"]
        self._statistics.restore(meta["documents"], arrays["terms.used"], arrays["terms.counts"])
        self._mean.total, self._mean.count = arrays["mean.total"].copy(), meta["sentences"]
        self._confidence.restore(arrays["confidence.seen"])
        remembered = meta["remembered"]
        times = [datetime.fromisoformat(time) for time in meta["times"]]
        self._memory.append(list(state.members[:remembered]), not_before=EPOCH)
        self._memory.times, self._memory.story = times[:remembered], arrays["memory.story"].copy()
        self._window.append(list(state.members[remembered:]), not_before=EPOCH)
        self._window.times = times[remembered:]
        restore_window(self._window, arrays)
        restore_model(self._model, self._optimiser, arrays)

    def save(self, path: str | Path) -> None:
        """Write the engine to a file, with all it has learned and the window it holds."""
        Path(path).write_bytes(dump_state(self.state()))

    @classmethod
    def load(cls, path: str | Path, *, encoder: Encoder | None = None) -> StoryDiscovery:
        """Return the engine that `save` wrote."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
        engine = cls(encoder=encoder)
        engine.restore(load_state(content, what=str(path)))
        return engine
