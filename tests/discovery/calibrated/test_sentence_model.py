"""The part of M that weighs sentences: it learns on the stream which ones are an article's own."""

import numpy as np
import pytest

from scstory.discovery.calibrated.names import RELATIONS
from scstory.discovery.calibrated.relations import Sentences
from scstory.discovery.calibrated.sentence_model import SentenceModel, insert
from scstory.discovery.calibrated.settings import CalibratedSettings

SETTINGS = CalibratedSettings()
WIDTH = len(RELATIONS)


def drawn(rng, own, foreign, apart=2.0):
    """Return relations of own and of foreign sentences, which differ in the first two."""
    x = rng.standard_normal((own + foreign, WIDTH))
    x[:own, :2] += apart
    return x


def taught(foreign_share, slides=30, **changes):
    """Return a model taught on slides in which a share of what is there is foreign already."""
    rng = np.random.default_rng(0)
    model = SentenceModel(SETTINGS.with_changes(changes))
    count = 600
    for _ in range(slides):
        foreign = round(foreign_share * count)
        x = drawn(rng, count - foreign, foreign + count // 2)
        model.fit(x, np.arange(len(x)) < count)
    return model, rng


def weights(model, x):
    score = np.concatenate([x, np.ones((len(x), 1))], axis=1) @ model.coefficients
    share = model.foreign_share
    return 1 / (1 + np.exp(-(score - np.log(share / (1 - share)))))


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_it_learns_which_sentences_are_foreign_and_how_many(share):
    model, rng = taught(share)
    assert model.foreign_share == pytest.approx(share, abs=0.08)
    found = weights(model, drawn(rng, 500, 500, apart=3.0))
    assert found[:500].mean() > 0.9
    assert found[:500].mean() - found[500:].mean() > (0.2 if share == 0 else 0.6)


def test_the_foreign_share_stays_within_its_bounds():
    model, _ = taught(0.0, foreign_least=0.04)
    assert model.foreign_share >= 0.04
    model, _ = taught(0.5, foreign_most=0.2)
    assert model.foreign_share == 0.2


def test_it_remembers_and_forgets():
    rng = np.random.default_rng(1)
    for memory, expected in ((1.0, 1), (0.5, -1)):
        model, _ = taught(0.0, relations_memory=memory)
        for _ in range(20):
            x = drawn(rng, 600, 300, apart=-2.0)
            model.fit(x, np.arange(len(x)) < 600)
        assert np.sign(model.coefficients[0]) == expected, memory


def test_what_parts_perfectly_is_learned_within_bounds():
    model = SentenceModel(SETTINGS.with_changes({"relations_memory": 0}))
    x = np.zeros((40, WIDTH))
    x[:20, 0] = 100
    for _ in range(20):
        model.fit(x, np.arange(40) < 20)
    assert np.abs(model.coefficients).max() < 100
    assert np.isfinite(model.precision).all()


def test_a_restored_model_goes_on_the_same():
    model, rng = taught(0.2, slides=3)
    copy = SentenceModel(SETTINGS)
    copy.restore({name: value.copy() for name, value in model.state().items()})
    x = drawn(rng, 100, 80)
    for one in (model, copy):
        one.fit(x, np.arange(180) < 120)
    assert np.array_equal(model.coefficients, copy.coefficients)
    assert model.foreign_share == copy.foreign_share


def numbered(start, count):
    """Return sentences with one term each, numbered from `start`."""
    numbers = np.arange(count, dtype=np.int32)
    vectors = np.eye(64, dtype=np.float32)[start : start + count]
    return Sentences(vectors, numbers, numbers + start)


@pytest.mark.parametrize("seed", range(20))
def test_insertion_keeps_what_was_there_in_order_and_the_title_first(seed):
    rng = np.random.default_rng(seed)
    others = [numbered(20, 5), numbered(40, 1)]
    mixed, there = insert(numbered(0, 8), others, 0.5, rng)
    assert len(mixed) == len(there) == 12
    assert there[0]
    number = mixed.vectors.argmax(axis=1)
    assert number[there].tolist() == list(range(8))
    assert (number[~there] >= 20).all()
    assert 20 not in number  # no title but that of an article that has nothing else
    assert mixed.column[np.argsort(mixed.sentence)].tolist() == number.tolist()


def test_at_least_one_sentence_is_inserted():
    _, there = insert(numbered(0, 1), [numbered(9, 2)], 0.01, np.random.default_rng(0))
    assert there.tolist() == [True, False]
