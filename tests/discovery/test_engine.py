"""The engine as a whole: what it must do on any stream, and on the odd ones."""

from dataclasses import replace

import numpy as np
import pytest

from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state
from scstory.errors import BadItem
from scstory.types import Article
from tests.conftest import START, encoded, make_article, make_stream
from tests.discovery.engines import (
    DAY,
    PRESETS,
    decisions,
    finished,
    following,
    latest,
    make,
    process,
    resumed,
    run,
)


@pytest.mark.parametrize("preset", PRESETS)
class TestEveryPreset:
    def test_every_article_gets_one_story_and_keeps_it_unless_it_is_said(self, preset):
        story = {}
        for decision in finished(preset).decided:
            assert decision.was == story.get(decision.article)
            assert decision.was != decision.story
            story[decision.article] = decision.story
        assert sorted(story) == sorted(a.id for a in make_stream())

    def test_a_story_is_new_exactly_once_and_first(self, preset):
        seen = set()
        for decision in finished(preset).decided:
            assert decision.new == (decision.story not in seen)
            seen.add(decision.story)

    def test_same_stream_same_stories(self, preset):
        again = run(make(preset), make_stream())
        assert decisions(again) == decisions(finished(preset).decided)

    def test_later_articles_never_change_earlier_decisions(self, preset):
        stream, whole = make_stream(), decisions(finished(preset).decided)
        cut = next(i for i, a in enumerate(stream) if a.published >= START + 9 * DAY)
        part = decisions(following(make(preset), stream[:cut]))
        assert whole[: len(part)] == part

    def test_stopped_and_resumed_after_every_slide_is_as_if_never_stopped(self, preset):
        stream = make_stream()
        undisturbed = finished(preset)
        engine, decided = make(preset), []
        for slide in cut_slides(stream, DAY):
            decided += process(engine, slide)
            engine = resumed(engine, make(preset))
        decided += engine.finish()
        assert decisions(decided) == decisions(undisturbed.decided)
        assert tuple(engine.stories()) == undisturbed.stories
        assert dump_state(engine.state()) == dump_state(undisturbed.state)

    def test_ids_urls_and_sources_are_not_looked_at(self, preset):
        stream = make_stream()
        renamed = [
            replace(a, id=f"z{len(stream) - i}", url=f"https://x.test/{i}", source=str(i))
            for i, a in enumerate(stream)
        ]
        first = [(a.story, a.confidence) for a in finished(preset).decided]
        second = [(a.story, a.confidence) for a in run(make(preset), renamed)]
        assert first == second

    def test_a_single_article(self, preset):
        (decision,) = run(make(preset), [make_article(0, "flood")])
        assert decision.new
        assert decision.confidence == pytest.approx(1)

    def test_one_article_a_window(self, preset):
        stream = [make_article(n, "flood", day=10 * n) for n in range(4)]
        engine = make(preset, **forgetful(preset))
        decided = run(engine, stream)
        assert len({a.story for a in decided}) == 4
        assert len(engine.stories()) == 1

    def test_empty_slides_move_the_window(self, preset):
        stream = [make_article(n, "flood") for n in range(3)]
        stream += [make_article(9, "flood", day=6), make_article(10, "flood", day=20)]
        engine = make(preset, **forgetful(preset))
        decided = run(engine, stream)
        assert decided[-1].new
        assert [s.articles for s in engine.stories()] == [("flood-10",)]

    def test_a_gap_of_a_thousand_years_takes_no_time(self, preset):
        old = replace(make_article(0, "flood"), published=START.replace(year=1000))
        assert len(run(make(preset), [old, make_article(1, "flood")])) == 2

    def test_articles_of_one_sentence_and_of_five_hundred(self, preset):
        short = Article("short", START, "", "River.")
        long = replace(make_article(1, "flood", sentences=500), id="long")
        decided = latest(run(make(preset), [short, long, *make_stream(3)]))
        assert len(decided["short"].weights) == 1
        assert len(decided["long"].weights) == 50

    def test_identical_articles_are_one_story(self, preset):
        stream = [replace(make_article(0, "flood", day=n // 4), id=str(n)) for n in range(40)]
        decided = run(make(preset), stream)
        if preset == "paper":  # the first window is divided whatever it holds
            later = [a.story for a in decided[28:]]
            assert len(set(later)) == 1
        else:
            assert len({a.story for a in decided}) == 1
        assert all(np.isfinite(a.confidence) for a in decided)

    def test_late_articles_are_decided_as_of_now(self, preset):
        late = replace(make_article(77, "flood", day=1), id="late")
        engine = make(preset)
        decided = latest(run(engine, [*make_stream(9), late]))
        assert "late" in decided
        assert any("late" in story.articles for story in engine.stories())

    def test_weights_say_what_each_sentence_counts(self, preset):
        for decision in finished(preset).decided:
            assert sum(decision.weights) == pytest.approx(1, abs=1e-5)
            assert all(weight >= 0 for weight in decision.weights)

    def test_sizes_count_articles_that_left_the_window(self, preset):
        stream = [make_article(n, "flood", day=n) for n in range(12)]
        engine = make(preset)
        decided = latest(run(engine, stream))
        for story in engine.stories():
            assert story.size == sum(a.story == story.id for a in decided.values())

    def test_what_is_encoded_already_is_decided_in_the_same_way(self, preset):
        before = make(preset)
        decided = before.decide(before.encode(make_stream())) + before.finish()
        assert decisions(decided) == decisions(finished(preset).decided)


def forgetful(preset):
    """Return what it takes for a story that left the window never to resume."""
    return {"resume": ""} if preset == "default" else {}


def test_stories_of_different_topics_are_told_apart():
    topics = {}
    for decision in latest(finished("default").decided).values():
        topics.setdefault(decision.story, set()).add(decision.article.split("-")[0])
    assert all(len(names) == 1 for names in topics.values())
    assert len(topics) == 3


def test_a_story_leaves_when_its_last_article_does():
    engine = make()
    run(engine, [make_article(0, "flood"), make_article(1, "trial", day=3)])
    assert len(engine.stories()) == 2
    engine.decide([make_article(2, "trial", day=7)])
    assert {s.id for s in engine.stories()} == {2}
    assert [(s.id, s.active, s.articles) for s in engine.ended()] == [(1, False, ("flood-0",))]
    engine.close()
    assert engine.ended() == []


def test_duplicate_ids_are_refused_and_cost_nothing():
    engine = make()
    process(engine, [make_article(0, "flood")])
    before = dump_state(engine.state())
    with pytest.raises(BadItem, match="article 'flood-0': already in the window"):
        engine.decide([make_article(1, "flood"), make_article(0, "flood")])
    with pytest.raises(BadItem, match="article 'flood-2': already in the window"):
        engine.decide([make_article(2, "flood"), make_article(2, "flood")])
    assert dump_state(engine.state()) == before


def test_windows_and_slides_of_other_lengths():
    stream = [make_article(n, "flood", day=n / 24) for n in range(30)]
    engine = make(window="5h", slide="2h")
    run(engine, stream)
    in_window = [i for story in engine.stories() for i in story.articles]
    # The last slide ends at 14:00 on the second day; five hours before that come in.
    assert sorted(in_window) == [f"flood-{n}" for n in range(25, 30)]


def test_what_is_encoded_elsewhere_is_cut_to_as_many_sentences():
    engine = make(max_sentences=3)
    article = make_article(0, "flood", sentences=6)
    sentences = [f"Sentence {n}." for n in range(7)]
    member = encoded(article, sentences, engine.encoder.encode(sentences))
    (decision,) = engine.decide([member])
    assert len(decision.weights) == 3
    (held,) = engine.state().members
    assert held.sentences == tuple(sentences[:3])
    assert np.array_equal(held.vectors, member.vectors[:3])


def test_no_articles_are_no_slide():
    engine = make()
    assert engine.decide([]) == engine.close() == engine.finish() == []
    assert (engine.current_slide, engine.open_articles, engine.stories()) == (None, 0, [])
