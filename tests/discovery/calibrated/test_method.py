"""The default method: what it starts as, and what it makes anew after a slide."""

import numpy as np
import pytest
import torch

from scstory.discovery.calibrated.method import mean_encoder
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.slides import cut_slides
from tests.conftest import make_article, make_stream
from tests.discovery.engines import DAY, decisions, make, process, run
from tests.discovery.world import crowd

WEIGHT = "model.indicative.linear.weight"


def test_m_starts_as_the_weighted_mean_of_the_sentences():
    model = mean_encoder(64, CalibratedSettings())
    sentences = torch.randn(6, 64, generator=torch.Generator().manual_seed(0))
    sentences = sentences - sentences.mean(-1, keepdim=True)
    sentences = sentences / sentences.std(-1, correction=0, keepdim=True)
    weights = torch.tensor([1, 0.5, 0.1, 1, 0.9, 0.5])
    found = model(sentences, [6], weights=weights)
    torch.testing.assert_close(found.pooling, weights / 4)
    cosine = torch.cosine_similarity(found.articles, weights[None] @ sentences)
    assert cosine.item() > 0.999


def test_learning_moves_m_and_its_step_size_is_obeyed():
    still, moving = make(learning_rate=0), make(learning_rate=1e-3)
    for engine in (still, moving):
        run(engine, make_stream(5))
    start = make().state().arrays[WEIGHT]
    assert np.array_equal(still.state().arrays[WEIGHT], start)
    assert not np.array_equal(moving.state().arrays[WEIGHT], start)


@pytest.mark.parametrize(("most", "expected"), [(1, 1), (3, 3), (9, 4)])
def test_a_slide_is_learned_from_in_so_many_batches_at_most(monkeypatch, most, expected):
    asked = []

    def spy(model, optimiser, window, sampler, *, batches, **options):
        asked.append(batches)

    monkeypatch.setattr("scstory.discovery.calibrated.method.update", spy)
    run(make(batch_size=4, max_batches=most), make_stream(4)[:12])
    assert asked[-1] == expected  # ⌊12 / 4⌋ + 1, or less


def test_of_a_large_window_the_oldest_vectors_are_made_anew():
    engine = make(refresh=9)
    window = engine.scope.window
    before, made = {}, {}
    for slide in cut_slides(make_stream(), DAY):
        process(engine, slide)
        names = [member.article.id for member in window.members]
        now = dict(zip(names, window["embedded_in"].tolist(), strict=True))
        vectors = dict(zip(names, window["vectors"].copy(), strict=True))
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
    first, second = (run(engine, make_stream()) for engine in (whole, limited))
    assert decisions(first) == decisions(second)
    assert set(limited.scope.window["embedded_in"].tolist()) == {limited.current_slide}


def test_what_moves_is_reported_with_where_it_was_and_why():
    engine = make(features="learned, title", second_look_margin=0.0, window="3d")
    moved = []
    for slide in cut_slides(crowd(8, 6, 4, seed=0, lasts=3), DAY):
        known = {m.article.id: s for m, s in story_by_article(engine)}
        decided = engine.decide(slide)
        known |= {a.article: a.story for a in decided}
        for change in engine.close():
            assert change.was == known[change.article] != change.story
            assert list(change.evidence) in ([], ["learned", "title", "time", "prior"])
            moved.append(change)
        now = {m.article.id: s for m, s in story_by_article(engine)}
        changed = {a.article: a.story for a in moved}
        assert {i: s for i, s in now.items() if i in known and known[i] != s}.items() <= (
            changed.items()
        )
    assert len(moved) > 3


def story_by_article(engine):
    window = engine.scope.window
    return zip(window.members, window.story.tolist(), strict=True)


def test_without_a_second_look_every_decision_stands():
    stream = crowd(8, 6, 4, seed=0, lasts=3)
    options = {"features": "learned, title", "second_look_margin": 0.0, "regroup": False}
    moving, still = (make(second_look=n, window="3d", **options) for n in (1, 0))
    assert any(a.was is not None for a in run(moving, stream))
    assert all(a.was is None for a in run(still, stream))


# -- what an article counts for in the frequencies of terms ---------------------------------------


def test_the_nth_article_of_a_story_counts_one_nth():
    """Stories a, b, a, b, a: the last three are new."""
    engine = told(["a", "b", "a", "b", "a"])
    every, new = np.arange(5), np.array([2, 3, 4])
    np.testing.assert_allclose(weights_of(engine, every), [1, 1, 1 / 2, 1 / 2, 1 / 3])
    np.testing.assert_allclose(weights_of(engine, new), [1 / 2, 1 / 2, 1 / 3])


def test_articles_of_one_story_count_less_and_less():
    np.testing.assert_allclose(weights_of(told("aaa"), np.arange(3)), [1, 1 / 2, 1 / 3])
    slower = told("aaaa", frequency_fading=0.5)
    np.testing.assert_allclose(weights_of(slower, np.array([3])), [1 / 2])


def test_without_fading_every_article_counts_as_one():
    engine = told("aabaa", frequency_fading=0)
    assert weights_of(engine, np.arange(5)).tolist() == [1] * 5


def test_frequencies_count_articles_by_their_weights():
    """Three articles of one story are 1 + 1/2 + 1/3 documents."""
    stream = [make_article(n, "flood") for n in range(3)]
    fading, plain = make(), make(frequency_fading=0)
    for engine in (fading, plain):
        process(engine, stream)
        assert len(set(engine.scope.window.story.tolist())) == 1
    assert fading.scope.statistics.documents == pytest.approx(11 / 6)
    assert plain.scope.statistics.documents == 3


def told(stories, **options):
    """Return an engine whose window holds one article of each story named, in this order."""
    engine = make(**options)
    process(engine, [make_article(n, "flood") for n in range(len(stories))])
    names = sorted(set(stories))
    engine.scope.window["story"][:] = [names.index(name) for name in stories]
    return engine


def weights_of(engine, new):
    return engine.method.document_weights(engine.scope, new)
