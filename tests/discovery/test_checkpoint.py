"""States: what is refused, and that what is restored goes on."""

from dataclasses import replace

import pytest

from scstory.discovery import load_engine
from scstory.discovery.state import FORMAT, dump_state, load_state
from scstory.errors import ConfigError, StoreError
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream
from tests.discovery.engines import PRESETS, decisions, finished, make, process, run


@pytest.mark.parametrize("preset", PRESETS)
def test_an_engine_that_has_seen_nothing_can_be_restored(preset):
    engine, other = make(preset), make(preset)
    engine.restore(make(preset).state())
    stream = make_stream(3)
    assert decisions(run(engine, stream)) == decisions(run(other, stream))
    assert dump_state(engine.state()) == dump_state(other.state())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("days", [3, 9])
def test_what_came_before_is_gone_once_an_engine_is_restored(preset, days):
    """Also an open slide, and what was worked out for it."""
    state, engine, expected = make(preset).state(), make(preset), finished(preset)
    engine.decide(make_stream(days))
    engine.restore(state)
    assert (engine.open_articles, engine.stories(), engine.ended()) == (0, [], [])
    assert decisions(run(engine, make_stream())) == decisions(expected.decided)
    assert dump_state(engine.state()) == dump_state(expected.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_stream_may_end_for_now_and_go_on_after_a_stop(preset):
    """Also where the first window is decided before it is complete."""
    stream = make_stream(12)
    engine = make(preset)
    run(engine, stream[:18])
    again = make(preset)
    again.restore(load_state(dump_state(engine.state())))
    first, second = (run(one, stream[18:]) for one in (engine, again))
    assert decisions(first) == decisions(second)
    assert dump_state(engine.state()) == dump_state(again.state())


def test_what_was_saved_does_not_change_as_the_engine_goes_on():
    engine = make()
    engine.decide(make_stream(4))
    state = engine.state()
    before = dump_state(state)
    run(engine, make_stream(9)[24:])
    assert dump_state(state) == before


@pytest.mark.parametrize("preset", PRESETS)
def test_an_engine_is_made_from_a_state(preset):
    engine = make(preset, delta=0.55, window="5d", max_sentences=7)
    process(engine, make_stream(3))
    loaded = load_engine(load_state(dump_state(engine.state())), HashingEncoder(dim=64))
    assert loaded.settings == engine.settings
    assert dump_state(loaded.state()) == dump_state(engine.state())


@pytest.mark.parametrize("found", [None, "hrstory"])
def test_a_state_of_a_method_that_has_no_preset_is_refused(found):
    state = make().state()
    with pytest.raises(StoreError, match=f"method '{found}': there are paper, calibrated"):
        load_engine(replace(state, meta={**state.meta, "method": found}), HashingEncoder(dim=64))


def test_another_encoder_is_refused():
    engine = make()
    process(engine, [make_article(0, "flood")])
    with pytest.raises(ConfigError, match=r"hashing:32: the saved state was made with hashing:64"):
        load_engine(engine.state(), HashingEncoder(dim=32))


@pytest.mark.parametrize("found", [None, 6, 9, 99])
def test_a_state_of_an_unknown_format_is_refused(found):
    state = make().state()
    with pytest.raises(StoreError, match=rf"format {found}: this version reads {FORMAT}"):
        make().restore(replace(state, meta={**state.meta, "format": found}))


@pytest.mark.parametrize(
    "name", ["window.vectors", "window.embedded_in", "window.confidence", "window.weights"]
)
def test_a_state_with_a_part_too_short_is_refused(name):
    engine = make()
    run(engine, make_stream(3))
    state = engine.state()
    cut = replace(state, arrays={**state.arrays, name: state.arrays[name][:-1]})
    with pytest.raises(StoreError, match="saved state: damaged"):
        make().restore(cut)


META = ["slide", "first_slide", "next_story", "open", "documents", "own", "stories", "sizes"]


@pytest.mark.parametrize(
    "missing", [*META, "dormant", "window.times", "window.story", "window.vectors", "terms.used"]
)
def test_a_state_with_a_part_missing_is_refused(missing):
    engine = make()
    process(engine, [make_article(0, "flood")])
    state = engine.state()
    meta = {name: value for name, value in state.meta.items() if name != missing}
    arrays = {name: value for name, value in state.arrays.items() if name != missing}
    assert (len(meta), len(arrays)) != (len(state.meta), len(state.arrays))
    with pytest.raises(StoreError, match=r"saved state: damaged \(.*\); restore a backup"):
        make().restore(replace(state, meta=meta, arrays=arrays))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_state_with_any_part_missing_is_refused(preset):
    state = finished(preset).state
    unread = [name for name in state.arrays if name.endswith(".step") and name != "adam.0.step"]
    for missing in state.arrays.keys() - unread:
        arrays = {name: value for name, value in state.arrays.items() if name != missing}
        with pytest.raises(StoreError, match="saved state: damaged"):
            make(preset).restore(replace(state, arrays=arrays))
    for missing in state.meta["own"]:
        own = {name: value for name, value in state.meta["own"].items() if name != missing}
        with pytest.raises(StoreError, match="saved state: damaged"):
            make(preset).restore(replace(state, meta={**state.meta, "own": own}))


def test_a_state_with_an_article_missing_is_refused():
    engine = make()
    run(engine, make_stream(3))
    state = engine.state()
    with pytest.raises(StoreError, match="saved state: damaged"):
        make().restore(replace(state, members=state.members[:-1]))


def test_a_state_from_before_a_setting_was_added_goes_on():
    engine = make("paper")
    process(engine, make_stream(1))
    state = engine.state()
    older = {k: v for k, v in state.meta["parameters"].items() if k != "pretrained"}
    make("paper").restore(replace(state, meta={**state.meta, "parameters": older}))
    with pytest.raises(ConfigError, match="made with other settings"):
        make("paper", delta=0.6).restore(state)
