"""What the default method remembers of corrections, and what it learns from them."""

from dataclasses import replace

import numpy as np

from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.known_pairs import KnownPairs
from scstory.discovery.calibrated.posterior import Posterior
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.corrections import Correction
from scstory.discovery.paper.training_samples import Sampler
from tests.conftest import make_stream
from tests.discovery.test_engine import make, run

SETTINGS = CalibratedSettings()
FEATURES = len(SETTINGS.compared)


def engine_after(days=6):
    engine = make("default", window="9d")
    run(engine, make_stream(days))
    return engine


def rows_of(engine, story):
    return np.flatnonzero(engine.scope.window.story == story)


def ids(engine, rows):
    return [engine.scope.window.members[i].article.id for i in rows]


def test_what_is_kept_apart_stays_apart_when_a_story_is_divided_or_joined():
    engine = engine_after()
    window, found = engine.scope.window, Corrected()
    found.add(window, Correction(number=1, apart=((1, 2),)), np.array([0, 3]))
    found.divided(1, 7)
    assert {(1, 2), (7, 2)} <= found.kept_apart(window.story)
    found.joined({2: 5})
    assert {(1, 5), (5, 7)} <= found.kept_apart(window.story)
    assert found.held(5).tolist() == [True, False, False, True, False]
    found.evict(1, {1, 5, 7})
    assert found.held(4).tolist() == [False, False, True, False]
    again = Corrected()
    again.restore(found.state())
    assert again.kept_apart(window.story[1:]) == found.kept_apart(window.story[1:])
    found.add(window, Correction(number=2, retracts=1), np.array([], dtype=int))
    assert not found.kept_apart(window.story)
    assert not found.held(4).any()


def test_a_barred_article_is_sent_back():
    engine = engine_after()
    window, found = engine.scope.window, Corrected()
    (article,) = ids(engine, [2])
    found.add(window, Correction(number=1, barred={article: 9}), np.array([], dtype=int))
    before, story = window.story.copy(), window.story.copy()
    story[[2, 3]] = 9
    found.send_back(story, before)
    assert (story[2], story[3]) == (before[2], 9)


def test_pairs_that_people_know_count_in_the_fit():
    rng = np.random.default_rng(1)
    seen = rng.normal(0.3, 0.05, (60, FEATURES))
    fits = []
    for same in (np.empty((0, FEATURES)), np.full((40, FEATURES), 0.3)):
        posterior = Posterior(SETTINGS)
        state = posterior.state()
        state |= {"matches": seen, "match_gaps": np.ones((60, 2), dtype=int)}
        posterior.restore(state)
        known = KnownPairs(SETTINGS)
        known.same = same
        posterior.fit(0.0, known)
        fits.append(posterior.mixture)
    plain, told = fits
    assert told.evidence(plain.middle) + told.prior > plain.evidence(plain.middle) + plain.prior
    silent = Posterior(replace(SETTINGS, correction_weight=0.0))
    silent.restore(state)
    silent.fit(0.0, known)
    assert np.allclose(silent.mixture, plain)


def test_a_correction_shows_a_pair_of_each_kind_and_undoing_it_none():
    engine = engine_after()
    story, other = np.unique(engine.scope.window.story)[:2].tolist()
    (article,) = ids(engine, rows_of(engine, story)[:1])
    move = Correction(number=1, moves={article: other}, holds=(article,), apart=((story, other),))
    engine.correct(move)
    arrays = engine.state().arrays
    same, different = arrays["known.same"], arrays["known.different"]
    assert same.shape == different.shape == (1, FEATURES)
    assert same.mean() < different.mean()  # it was where it looked alike
    engine.correct(Correction(number=2, moves={article: story}, retracts=1))
    assert len(engine.state().arrays["known.same"]) == 1


def test_m_learns_from_what_people_placed_in_every_batch():
    engine = engine_after()
    window = engine.scope.window
    column = np.unique(window.story, return_inverse=True)[1]
    placed, scope = np.array([4]), np.arange(len(window))
    plain = Sampler(8, 2.0, 50)  # nobody is confident enough to be replayed
    told = Sampler(8, 2.0, 50, placed=placed)
    rows = window.sentence_table(placed)[0]
    for sampler, times in ((plain, 0), (told, 1)):
        drawn = sampler.draw(window, column, scope, np.random.default_rng(3))
        width = drawn.rows.shape[1]
        wanted = np.pad(rows, (0, max(0, width - len(rows))), constant_values=-1)[:width]
        own = (drawn.rows == wanted).all(axis=1)
        assert drawn.times[own].sum() >= times
        if not times:
            assert not own.any()
