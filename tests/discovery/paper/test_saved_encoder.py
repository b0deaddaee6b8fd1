"""A saved M: what it holds, what it starts another stream with, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch

from scstory.discovery import load_engine
from scstory.discovery.paper.update import model_arrays
from scstory.discovery.state import dump_state, load_state
from scstory.errors import ConfigError, ScstoryError, StoreError, UsageError
from scstory.types import State
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream
from tests.discovery.engines import decisions, discover, make, run


@pytest.fixture
def learned(tmp_path):
    """Return a discovery that has learned, with the file of its M."""
    discovery = discover("paper", learning_rate=1e-2)
    run(discovery.engine, make_stream(9))
    path = tmp_path / "m.npz"
    discovery.save_encoder(path)
    return discovery, str(path)


def weights(engine):
    return {name: value.clone() for name, value in engine.method.model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def test_another_stream_starts_with_the_saved_weights_and_fresh_moments(learned):
    discovery, path = learned
    again = make("paper", pretrained=path)
    assert same(weights(again), weights(discovery.engine))
    assert not same(weights(again), weights(make("paper")))
    moments = [n for n in model_arrays(again.method.model, again.method._optimiser) if "adam" in n]
    assert not moments


def test_the_file_holds_m_and_no_article(learned):
    state = load_state(Path(learned[1]).read_bytes())
    assert {name.partition(".")[0] for name in state.arrays} == {"model"}
    assert state.members == ()


def test_the_first_window_is_clustered_by_it_and_does_not_train_it(learned, monkeypatch):
    discovery, path = learned
    clustered = []
    monkeypatch.setattr(
        "scstory.discovery.paper.method.seed_stories",
        lambda vectors, **rest: clustered.append(vectors.copy()) or np.zeros(len(vectors), int),
    )
    engine = make("paper", pretrained=path)
    stream = make_stream(3)
    run(engine, stream)  # ends within the first window
    assert same(weights(engine), weights(discovery.engine))
    (vectors,) = clustered
    members = engine.scope.window.members
    by_hand = engine.method.model(
        torch.from_numpy(np.concatenate([m.vectors for m in members])),
        [len(m.vectors) for m in members],
    ).articles
    np.testing.assert_allclose(vectors, by_hand.detach().numpy(), atol=1e-5)


def test_later_slides_update_it(learned):
    engine = make("paper", pretrained=learned[1], learning_rate=1e-2)
    run(engine, make_stream(9))
    assert not same(weights(engine), weights(learned[0].engine))


def test_a_whole_saved_state_may_be_given(learned, tmp_path):
    discovery, _ = learned
    whole = tmp_path / "engine.npz"
    discovery.save(whole)
    assert same(weights(make("paper", pretrained=str(whole))), weights(discovery.engine))


def test_going_on_needs_the_file_no_longer(learned, tmp_path):
    stream = make_stream(12)
    whole, part = (make("paper", pretrained=learned[1]) for _ in range(2))
    expected = decisions(run(whole, stream))
    first = [a for a in stream if a.published.day < 6]  # the first window is still open
    found = decisions(part.decide(first))
    (tmp_path / "m.npz").unlink()
    again = load_engine(load_state(dump_state(part.state())), HashingEncoder(dim=64))
    assert found + decisions(run(again, stream[len(first) :])) == expected


@pytest.mark.parametrize(
    ("encoder", "settings", "message"),
    [
        (
            HashingEncoder(dim=32),
            {},
            r"is for vectors of 64 dimensions, and encoder hashing:32 has "
            r"32; use encoder hashing:64",
        ),
        (None, {"heads": 2}, r"heads of 2: pretrained .*m\.npz has 4; set heads=4"),
        (
            None,
            {"pooling_width": 3},
            r"pooling_width of 3: pretrained .* has 1; set pooling_width=1",
        ),
    ],
    ids=["dimension", "heads", "width"],
)
def test_another_shape_is_refused(learned, encoder, settings, message):
    with pytest.raises(ConfigError, match=message):
        make("paper", encoder, pretrained=learned[1], **settings)


def test_vectors_of_another_encoder_are_refused(learned):
    other = HashingEncoder(dim=64)
    other.name = "other"
    with pytest.raises(
        ConfigError, match="was learned on vectors of hashing:64, and this is other"
    ):
        make("paper", other, pretrained=learned[1])


def test_an_m_that_has_learned_nothing_or_of_another_method_is_refused(tmp_path):
    waiting = discover("paper")
    waiting.learn_one(make_stream(1)[0])
    with pytest.raises(ConfigError, match="M has not learned anything yet"):
        waiting.save_encoder(tmp_path / "m.npz")
    waiting.save(tmp_path / "engine.npz")
    with pytest.raises(ConfigError, match=r"engine\.npz: M has not learned anything yet"):
        make("paper", pretrained=str(tmp_path / "engine.npz"))
    default = discover("default")
    with pytest.raises(ConfigError, match="method calibrated: only the preset paper"):
        default.save_encoder(tmp_path / "m.npz")
    default.save(tmp_path / "default.npz")
    with pytest.raises(ConfigError, match="has an M of the method 'calibrated'"):
        make("paper", pretrained=str(tmp_path / "default.npz"))


def test_unusable_files_are_told(learned, tmp_path):
    discovery, path = learned
    with pytest.raises(ConfigError, match=r"pretrained none\.npz: cannot be read \(No such file"):
        make("paper", pretrained="none.npz")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(StoreError, match="text: not a saved scstory state, or damaged"):
        make("paper", pretrained=str(tmp_path / "text"))
    with pytest.raises(UsageError, match="cannot be written"):
        discovery.save_encoder(tmp_path / "none" / "m.npz")
    state = load_state(Path(path).read_bytes())
    for broken in (
        State({k: v for k, v in state.meta.items() if k != "encoder"}, state.arrays, ()),
        State(state.meta, {}, ()),
        State(state.meta, dict(list(state.arrays.items())[1:]), ()),
    ):
        (tmp_path / "broken").write_bytes(dump_state(broken, members=False))
        with pytest.raises(ScstoryError, match=r"broken: damaged"):
            make("paper", pretrained=str(tmp_path / "broken"))
