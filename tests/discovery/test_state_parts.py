"""A state in parts: what is written depends on what has changed."""

import json

import numpy as np

from scstory.discovery import state_parts
from scstory.discovery.presets import make_engine, make_settings
from scstory.discovery.state_parts import dump_parts, load_parts, part_names, parts_of
from scstory.types import State
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream
from tests.discovery.world import crowd


def make():
    return make_engine(make_settings(), HashingEncoder(dim=32))


def make_large():
    settings = make_settings(overrides={"candidates_from": 1, "candidates": 8})
    return make_engine(settings, HashingEncoder(dim=32))


def same(one: State, other: State) -> bool:
    equal = one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(value, other.arrays[name]) and value.dtype == other.arrays[name].dtype
        for name, value in one.arrays.items()
    )
    return equal and json.loads(json.dumps(one.meta)) == other.meta


def test_what_was_divided_is_put_together_again(monkeypatch):
    monkeypatch.setattr(state_parts, "ARTICLES", 4)
    monkeypatch.setattr(state_parts, "SENTENCES", 8)
    engine = make()
    for article in make_stream(10):
        engine.decide([article])
        state = engine.state()
        assert same(state, load_parts(dump_parts(state)))
    assert engine.scope.window.first > 0
    assert len([name for name in parts_of(state) if name.startswith("window-rows")]) > 2


def test_the_differences_add_up_to_the_state(monkeypatch):
    monkeypatch.setattr(state_parts, "ARTICLES", 4)
    monkeypatch.setattr(state_parts, "SENTENCES", 8)
    engine, last, known = make(), None, {}
    for article in make_stream(10):
        engine.decide([article])
        state = engine.state()
        known |= dump_parts(state, since=last)
        known = {name: known[name] for name in part_names(state)}
        last = state
        assert same(state, load_parts(known))


def test_within_a_slide_only_the_latest_blocks_change(monkeypatch):
    monkeypatch.setattr(state_parts, "ARTICLES", 4)
    monkeypatch.setattr(state_parts, "SENTENCES", 8)
    engine = make()
    *earlier, last = make_stream(6)
    engine.decide(earlier)
    before = engine.state()
    engine.decide([last])
    after = engine.state()
    changed = {name.rpartition("-")[0] or name for name in dump_parts(after, since=before)}
    window = {"window-rows", "window-vectors", "window-sentences"}
    assert changed == {"meta", "posterior", "sizes", *window}
    rows = [name for name in dump_parts(after, since=before) if name.startswith("window-rows")]
    assert rows == [max(name for name in part_names(after) if name.startswith("window-rows"))]


def test_a_state_goes_on_in_the_same_blocks(monkeypatch):
    monkeypatch.setattr(state_parts, "ARTICLES", 4)
    engine, again, stream = make(), make(), make_stream(10)
    engine.decide(stream[:-4])
    saved = engine.state()
    loaded = load_parts(dump_parts(saved))
    again.restore(State(loaded.meta, loaded.arrays, saved.members))
    for one in (engine, again):
        one.decide(stream[-4:])
    assert dump_parts(engine.state()) == dump_parts(again.state())


def test_what_a_large_window_refers_to_stays_within_a_slide():
    engine = make_large()
    *earlier, last = crowd(3, 6, 4, seed=0)
    engine.decide(earlier)
    before = engine.state()
    engine.decide([last])
    assert {"reference", "near"} <= part_names(before)
    assert "reference" not in dump_parts(engine.state(), since=before)


def test_a_large_window_of_format_11_is_read():
    engine, other = make_large(), make_large()
    engine.decide(crowd(3, 6, 4, seed=0))
    state = engine.state()
    arrays = {**state.arrays}
    assert len(arrays["near.stories"])
    arrays["reference.near"] = arrays.pop("near.stories")
    other.restore(State({**state.meta, "format": 11}, arrays, state.members))
    assert same(other.state(), state)
