"""The engine: the loop of the paper's Algorithm 1 over slides, the window, and a method."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from time import perf_counter

import numpy as np

from scstory.discovery.catalogue import Catalogue
from scstory.discovery.checkpoint import restore_scope, save_scope
from scstory.discovery.corrections import Correction
from scstory.discovery.describe import Describer
from scstory.discovery.method import Decision, Method, Scope
from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import by_slide, slide_start
from scstory.discovery.window import UNDECIDED, Ints, Window
from scstory.errors import BadItem
from scstory.text import TermStatistics
from scstory.types import Article, Assignment, EncodedArticle, State, Story
from scstory.vectors import Encoder, encode_articles
from scstory.vectors.auto_encoder import AutoEncoder, served_languages

OnClose = Callable[[Scope, Mapping[int, Story], list[int], Ints], None]
"""What is told of a slide that closes, and of a correction: the stories that articles joined or
left, those that have no article in the window any more, and the rows of the slide."""


class Engine:
    """Decides on the articles of a stream, slide by slide, with any method.

    Which stories come out depends on the articles and on where slides were closed, and on nothing
    else: not on how many articles a call brings, nor on stopping and going on in between.
    """

    def __init__(
        self,
        method: Method,
        encoder: Encoder,
        *,
        remake: Callable[[], Method] | None = None,
    ) -> None:
        """Start with nothing. `remake` makes the method again where `encoder` has changed."""
        self.encoder, self._remake = encoder, remake
        self._start(method)
        self._catalogue = Catalogue()
        self.open_articles = 0
        """How many articles the open slide has; none if it is closed."""
        self.learn_seconds = 0.0
        """How long the method has been learning in this process; no part of the state."""
        self.on_close: OnClose | None = None
        """Who is told of slides that close; no part of the state, and decides nothing."""

    def describe_with(self, describer: Describer) -> None:
        """Describe stories in another way from now on; no decision depends on it."""
        self._catalogue.describer = describer

    def _start(self, method: Method) -> None:
        self.method, self._made_for = method, self.encoder.name
        method.serve(served_languages(self.encoder))
        self.scope = Scope(method.settings, method.columns())

    def _follow_encoder(self) -> None:
        """Start again if the encoder is another one now: the first articles can choose it."""
        if self._remake and self._made_for != self.encoder.name:
            self._start(self._remake())

    # -- Algorithm 1 --------------------------------------------------------------------------

    def decide(self, articles: Iterable[Article | EncodedArticle]) -> list[Assignment]:
        """Decide on articles in the order given; one of a later slide first closes the open one."""
        encoded = self.encode(articles)
        self._check(encoded)
        self._catalogue.ended = []
        decided: list[Assignment] = []
        slide, time_of = self.settings.slide_length, attrgetter("article.published")
        for index, some in by_slide(encoded, time_of, slide, self.scope.slide):
            if self.scope.slide is not None and index > self.scope.slide:
                decided += self._close()
            decided += self._advance(index)
            start = slide_start(index, slide).timestamp()
            new = self.scope.window.append(some, not_before=start)
            self.open_articles += len(some)
            decided += [self._settle(found) for found in self.method.assign(self.scope, new)]
        return decided

    def close(self) -> list[Assignment]:
        """Close the open slide: review its decisions and learn from it.

        Returns changes of mind, and decisions that were held back until now.
        """
        self._catalogue.ended = []
        return self._close()

    def finish(self) -> list[Assignment]:
        """Close the open slide and decide on what is held back: the stream has ended for now."""
        decided = self.close()
        before = self.scope.window.story.copy()
        held_back = self.method.finish(self.scope)
        decided += self._revise(held_back, before)
        self._catalogue.describe(self.scope, [decision.row for decision in held_back], before)
        self._tell(np.array([decision.row for decision in held_back], dtype=np.int64), before)
        return decided

    def _close(self) -> list[Assignment]:
        if not self.open_articles:
            return []
        count = len(self.scope.window)
        new = np.arange(count - self.open_articles, count)
        self.open_articles = 0
        return self._end_slide(new)

    def _end_slide(self, new: Ints) -> list[Assignment]:
        """Review and learn at the end of a slide whose rows are `new`, which may be none."""
        scope, window = self.scope, self.scope.window
        before = window.story.copy()
        reviewed = self.method.review(scope, new)
        decided = self._revise(reviewed, before)
        first = len(window) - len(new)
        self._catalogue.drop_emptied(scope, before, first)
        if len(new):
            weights = self.method.document_weights(scope, new)
            scope.statistics.update(window.term_table("term_counts", new), weights)
        started = perf_counter()
        self.method.learn(scope, new)
        self.learn_seconds += perf_counter() - started
        revised = [decision.row for decision in reviewed if decision.row < first]
        self._catalogue.describe(scope, [*new.tolist(), *revised], before)
        self._tell(new, before)
        self._catalogue.end_absent(scope, self.method.resumable())
        return decided

    def _tell(self, new: Ints, before: Ints) -> None:
        """Tell whoever listens which stories changed since each row had its story `before`."""
        if self.on_close is None:
            return
        story = self.scope.window.story
        moved = np.flatnonzero(story != before)
        touched = {*story[new].tolist(), *story[moved].tolist(), *before[moved].tolist()}
        there = self.scope.window.rows_of
        gone = sorted(number for number in touched - {UNDECIDED} if number not in there)
        if touched:
            self.on_close(self.scope, self._catalogue.described(touched), gone, new)

    def _advance(self, index: int) -> list[Assignment]:
        """Move the window, slide by slide, so that it ends with slide `index`."""
        scope, window = self.scope, self.scope.window
        decided: list[Assignment] = []
        if scope.slide is None:
            scope.slide = scope.first_slide = index
        while scope.slide < index:
            # Once nothing is left in the window, empty slides change nothing.
            scope.slide = scope.slide + 1 if len(window) else index
            gone = window.evict(scope.end() - self.settings.window_length.total_seconds())
            self.method.evict(scope, gone)
            if len(gone):
                self._catalogue.end_absent(scope, self.method.resumable())
            if scope.slide < index:
                decided += self._end_slide(np.arange(0))
        return decided

    def _revise(self, decisions: list[Decision], before: Ints) -> list[Assignment]:
        """Take note of decisions that were held back or revised."""
        known = {UNDECIDED, *np.intersect1d([d.story for d in decisions], before).tolist()}
        revised = []
        for decision in sorted(decisions, key=attrgetter("row")):
            story, was = decision.story, int(before[decision.row])
            new = story not in known and not self._catalogue.may_resume(story)
            known.add(story)
            settled = replace(decision, new=new)
            revised.append(self._settle(settled, None if was == UNDECIDED else was))
        return revised

    def _settle(self, decision: Decision, was: int | None = None) -> Assignment:
        """Count a decision, and return it as it is reported."""
        self._catalogue.count(decision.story, was)
        return _reported(decision, self.scope.window, was)

    # -- what goes in and what comes out ------------------------------------------------------

    @property
    def settings(self) -> MethodSettings:
        """What the method is run with."""
        return self.method.settings

    @property
    def statistics(self) -> TermStatistics:
        """Document frequencies of the articles of past slides."""
        return self.scope.statistics

    @property
    def current_slide(self) -> int | None:
        """The number of the current slide."""
        return self.scope.slide

    def encode(self, articles: Iterable[Article | EncodedArticle]) -> list[EncodedArticle]:
        """Read and encode the articles that are not encoded yet."""
        articles = list(articles)
        plain = [article for article in articles if isinstance(article, Article)]
        fresh = iter(encode_articles(plain, self.encoder, reader=self.settings.read))
        if self.scope.slide is None:
            self._follow_encoder()
        return [
            next(fresh) if isinstance(article, Article) else self._as_set(article)
            for article in articles
        ]

    def _as_set(self, member: EncodedArticle) -> EncodedArticle:
        """Return an article as the settings have it read."""
        limit = self.settings.max_sentences
        if len(member.vectors) <= limit and member.reading.lede == self.settings.lede_sentences:
            return member
        reading = self.settings.reader()(member.article, sentences=member.sentences[:limit])
        return EncodedArticle(member.article, reading, member.vectors[:limit])

    def predict(self, article: Article) -> Assignment:
        """Say which story an article would join, without adding it."""
        alone = Window(self.method.columns())
        encoded = self.encode([article])
        self._check(encoded, known=False)
        alone.append(encoded, not_before=-np.inf)
        return _reported(self.method.predict(self.scope, alone), alone)

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window, the latest news first."""
        return self._catalogue.stories(self.scope, len(self.scope.window) - self.open_articles)

    def changed_stories(self) -> list[Story]:
        """Return those of `stories` that changed since this was last called, or since a restart.

        Unlike that of `stories`, its cost does not grow with the window.
        """
        return self._catalogue.changed(self.scope, len(self.scope.window) - self.open_articles)

    def ended(self) -> list[Story]:
        """Return the stories that ended in the last call of `decide`, `close` or `finish`."""
        return sorted(self._catalogue.ended, key=lambda story: story.id)

    def admit_late(self, published: datetime, story: int | None = None) -> int:
        """Count an article from before the window with a story, or as an ended one of its own.

        The article does not enter the window. Returns the number of its story.
        """
        self._catalogue.ended = []
        if story is None:
            return self.scope.new_story()
        self._catalogue.count_late(published, story)
        return story

    def new_story(self) -> int:
        """Return the number of a story that a correction is going to found."""
        return self.scope.new_story()

    def correct(self, correction: Correction) -> list[Assignment]:
        """Put articles where a person says, between any two calls; return the decisions on them.

        Later slides respect it, and the method learns from it.
        """
        scope, window, catalogue = self.scope, self.scope.window, self._catalogue
        catalogue.ended = []
        before, first = window.story.copy(), len(window) - self.open_articles
        catalogue.revive(correction.revived)
        decided = self._revise(self.method.correct(scope, correction), before)
        catalogue.correct_sizes(correction)
        catalogue.drop_emptied(scope, before, first)
        moved = np.flatnonzero(window.story != before)
        catalogue.describe(scope, moved[moved < first].tolist(), before)
        self._tell(np.arange(0), before)
        catalogue.end_absent(scope, self.method.resumable())
        return decided

    def _check(self, articles: list[EncodedArticle], *, known: bool = True) -> None:
        """Refuse articles that cannot be decided, before anything changes.

        Unless `known` is false, those are refused as well that are already in the window.
        """
        seen: set[str] = set()
        for member in articles:
            article = member.article
            if article.id in seen or (known and self.scope.window.known(article.id)):
                raise BadItem(f"article {article.id!r}: already in the window")
            if article.published.tzinfo is None:
                raise BadItem(f"article {article.id!r}: its date has no time zone; give one in UTC")
            if not len(member.vectors):
                raise BadItem(f"article {article.id!r}: no text")
            seen.add(article.id)

    def state(self) -> State:
        """Return all that is needed to go on exactly from here, also within an open slide."""
        return save_scope(
            self.scope, self._catalogue, self.method, self.encoder.name, self.open_articles
        )

    def restore(self, state: State) -> None:
        """Go on from a state that was made with the same method, settings and encoder."""
        if isinstance(self.encoder, AutoEncoder):
            self.encoder.go_back(str(state.meta.get("encoder")))
            self._follow_encoder()
        self.open_articles = restore_scope(
            state, self.scope, self._catalogue, self.method, self.encoder.name
        )
        self._catalogue.begin(self.scope)


def _reported(decision: Decision, window: Window, was: int | None = None) -> Assignment:
    return Assignment(
        window.members.ids[decision.row],
        decision.story,
        decision.confidence,
        decision.new,
        was=was,
        runners_up=decision.runners_up,
        evidence=decision.evidence,
        weights=tuple(window.of("weights", decision.row).tolist()),
    )
