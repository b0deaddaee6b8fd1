"""The engine as a whole: what it must do on any stream, and on the odd ones."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.second_look import CERTAIN, second_look
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.views import VIEWS
from scstory.discovery.window import cut_slides
from scstory.errors import BadItem, ConfigError, StoreError, UsageError
from scstory.text import BUCKETS, FIELDS
from scstory.types import Article
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream

PRESETS = ["paper", "default"]
DAY = timedelta(days=1)


def make(preset="default", encoder=None, **overrides):
    # Small batches keep the tests quick; what is tested does not depend on their size. A window
    # of `default` is too large for all of its vectors to be made anew at once.
    options = {"batch": 16, "warm_epochs": 2}
    options |= {"refresh": 20} if preset == "default" else {}
    options |= overrides
    return StoryDiscovery(preset, encoder=encoder or HashingEncoder(dim=64), **options)


def decisions(assignments):
    return [(a.article, a.story, a.confidence, a.new, a.runners_up, a.weights) for a in assignments]


@pytest.mark.parametrize("preset", PRESETS)
class TestEveryPreset:
    def test_every_article_gets_exactly_one_story(self, preset):
        stream = make_stream()
        decided = list(make(preset).stream(stream))
        assert sorted(a.article for a in decided) == sorted(a.id for a in stream)

    def test_a_story_is_new_exactly_once_and_first(self, preset):
        seen = set()
        for assignment in make(preset).stream(make_stream()):
            assert assignment.new == (assignment.story not in seen)
            seen.add(assignment.story)

    def test_same_stream_same_stories(self, preset):
        first, second = (
            list(make(preset).stream(make_stream())),
            list(make(preset).stream(make_stream())),
        )
        assert decisions(first) == decisions(second)

    def test_how_articles_arrive_does_not_matter(self, preset):
        stream = make_stream()
        one_by_one, by_slide = make(preset), make(preset)
        first = [a for article in stream for a in one_by_one.learn_one(article)]
        first += one_by_one.finish()
        second = [a for slide in cut_slides(stream, DAY) for a in by_slide.process(slide)]
        second += by_slide.finish()
        assert decisions(first) == decisions(second)

    def test_later_articles_never_change_earlier_decisions(self, preset):
        stream = make_stream()
        whole = decisions(make(preset).stream(stream))
        cut = next(i for i, a in enumerate(stream) if a.published >= START + 9 * DAY)
        part = decisions(make(preset).stream(stream[:cut]))
        assert whole[: len(part)] == part

    def test_stopped_and_resumed_after_every_slide_is_as_if_never_stopped(self, preset):
        stream = make_stream()
        undisturbed = make(preset)
        expected = list(undisturbed.stream(stream))
        engine, decided = make(preset), []
        for slide in cut_slides(stream, DAY):
            decided += engine.process(slide)
            content = dump_state(engine.state())
            engine = make(preset)
            engine.restore(load_state(content))
        decided += engine.finish()
        assert decisions(decided) == decisions(expected)
        assert engine.stories() == undisturbed.stories()
        assert dump_state(engine.state()) == dump_state(undisturbed.state())

    def test_ids_urls_and_sources_are_not_looked_at(self, preset):
        stream = make_stream(8)
        renamed = [
            replace(a, id=f"z{len(stream) - i}", url=f"https://x.test/{i}", source=str(i))
            for i, a in enumerate(stream)
        ]
        first = [(a.story, a.confidence) for a in make(preset).stream(stream)]
        second = [(a.story, a.confidence) for a in make(preset).stream(renamed)]
        assert first == second

    def test_a_single_article(self, preset):
        (assignment,) = make(preset).stream([make_article(0, "flood")])
        assert assignment.new
        assert assignment.confidence == pytest.approx(1)

    def test_one_article_a_window(self, preset):
        stream = [make_article(n, "flood", day=10 * n) for n in range(4)]
        engine = make(preset, resume="")
        decided = list(engine.stream(stream))
        assert len({a.story for a in decided}) == 4
        assert len(engine.stories()) == 1

    def test_empty_slides_move_the_window(self, preset):
        stream = [make_article(n, "flood") for n in range(3)]
        stream += [make_article(9, "flood", day=6), make_article(10, "flood", day=20)]
        engine = make(preset, resume="")
        decided = list(engine.stream(stream))
        assert decided[-1].new
        assert [s.articles for s in engine.stories()] == [("flood-10",)]

    def test_a_gap_of_a_thousand_years_takes_no_time(self, preset):
        old = replace(make_article(0, "flood"), published=START.replace(year=1000))
        decided = list(make(preset).stream([old, make_article(1, "flood")]))
        assert len(decided) == 2

    def test_articles_of_one_sentence_and_of_five_hundred(self, preset):
        short = Article("short", START, "", "River.")
        long = replace(make_article(1, "flood", sentences=500), id="long")
        engine = make(preset)
        decided = list(engine.stream([short, long, *make_stream(3)]))
        weights = {a.article: a.weights for a in decided}
        assert len(weights["short"]) == 1
        assert len(weights["long"]) == 50

    def test_identical_articles_are_one_story(self, preset):
        stream = [replace(make_article(0, "flood", day=n // 4), id=str(n)) for n in range(40)]
        decided = list(make(preset).stream(stream))
        if preset == "paper":  # the first window is divided whatever it holds
            later = [a.story for a in decided[28:]]
            assert len(set(later)) == 1
        else:
            assert len({a.story for a in decided}) == 1
        assert all(np.isfinite(a.confidence) for a in decided)

    def test_late_articles_are_decided_as_of_now(self, preset):
        stream = make_stream(9)
        late = replace(make_article(77, "flood", day=1), id="late")
        stream.append(late)
        engine = make(preset)
        decided = {a.article: a for a in engine.stream(stream)}
        assert "late" in decided
        assert any("late" in story.articles for story in engine.stories())

    def test_predicting_changes_nothing(self, preset):
        engine = make(preset)
        list(engine.stream(make_stream(9)))
        before = dump_state(engine.state())
        predicted = engine.predict_one(make_article(99, "flood", day=9))
        assert not predicted.new
        assert predicted.story in {story.id for story in engine.stories()}
        assert dump_state(engine.state()) == before

    def test_weights_say_what_each_sentence_counts(self, preset):
        for assignment in make(preset).stream(make_stream(9)):
            assert sum(assignment.weights) == pytest.approx(1, abs=1e-5)
            assert all(weight >= 0 for weight in assignment.weights)

    def test_sizes_and_spans_count_articles_that_left_the_window(self, preset):
        stream = [make_article(n, "flood", day=n) for n in range(12)]
        engine = make(preset)
        decided = list(engine.stream(stream))
        sizes = {s.id: s.size for s in engine.stories()}
        for story, size in sizes.items():
            assert size == sum(a.story == story for a in decided)


def test_stories_of_different_topics_are_told_apart():
    decided = list(make().stream(make_stream(8)))
    topics = {}
    for assignment in decided:
        topics.setdefault(assignment.story, set()).add(assignment.article.split("-")[0])
    assert all(len(names) == 1 for names in topics.values())
    assert len(topics) == 3


def test_the_paper_holds_back_the_first_window():
    engine = make("paper")
    slides = list(cut_slides(make_stream(9), DAY))
    assert [len(engine.process(slide)) > 0 for slide in slides[:6]] == [False] * 6
    decided = engine.process(slides[6])
    assert len(decided) == sum(len(slide) for slide in slides[:7])
    assert len(engine.process(slides[7])) == len(slides[7])


def test_a_first_window_without_its_last_days_is_decided_when_time_passes_it():
    engine = make("paper")
    engine.process([make_article(n, "flood") for n in range(3)])
    decided = engine.process([make_article(5, "flood", day=30)])
    assert [a.article for a in decided] == ["flood-0", "flood-1", "flood-2", "flood-5"]
    assert decided[-1].new


def test_a_story_leaves_when_its_last_article_does():
    engine = make()
    list(engine.stream([make_article(0, "flood"), make_article(1, "trial", day=3)]))
    assert len(engine.stories()) == 2
    engine.process([make_article(2, "trial", day=7)])
    assert {s.id for s in engine.stories()} == {2}
    assert [(s.id, s.active, s.articles) for s in engine.ended()] == [(1, False, ("flood-0",))]
    assert engine.explain("trial-2").story == 2


def test_learning_moves_m_and_its_step_size_is_obeyed():
    still, moving = make(learning_rate=0), make(learning_rate=1e-3)
    for engine in (still, moving):
        list(engine.stream(make_stream(5)))
    start = make().state().arrays["model.sentence.weight"]
    assert np.array_equal(still.state().arrays["model.sentence.weight"], start)
    assert not np.array_equal(moving.state().arrays["model.sentence.weight"], start)


def test_of_a_large_window_the_oldest_vectors_are_made_anew():
    engine = make(refresh=9)
    window = engine._window
    before, made = {}, {}
    for slide in cut_slides(make_stream(), DAY):
        engine.process(slide)
        names = [member.article.id for member in window.members]
        now = dict(zip(names, window.embedded.tolist(), strict=True))
        vectors = dict(zip(names, window.vectors.copy(), strict=True))
        again = {name for name in made if now.get(name) == engine.current_slide}
        kept = (now.keys() & made.keys()) - again
        assert len(again) <= 9
        assert len(again) + len(slide) >= min(9, len(window))
        # Whoever keeps a vector had it no longer than those that got a new one.
        assert all(made[one] >= made[other] for one in kept for other in again)
        assert all(np.array_equal(vectors[name], before[name]) for name in kept)
        assert not any(np.array_equal(vectors[name], before[name]) for name in again)
        assert engine.current_slide - min(now.values()) <= -(-len(window) // 9)
        before, made = vectors, now


def test_with_room_for_all_every_vector_is_made_anew():
    whole, limited = make(refresh=0), make(refresh=1000)
    first, second = (list(engine.stream(make_stream())) for engine in (whole, limited))
    assert decisions(first) == decisions(second)
    assert set(limited._window.embedded.tolist()) == {limited.current_slide}


def test_seed_matters_where_chance_does():
    one, two = make("paper", seed=1), make("paper", seed=2)
    first, second = list(one.stream(make_stream(9))), list(two.stream(make_stream(9)))
    assert [a.confidence for a in first] != [a.confidence for a in second]


def test_explain_tells_sentences_weights_parts_and_runners_up():
    engine = make()
    list(engine.stream(make_stream(5)))
    explanation = engine.explain("flood-8")
    assert explanation.sentences[0][0].startswith("Flood news")
    total = sum(explanation.parts.values())
    assert set(explanation.parts) == {*VIEWS, "time", "prior"}
    assert explanation.confidence == pytest.approx(1 / (1 + np.exp(-total)))
    assert explanation.story not in {r.story for r in explanation.runners_up}
    assert len(explanation.runners_up) == 2


def test_explaining_what_is_not_there():
    with pytest.raises(UsageError, match="article 'nobody': not in the window"):
        make().explain("nobody")


def test_duplicate_ids_are_refused_and_cost_nothing():
    engine = make()
    engine.process([make_article(0, "flood")])
    before = dump_state(engine.state())
    with pytest.raises(BadItem, match="article 'flood-0': already in the window"):
        engine.process([make_article(1, "flood"), make_article(0, "flood")])
    assert dump_state(engine.state()) == before


def test_save_and_load(tmp_path):
    encoder = HashingEncoder(dim=64)
    engine = make(encoder=encoder)
    list(engine.stream(make_stream(6)))
    engine.save(tmp_path / "engine.npz")
    loaded = StoryDiscovery.load(tmp_path / "engine.npz", encoder=encoder)
    assert loaded.parameters == engine.parameters
    assert loaded.stories() == engine.stories()
    more = [make_article(50, "trial", day=7)]
    assert decisions(loaded.process(more)) == decisions(engine.process(more))


def test_an_engine_that_has_seen_nothing_can_be_restored():
    engine, other = make(), make()
    engine.restore(make().state())
    stream = make_stream(3)
    assert list(engine.stream(stream)) == list(other.stream(stream))
    assert dump_state(engine.state()) == dump_state(other.state())


def test_loading_with_another_encoder_is_refused(tmp_path):
    engine = make()
    engine.process([make_article(0, "flood")])
    engine.save(tmp_path / "engine.npz")
    with pytest.raises(ConfigError, match=r"hashing:32: the saved state was made with hashing:64"):
        StoryDiscovery.load(tmp_path / "engine.npz", encoder=HashingEncoder(dim=32))


def test_loading_nonsense_is_refused(tmp_path):
    (tmp_path / "engine.npz").write_bytes(b"not an archive")
    with pytest.raises(StoreError, match="not a saved scstory state"):
        StoryDiscovery.load(tmp_path / "engine.npz", encoder=HashingEncoder())
    with pytest.raises(UsageError, match="cannot be read"):
        StoryDiscovery.load(tmp_path / "missing.npz", encoder=HashingEncoder())


@pytest.mark.parametrize("cut", [0.3, 0.9, 0.999])
def test_loading_what_is_cut_short_is_refused(tmp_path, cut):
    engine = make()
    engine.process([make_article(0, "flood")])
    engine.save(path := tmp_path / "engine.npz")
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(StoreError, match="not a saved scstory state, or damaged"):
        StoryDiscovery.load(path, encoder=HashingEncoder(dim=64))


@pytest.mark.parametrize("name", ["window.vectors", "window.embedded", "window.confidence"])
def test_a_state_with_a_part_too_short_is_refused(name):
    engine = make()
    list(engine.stream(make_stream(3)))
    state = engine.state()
    cut = replace(state, arrays={**state.arrays, name: state.arrays[name][:-1]})
    with pytest.raises(StoreError, match="saved state: damaged"):
        make().restore(cut)


def test_while_the_first_window_is_held_back_an_article_would_found_a_story():
    engine = make("paper")
    engine.process(make_stream(1))
    guess = engine.predict_one(make_article(9, "flood", day=1))
    assert (guess.new, guess.story, guess.runners_up) == (True, 1, ())
    other = make("paper")
    other.decide(make_stream(1))
    assert other.predict_one(make_article(9, "flood", day=0)).new
    assert decisions(engine.finish())


@pytest.mark.parametrize("missing", ["rng", "times", "window.vectors", "terms.used"])
def test_a_state_with_a_part_missing_is_refused(missing):
    engine = make()
    engine.process([make_article(0, "flood")])
    state = engine.state()
    meta = {name: value for name, value in state.meta.items() if name != missing}
    arrays = {name: value for name, value in state.arrays.items() if name != missing}
    with pytest.raises(StoreError, match=r"saved state: damaged \(.*\); restore a backup"):
        make().restore(replace(state, meta=meta, arrays=arrays))


def test_a_state_of_the_format_before_goes_on():
    stream = make_stream(16)
    engine = make(attention_width=0, refresh=0)
    for slide in cut_slides(stream[:-20], DAY):
        engine.process(slide)
    state = engine.state()
    assert len(state.arrays["archive.terms.indices"])
    known = dict(state.meta["parameters"])
    del known["attention_width"], known["refresh"]
    arrays = {name: value for name, value in state.arrays.items() if name != "window.embedded"}
    older = replace(state, meta={**state.meta, "format": 3, "parameters": known}, arrays=arrays)
    again = make()
    again.restore(older)
    assert again.parameters == engine.parameters
    assert again.stories() == engine.stories()
    phrases = FIELDS.index("phrases") * BUCKETS
    kept = again.state().arrays
    for name in ("terms.used", "archive.terms.indices"):
        assert (state.arrays[name] >= phrases).any()
        expected = state.arrays[name][state.arrays[name] < phrases]
        assert np.array_equal(kept[name], expected)
    rest = list(again.stream(stream[-20:]))
    assert [a.story for a in rest] == [a.story for a in engine.stream(stream[-20:])]


@pytest.mark.parametrize("found", [None, 2, 5])
def test_a_state_of_an_unknown_format_is_refused(found):
    state = make().state()
    with pytest.raises(StoreError, match=rf"format {found}: this version reads 3 and 4"):
        make().restore(replace(state, meta={**state.meta, "format": found}))


def test_saving_in_the_middle_of_a_slide_is_refused():
    engine = make()
    engine.learn_one(make_article(0, "flood"))
    with pytest.raises(UsageError, match="1 articles wait for their slide to close"):
        engine.state()


def test_windows_and_slides_of_other_lengths():
    stream = [make_article(n, "flood", day=n / 24) for n in range(30)]
    engine = make(window="5h", slide="2h")
    list(engine.stream(stream))
    in_window = [i for story in engine.stories() for i in story.articles]
    # The last slide ends at 14:00 on the second day; five hours before that come in.
    assert sorted(in_window) == [f"flood-{n}" for n in range(25, 30)]


def test_a_second_look_is_at_what_is_new_alone_or_uncertain(monkeypatch):
    engine = make()
    seen = []

    def spy(story, times, rows, new, *args, looked_at, **options):
        window = engine._window
        sizes = dict(zip(*np.unique(window.story, return_counts=True), strict=True))
        first = len(window) - len(new)
        expected = {
            i
            for i, own in enumerate(window.story.tolist())
            if i >= first or sizes[own] == 1 or window.confidence[i] < CERTAIN
        }
        whole = {window.story[i] for i in expected}
        some = [i for i, own in enumerate(window.story.tolist()) if own in whole]
        assert story.tolist() == window.story[some].tolist()
        assert {some[place] for place in looked_at} == expected
        assert [some[place] for place in new] == list(range(first, len(window)))
        seen.append(len(window) - len(expected))
        return second_look(story, times, rows, new, *args, looked_at=looked_at, **options)

    monkeypatch.setattr("scstory.discovery.engine.second_look", spy)
    list(engine.stream(make_stream()))
    assert any(seen)  # not at everything
