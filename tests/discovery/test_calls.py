"""Deciding within an open slide: only the articles and where slides close count."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.state import dump_state, load_state
from tests.conftest import make_article, make_stream
from tests.discovery.engines import PRESETS, decisions, discover, finished, make, process, resumed
from tests.discovery.world import crowd

KINDS = {
    "paper": {"preset": "paper", "window": "3d", "memory": "4d", "learning_rate": 1e-3},
    "default": {"preset": "default"},
    "looking": {
        "preset": "default",
        "features": "learned, title",
        "second_look": 3,
        "second_look_margin": 0.0,
        "window": "3d",
    },
    "resuming": {"preset": "default", "window": "2d", "resume": "20d"},
    "large": {"preset": "default", "candidates_from": 1, "candidates": 8, "window": "3d"},
}


@cache
def stream(kind):
    """Return articles of five days: several a day, of very different lengths, some of them late.

    Where stories are to resume, days are farther apart than the window is long, so that all stories
    leave it, and one of the topics ends on the first. Where articles are to move, all stories are
    on one subject and hard to tell apart.
    """
    if kind in ("looking", "large"):
        return crowd(5, 6, 4, seed=0, lasts=3)
    every = 3 if kind == "resuming" else 1
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
    engine, decided, call, followed = make(**KINDS[kind]), [], [], {}

    def follow():
        followed.update((story.id, story) for story in engine.changed_stories())
        for story in engine.ended():
            followed.pop(story.id, None)

    def flush():
        decided.extend(engine.decide(call))
        call.clear()
        follow()

    for n, article in enumerate(stream(kind)):
        call.append(article)
        if n in cuts or n in stops or n in closes:
            flush()
        if n in stops:
            engine = resumed(engine, make(**KINDS[kind]))
        if n in closes:
            decided.extend(engine.close())
            follow()
    flush()
    described = engine.stories()
    assert followed.keys() == {story.id for story in described}
    assert [followed[story.id] for story in described] == described
    decided.extend(engine.finish())
    return decisions(decided), described, dump_state(engine.state())


@cache
def undisturbed(kind, closes):
    return run(kind, (), (), closes)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3, deadline=None)
@given(
    cuts=st.sets(st.integers(0, 30)),
    stops=st.sets(st.integers(0, 30), max_size=4),
    closes=st.sampled_from([(), (3,), (7, 20, 21)]),
)
def test_cuts_and_stops_change_nothing(kind, cuts, stops, closes):
    assert run(kind, cuts, stops, closes) == undisturbed(kind, closes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_after_every_article_changes_nothing(kind):
    assert run(kind, (), range(31), ()) == undisturbed(kind, ())


def test_articles_change_their_stories_and_others_resume():
    """Without this the cases above would not be ones."""
    assert any(was is not None for _, _, _, _, was, *_ in undisturbed("looking", ())[0])
    decided, described, content = undisturbed("resuming", ())
    founded = sum(new for _, _, _, new, *_ in decided)
    assert founded < 12
    assert max(story.size for story in described) > max(len(s.articles) for s in described)
    state = load_state(content)
    assert len(state.arrays["archive.ids"]) > 0
    assert len(state.arrays["posterior.strangers"]) > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_how_articles_arrive_does_not_matter(preset):
    articles, by_slide = make_stream(), finished(preset)
    one_by_one, at_once = make(preset), make(preset)
    first = [a for article in articles for a in one_by_one.decide([article])]
    second = at_once.decide(articles)
    for engine, decided in ((one_by_one, first), (at_once, second)):
        assert decisions(decided + engine.finish()) == decisions(by_slide.decided)
        assert dump_state(engine.state()) == dump_state(by_slide.state)


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


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("closed", [True, False])
def test_predicting_changes_nothing(preset, closed):
    """Within an open slide, which is seen, or when it is closed; nor what is decided afterwards."""
    discovery, other = (discover(preset) for _ in range(2))
    for one in (discovery, other):
        one.engine.decide(make_stream(9))
        if closed:
            one.engine.close()
    before = dump_state(discovery.engine.state())
    predicted = discovery.predict_one(make_article(99, "flood", day=8.5))
    assert not predicted.new
    assert predicted.story in {story.id for story in discovery.stories()}
    assert discovery.predict_one(make_article(9, "strike", day=8.5)).new
    assert dump_state(discovery.engine.state()) == before
    more = [make_article(40, "trial", day=8.5), make_article(41, "flood", day=9)]
    assert decisions(discovery.engine.decide(more)) == decisions(other.engine.decide(more))
    assert dump_state(discovery.engine.state()) == dump_state(other.engine.state())


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_predicted_is_what_is_decided(preset):
    discovery = discover(preset)
    discovery.engine.decide(make_stream(9))
    for n, topic in enumerate(("flood", "strike", "trial", "strike")):
        article = make_article(90 + n, topic, day=8.5)
        predicted = discovery.predict_one(article)
        (decided,) = discovery.learn_one(article)
        assert decisions([predicted]) == decisions([decided])


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


def test_a_late_article_counts_with_a_story_of_the_open_slide():
    engine, old = make(), make_article(5, "flood").published
    process(engine, [make_article(0, "flood", day=8)])
    engine.decide([make_article(n, "flood", day=9) for n in (1, 2)])
    (before,) = engine.stories()
    engine.admit_late(old, 1)
    (story,) = engine.stories()
    assert (before.size, story.size, story.first_seen) == (3, 4, old)
    engine.close()
    assert [(s.size, s.first_seen) for s in engine.stories()] == [(4, old)]
