"""The seam: an engine with a method that does next to nothing."""

import numpy as np
import pytest

from scstory.baselines.hrstory import HrStory, HrStorySettings
from scstory.baselines.registry import make_baseline
from scstory.discovery import Engine, make_engine, make_settings
from scstory.discovery.method import (
    Decision,
    Method,
    MethodState,
    Scope,
    prefixed,
    unprefixed,
)
from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state
from scstory.discovery.window import UNDECIDED, Column
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream
from tests.discovery.engines import DAY, decisions, process, resumed, run

ENCODER = HashingEncoder(dim=16)


class ByHour(Method):
    """A story for each parity of the hour; counts what it is asked."""

    name = "by hour"

    def __init__(self, **settings):
        self.settings = MethodSettings(**settings)
        self.calls, self.stories = [], {}

    def columns(self):
        return [Column("parity", np.int64, fill=-1)]

    def assign(self, scope, new):
        self.calls.append(("assign", new.tolist()))
        found = []
        for i in new.tolist():
            parity = scope.window.members[i].article.published.hour % 2
            is_new = parity not in self.stories
            if is_new:
                self.stories[parity] = scope.new_story()
            scope.window["parity"][i] = parity
            scope.window.story[i] = self.stories[parity]
            found.append(Decision(i, self.stories[parity], 0.5, is_new))
        return found

    def review(self, scope, new):
        self.calls.append(("review", new.tolist(), scope.statistics.documents))
        return []

    def learn(self, scope, new):
        self.calls.append(("learn", new.tolist(), scope.statistics.documents))

    def evict(self, scope, gone):
        self.calls.append(("evict", len(gone), gone["parity"].tolist()))

    def state(self):
        return MethodState({"stories": sorted(self.stories.items())})

    def restore(self, scope, state):
        self.stories = dict(state.meta["stories"])


def article(n, hours):
    return make_article(n, "flood", day=hours / 24)


def test_an_engine_asks_a_method_in_this_order():
    method = ByHour(window="2d", slide="1d")
    engine = Engine(method, ENCODER)
    engine.decide([article(0, 0)])
    engine.decide([article(1, 1), article(2, 25)])
    engine.decide([article(3, 73)])
    engine.finish()
    assert method.calls == [
        ("assign", [0]),
        ("assign", [1]),
        ("review", [0, 1], 0),
        ("learn", [0, 1], 2),
        ("evict", 0, []),
        ("assign", [2]),
        ("review", [2], 2),
        ("learn", [2], 3),
        ("evict", 2, [0, 1]),  # a day without articles closes as well
        ("review", [], 3),
        ("learn", [], 3),
        ("evict", 1, [1]),
        ("assign", [0]),
        ("review", [0], 3),
        ("learn", [0], 4),
    ]


def test_what_a_method_decides_is_what_is_reported():
    engine = Engine(ByHour(), ENCODER)
    decided = engine.decide([article(0, 0), article(1, 1), article(2, 2)])
    assert [(a.article, a.story, a.confidence, a.new) for a in decided] == [
        ("flood-0", 1, 0.5, True),
        ("flood-1", 2, 0.5, True),
        ("flood-2", 1, 0.5, False),
    ]
    assert {story.id: story.articles for story in engine.stories()} == {
        1: ("flood-0", "flood-2"),
        2: ("flood-1",),
    }


def test_a_methods_columns_and_state_are_saved_with_the_window():
    stream = [article(n, 5 * n) for n in range(60)]
    undisturbed, engine, decided = Engine(ByHour(), ENCODER), Engine(ByHour(), ENCODER), []
    expected = run(undisturbed, stream)
    for one in stream:
        decided += engine.decide([one])
        engine = resumed(engine, Engine(ByHour(), ENCODER))
    assert decisions(decided + engine.finish()) == decisions(expected)
    assert dump_state(engine.state()) == dump_state(undisturbed.state())
    assert engine.state().arrays["window.parity"].tolist() == [
        m.article.published.hour % 2 for m in engine.state().members
    ]


