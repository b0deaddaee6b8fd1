"""Deciding within an open slide: only the articles and where slides close count."""

from dataclasses import replace
from datetime import timedelta
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.archive import Archive
from scstory.discovery.calibrate import CalibratedConfidence
from scstory.discovery.slide import OpenSlide
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import cut_slides
from tests.conftest import make_article, make_stream
from tests.discovery.rows import from_views, make_rows, unit
from tests.discovery.test_assign import FOUR, cosine
from tests.discovery.test_engine import DAY, decisions, make

KINDS = {
    "paper": {"preset": "paper", "window": "3d"},
    "default": {"preset": "default"},
    "review": {
        "preset": "default",
        "review": 2,
        "review_below": 0.6,
        "window": "2d",
        "memory": "3d",
    },
    "resuming": {"preset": "default", "window": "2d", "resume": "20d"},
}
EVERY = {"resuming": 3}
"""Days from one busy day to the next: longer than the window, so that all stories leave it."""


def stream(every=1):
    """Return articles of five days: several a day, of very different lengths, some of them late.

    One of the topics ends on the first, if they are apart.
    """
    articles = []
    for n in range(30):
        brief = "comet" if n < 6 or every == 1 else "strike"
        topic = ("flood", "trial", brief, "strike")[n * 7 % 4]
        day = n // 6 * every + (0.3 if n % 3 else 0)
        articles.append(make_article(n, topic, day=day, sentences=1 + n * 5 % 17))
    articles.insert(20, replace(make_article(77, "flood", day=0.5), id="late"))
    return articles


def run(kind, cuts, stops, closes):
    """Decide on the stream, cut into calls, stopped and resumed, with slides closed early."""
    engine, decided, call = make(**KINDS[kind]), [], []

    def flush():
        decided.extend(engine.decide(call))
        call.clear()

    for n, article in enumerate(stream(EVERY.get(kind, 1))):
        call.append(article)
        if n in cuts or n in stops or n in closes:
            flush()
        if n in stops:
            content = dump_state(engine.state())
            engine = make(**KINDS[kind])
            engine.restore(load_state(content))
        if n in closes:
            decided.extend(engine.close())
    flush()
    told = engine.stories()
    decided.extend(engine.finish())
    return [(d.was, d.parts) for d in decided], decisions(decided), told, dump_state(engine.state())


@cache
def undisturbed(kind, closes):
    return run(kind, (), (), closes)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(
    cuts=st.sets(st.integers(0, 30)),
    stops=st.sets(st.integers(0, 30), max_size=4),
    closes=st.sampled_from([(), (3,), (7, 20, 21)]),
)
def test_cuts_and_stops_change_nothing(kind, cuts, stops, closes):
    assert run(kind, cuts, stops, closes) == undisturbed(kind, closes)


def test_stories_are_taken_up_from_one_window_to_the_next():
    """Without this the case above would not be one."""
    _, decided, told, content = undisturbed("resuming", ())
    founded = sum(new for _, _, _, new, _, _ in decided)
    assert founded < 12
    assert max(story.size for story in told) > max(len(story.articles) for story in told)
    state = load_state(content)
    assert len(state.arrays["archive.ids"]) > 0
    assert len(state.arrays["confidence.strangers"]) > 0


@pytest.mark.parametrize("kind", ["paper", "default"])
def test_deciding_at_once_and_slide_by_slide_agree(kind):
    by_slide, at_once = make(kind), make(kind)
    first = [d for slide in cut_slides(make_stream(), DAY) for d in by_slide.process(slide)]
    second = at_once.decide(make_stream())
    first, second = first + by_slide.finish(), second + at_once.finish()
    assert decisions(first) == decisions(second)
    assert dump_state(by_slide.state()) == dump_state(at_once.state())


def test_decisions_come_at_once_and_learning_when_the_slide_closes():
    engine = make()
    engine.decide([make_article(0, "flood")])
    before = engine.state()
    (decision,) = engine.decide([make_article(1, "flood")])
    assert (decision.new, engine.open_articles) == (False, 2)
    assert engine.state().arrays["terms.used"].size == 0
    assert [s.articles for s in engine.stories()] == [("flood-0", "flood-1")]
    assert engine.close() == []
    assert engine.open_articles == 0
    assert engine.state().arrays["terms.used"].size > 0
    after = dump_state(engine.state())
    assert engine.close() == []
    assert dump_state(engine.state()) == after
    assert len(before.members) == 1


def test_a_later_slide_closes_the_open_one_first():
    engine, other = make(), make()
    engine.decide([make_article(0, "flood"), make_article(1, "trial", day=1)])
    other.decide([make_article(0, "flood")])
    other.close()
    other.decide([make_article(1, "trial", day=1)])
    assert dump_state(engine.state()) == dump_state(other.state())


def test_predicting_within_an_open_slide_sees_it_and_changes_nothing():
    engine = make()
    engine.decide([make_article(n, "flood") for n in range(3)])
    before = dump_state(engine.state())
    assert engine.predict_one(make_article(9, "flood")).story == 1
    assert engine.predict_one(make_article(9, "strike")).new
    assert dump_state(engine.state()) == before
    other = make()
    other.decide([make_article(n, "flood") for n in range(3)])
    more = [make_article(4, "trial")]
    assert decisions(engine.decide(more)) == decisions(other.decide(more))


def test_an_article_may_come_after_its_slide_was_closed():
    engine = make()
    engine.decide([make_article(0, "flood")])
    engine.close()
    (decision,) = engine.decide([make_article(1, "flood")])
    assert not decision.new
    assert engine.stories()[0].size == 2


def test_a_late_article_is_counted_without_being_taken_in():
    engine = make()
    engine.decide([make_article(n, "flood", day=9) for n in range(2)])
    engine.close()
    old = make_article(5, "flood").published
    assert engine.admit_late(old, 1) == 1
    assert engine.admit_late(old) == 2
    (story,) = engine.stories()
    assert (story.size, story.first_seen, len(story.articles)) == (3, old, 2)
    (decision,) = engine.decide([make_article(0, "trial", day=9)])
    assert decision.story == 3


def test_a_story_is_no_stranger_to_itself():
    """One that was over long ago and has been taken up again says nothing of look-alikes."""
    rng = np.random.default_rng(0)
    rows, views = from_views(unit(make_rows(rng, 3)[1]), dense=2)
    archive = Archive(2, 2, 3)
    archive.add(np.array([1, 2]), np.array([0.0, 1.0]), rows[:2])
    confidence = CalibratedConfidence(FOUR, timedelta(days=7))

    def decide(active):
        slide = OpenSlide(
            np.array([active]),
            [90.0],
            rows[2:],
            1,
            archive=archive,
            strangers_before=50.0,
            confidence=confidence,
            delta=0.5,
        )
        slide.decide(next(slide.newcomers(rows[:1], [99.0])), 9)
        return confidence.state()["strangers"][-1]

    assert decide(active=7) == pytest.approx([1, 1, 1, 1])  # the article is all of story 1
    other = [cosine(view[0], view[1]) for view in views]
    expected = [*other[:2], *np.sqrt(other[2:])]
    assert decide(active=1) == pytest.approx(expected, abs=1e-6)
