"""Every switch of the ablation study does what it says, and keeps the engine's promises."""

import numpy as np
import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import cut_slides
from tests.conftest import make_stream
from tests.discovery.test_engine import DAY, decisions, make

SWITCHES = {
    "no memory replay": {"replay": "new"},
    "no augmentation": {"augmentation": "none"},
    "neither": {"replay": "new", "augmentation": "none"},
    "no learned encoder": {"learned": False},
    "last two windows": {"memory": "14d"},
    "all windows": {"memory": "10000d"},
    "by pooling weights": {"augmentation": "pooling"},
    "by shuffle": {"augmentation": "shuffle"},
    "by feature dropout": {"augmentation": "dropout"},
    "first window only": {"update": "first"},
    "30 % of windows": {"update_share": 0.3},
    "MR7": {"window": "14d", "memory": "7d"},
    "review": {"review": 4},
}


def switched(name, preset="paper", **more):
    return make(preset, **SWITCHES[name], learning_rate=1e-3, **more)


@pytest.mark.parametrize("name", SWITCHES)
class TestEverySwitch:
    def test_every_article_one_story_and_the_same_twice(self, name):
        stream = make_stream(18)
        first, second = (decisions(switched(name).stream(stream)) for _ in range(2))
        assert first == second
        assert {d[0] for d in first} == {a.id for a in stream}

    def test_stopped_and_resumed_is_as_if_never_stopped(self, name):
        stream = make_stream(18)
        undisturbed = switched(name)
        expected = list(undisturbed.stream(stream))
        engine, decided = switched(name), []
        for slide in cut_slides(stream, DAY):
            decided += engine.process(slide)
            content = dump_state(engine.state())
            engine = switched(name)
            engine.restore(load_state(content))
        assert decisions(decided) == decisions(expected)
        assert engine.stories() == undisturbed.stories()


def weights(engine: StoryDiscovery):
    return engine.state().arrays["model.sentence.weight"]


@pytest.mark.parametrize("name", ["no learned encoder", "first window only"])
def test_m_stands_still_where_it_should(name):
    engine = switched(name)
    stream = make_stream(12)
    slides = list(cut_slides(stream, DAY))
    for slide in slides[:7]:
        engine.process(slide)
    before = weights(engine)
    for slide in slides[7:]:
        engine.process(slide)
    assert np.array_equal(before, weights(engine))
    moving = make("paper", learning_rate=1e-3)
    list(moving.stream(stream))
    assert not np.array_equal(weights(moving), before)


def test_without_m_an_article_is_the_mean_of_its_sentences():
    engine = switched("no learned encoder")
    list(engine.stream(make_stream(8)))
    window = engine._window
    expected = [member.vectors.mean(axis=0) for member in window.members]
    np.testing.assert_allclose(window.vectors, expected, atol=1e-6)


def test_the_switches_make_a_difference():
    stream = make_stream(18)
    plain = weights_after(make("paper", learning_rate=1e-3), stream)
    for name in SWITCHES:
        if name not in ("review", "MR7"):
            assert not np.array_equal(weights_after(switched(name), stream), plain), name


def weights_after(engine, stream):
    list(engine.stream(stream))
    return weights(engine)


def test_memory_holds_what_left_the_window_and_no_more():
    engine = switched("last two windows")
    stream = make_stream(30)
    for slide in cut_slides(stream, DAY):
        engine.process(slide)
    kept = engine.state().members
    last = stream[-1].published.date()
    assert {(last - m.article.published.date()).days for m in kept} == set(range(14))


def test_review_moves_a_doubtful_article_to_where_it_belongs():
    engine = make(review=2, review_below=0.75)
    stream = make_stream(3)
    slides = list(cut_slides(stream, DAY))
    engine.process(slides[0])
    # Put one flood article into the trial's story by hand, as if it had been misjudged.
    window = engine._window
    topics = [member.article.id.split("-")[0] for member in window.members]
    flood, trial = topics.index("flood"), topics.index("trial")
    right, wrong = int(window.story[flood]), int(window.story[trial])
    window.story[flood] = wrong
    engine._sizes.update({right: -1, wrong: 1})
    engine._rate(window)
    decided = engine.process(slides[1])
    (moved,) = [a for a in decided if a.was is not None]
    assert (moved.article, moved.was, moved.story) == (
        window.members[flood].article.id,
        wrong,
        right,
    )
    sizes = {story.id: story.size for story in engine.stories()}
    assert sizes[right] == sizes[wrong] == 4