class Late(ByHour):
    """Decides when a slide closes, or not before the end, and changes its mind once."""

    name = "late"

    def __init__(self, at_the_end=False):
        super().__init__()
        self.at_the_end, self.moved = at_the_end, False

    def assign(self, scope, new):
        return []

    def review(self, scope, new):
        return [] if self.at_the_end else self.decide(scope)

    def finish(self, scope):
        return self.decide(scope)

    def decide(self, scope):
        rows = np.flatnonzero(scope.window.story == UNDECIDED)
        found = super().assign(scope, rows)
        if not self.moved and len(scope.window) > 2 and 0 not in rows:
            self.moved, to = True, scope.new_story()
            scope.window.story[0] = to
            found.append(Decision(0, to))
        return found


@pytest.mark.parametrize("at_the_end", [True, False])
def test_decisions_may_be_held_back_and_changed(at_the_end):
    engine = Engine(Late(at_the_end), ENCODER)
    assert engine.decide([article(0, 0), article(1, 1)]) == []
    assert engine.stories() == []
    decided = engine.finish() if at_the_end else engine.close()
    assert [(a.article, a.story, a.new) for a in decided] == [
        ("flood-0", 1, True),
        ("flood-1", 2, True),
    ]
    decided += engine.decide([article(2, 2)])
    decided += engine.finish()
    story = {}
    for decision in decided:
        assert decision.was == story.get(decision.article)
        story[decision.article] = decision.story
    assert story["flood-1"] != story["flood-2"]
    assert story["flood-0"] == 3
    assert {s.id: (s.size, s.articles) for s in engine.stories()} == {
        1: (1, ("flood-2",)),
        2: (1, ("flood-1",)),
        3: (1, ("flood-0",)),
    }


def test_a_method_need_not_predict_nor_remember():
    class Plain(Method):
        name = "plain"
        settings = MethodSettings()

        def assign(self, scope, new):
            scope.window.story[new] = 1
            return [Decision(i, 1, new=i == 0) for i in new.tolist()]

    method = Plain()
    engine = Engine(method, ENCODER)
    engine.decide(make_stream(2))
    assert {d.story for d in method.explain(engine.scope, np.arange(3))} == {1}
    assert (method.finish(engine.scope), list(method.resumable())) == ([], [])
    again = resumed(engine, Engine(Plain(), ENCODER))
    assert again.stories() == engine.stories()
    (one,) = engine.encode([make_article(99, "flood")])
    with pytest.raises(NotImplementedError, match="plain does not predict"):
        method.predict(engine.scope, one)


def test_names_with_and_without_a_prefix():
    arrays = {"one": np.zeros(1), "two.three": np.ones(2)}
    named = prefixed("part", arrays)
    assert set(named) == {"part.one", "part.two.three"}
    assert set(unprefixed("part", {**named, "party.x": np.zeros(1)})) == set(arrays)


def test_the_numbers_of_stories_and_the_end_of_a_slide():
    scope = Scope(MethodSettings(slide="12h"), ())
    assert [scope.new_story(), scope.new_story(), scope.next_story] == [1, 2, 3]
    scope.slide = 0
    assert scope.end() == 12 * 3600


def test_empty_days_in_between():
    quick = {"batch_size": 16, "warm_epochs": 1}
    for engine in (
        make_engine(make_settings("paper", quick), ENCODER),
        make_engine(make_settings("default"), ENCODER),
        Engine(HrStory(HrStorySettings(**quick), 16, "cpu"), ENCODER),
        Engine(make_baseline("newslens"), ENCODER),
    ):
        for slide in cut_slides([make_article(n, "flood", day=4 * n) for n in range(6)], DAY):
            process(engine, slide)
        assert engine.finish() == [] or engine.method.name == "paper"
        assert engine.scope.window.times.min() > START.timestamp() + 12 * 86_400
