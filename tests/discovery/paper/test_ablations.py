"""Every switch of the ablation study does what it says, and keeps the engine's promises."""

import numpy as np
import pytest

from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state
from tests.conftest import make_stream
from tests.discovery.engines import DAY, decisions, make, process, resumed, run

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
    "replay of the most confident": {"replay_from": 0.9},
    "MR7": {"window": "14d", "memory": "7d"},
}


def switched(name):
    return make("paper", **SWITCHES[name], learning_rate=1e-3)


@pytest.mark.parametrize("name", SWITCHES)
def test_stopped_and_resumed_is_as_if_never_stopped(name):
    # Longer than what is remembered.
    stream = make_stream(16 if "14d" in SWITCHES[name].values() else 9)
    undisturbed = switched(name)
    expected = run(undisturbed, stream)
    engine, decided = switched(name), []
    for slide in cut_slides(stream, DAY):
        decided += process(engine, slide)
        engine = resumed(engine, switched(name))
    assert decisions(decided) == decisions(expected)
    assert {decision.article for decision in expected} == {a.id for a in stream}
    assert engine.stories() == undisturbed.stories()
    assert dump_state(engine.state()) == dump_state(undisturbed.state())


def weights(engine):
    return engine.state().arrays["model.indicative.linear.weight"]


@pytest.mark.parametrize("name", ["no learned encoder", "first window only"])
def test_m_stands_still_where_it_should(name):
    engine = switched(name)
    stream = make_stream(12)
    slides = list(cut_slides(stream, DAY))
    for slide in slides[:7]:
        process(engine, slide)
    before = weights(engine)
    for slide in slides[7:]:
        process(engine, slide)
    assert np.array_equal(before, weights(engine))
    moving = make("paper", learning_rate=1e-3)
    run(moving, stream)
    assert not np.array_equal(weights(moving), before)


def test_without_m_an_article_is_the_mean_of_its_sentences():
    engine = switched("no learned encoder")
    run(engine, make_stream(8))
    window = engine.scope.window
    expected = [member.vectors.mean(axis=0) for member in window.members]
    np.testing.assert_allclose(window["vectors"], expected, atol=1e-6)


def test_the_switches_make_a_difference():
    stream = make_stream(14)
    plain = weights_after(make("paper", learning_rate=1e-3), stream)
    for name in SWITCHES.keys() - {"MR7"}:
        assert not np.array_equal(weights_after(switched(name), stream), plain), name


def weights_after(engine, stream):
    run(engine, stream)
    return weights(engine)


def test_memory_holds_what_left_the_window_and_no_more():
    engine = switched("last two windows")
    stream = make_stream(30)
    for slide in cut_slides(stream, DAY):
        process(engine, slide)
    last = stream[-1].published.date()
    held = [(last - m.article.published.date()).days for m in engine.state().members]
    assert sorted(set(held)) == list(range(14))
    assert len(engine.scope.window) == sum(day < 7 for day in held)
