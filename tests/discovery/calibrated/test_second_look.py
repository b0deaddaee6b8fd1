"""The second look: who moves, who leaves, and that it comes to rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.second_look import second_look
from scstory.discovery.calibrated.settings import CalibratedSettings
from tests.conftest import make_stream
from tests.discovery.calibrated.rows import from_views
from tests.discovery.engines import make, run

SETTINGS = CalibratedSettings(features="learned, terms")
POSTERIOR = PairPosteriors(SETTINGS)
DELTA, MARGIN, NEXT = SETTINGS.delta, SETTINGS.second_look_margin, 50


def rows_of(subjects, noise=0.1, seed=0):
    """Return rows, one a subject: those of one subject are much alike, others not at all."""
    rng = np.random.default_rng(seed)
    vectors = np.eye(6)[subjects] + noise * rng.standard_normal((len(subjects), 6))
    terms = np.eye(4)[np.array(subjects) % 4] + noise * rng.random((len(subjects), 4))
    lengths = [np.linalg.norm(view, axis=1, keepdims=True) for view in (vectors, terms)]
    return from_views([vectors / lengths[0], terms / lengths[1]], dense=1)[0]


def look_once(story, times, rows, new, **options):
    return second_look(story, times, rows, new, POSTERIOR, SETTINGS, **options)


def look(story, subjects, new, **options):
    """Return the stories after a second look, and the next number."""
    story, rows = np.array(story), rows_of(subjects, **options)
    times = np.arange(len(story)) * 3600.0
    number = look_once(story, times, rows, np.array(new), next_story=NEXT)
    again = story.copy()
    after = look_once(again, times, rows, np.array(new), next_story=number)
    assert (again.tolist(), after) == (story.tolist(), number)  # it has come to rest
    return story.tolist(), number


def test_what_fits_stays():
    story = [1, 1, 2, 2, 1, 2]
    assert look(story, [0, 0, 1, 1, 0, 1], [4, 5]) == (story, NEXT)


def test_an_article_in_the_wrong_story_moves_to_the_one_that_grew():
    assert look([1, 1, 2, 2, 2, 1], [0, 0, 1, 1, 0, 0], [5]) == ([1, 1, 2, 2, 1, 1], NEXT)


def test_so_does_one_that_was_a_story_by_itself():
    assert look([1, 1, 2, 1], [0, 0, 0, 0], [3]) == ([1, 1, 1, 1], NEXT)


def test_two_stories_of_one_article_each_become_one():
    assert look([1, 2], [0, 0], [1])[0] in ([1, 1], [2, 2])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_only_those_looked_at_move(seed, count):
    rng = np.random.default_rng(seed)
    story, rows = rng.integers(1, 5, count), rows_of(rng.integers(0, 5, count), seed=seed)
    times, new = rng.integers(0, 7 * 24, count) * 3600.0, np.flatnonzero(rng.random(count) < 0.5)
    looked_at, before = np.flatnonzero(rng.random(count) < 0.5), story.copy()
    known = {"next_story": NEXT}
    look_once(story, times, rows, new, looked_at=looked_at, **known)
    moved = np.flatnonzero(story != before)
    assert set(moved) <= set(looked_at)
    if len(looked_at):  # and the first of them as it would if all could
        first, everyone = looked_at[0], before.copy()
        alone = before.copy()
        look_once(alone, times, rows, new, looked_at=looked_at[:1], **known)
        look_once(everyone, times, rows, new, **known)
        earlier = (everyone != before)[:first].any()
        assert earlier or alone[first] == everyone[first]


def test_nothing_moves_to_a_story_that_did_not_grow():
    story = [1, 1, 2, 3, 3]
    assert look(story, [0, 0, 0, 1, 1], [4]) == (story, NEXT)


def test_one_that_fits_nowhere_leaves_and_takes_a_number_unused_before():
    assert look([1, 1, 2, 2, 2, 1], [0, 0, 1, 1, 2, 0], [5]) == ([1, 1, 2, 2, NEXT, 1], NEXT + 1)


def test_those_that_leave_after_one_another_find_each_other():
    story, subjects = [1] * 9 + [2] * 9, [0] * 8 + [3] + [1] * 8 + [3]
    found, number = look(story, subjects, [8, 17])
    assert found == [1] * 8 + [NEXT] + [2] * 8 + [NEXT]
    assert number == NEXT + 1


def test_a_single_article_is_left_alone():
    assert look([1, 2], [0, 1], [1]) == ([1, 2], NEXT)


def plainly(story, times, rows, new, number):
    """Look a second time, with all of the window worked out anew for every article."""
    threshold = np.log(DELTA / (1 - DELTA))

    def places(i):
        fit = LeaveOneOut.of(story, times, rows, coherence=SETTINGS.coherence)
        own = fit.column[i]
        here = fit.own_evidence(POSTERIOR).sum(axis=0)[i]
        grown = np.setdiff1d(fit.column[new], own)
        there = fit.log_odds_in(grown, POSTERIOR, rows[[i]], times[[i]])[0]
        alone = bool(fit.alone[i])
        return threshold if alone else here, dict(zip(fit.ids[grown], there, strict=True))

    def better(i):
        here, there = places(i)
        best = max(there, key=there.get, default=None)
        if there and there[best] >= max(here + MARGIN, threshold):
            return best
        return -1 if here < threshold - MARGIN else None

    for i in [i for i in range(len(story)) if better(i) is not None]:
        if (place := better(i)) is not None:
            story[i], number = (number, number + 1) if place == -1 else (place, number)
    return number


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.floats(0.05, 0.4))
def test_working_out_only_what_a_move_changes_gives_the_same(seed, count, noise):
    rng = np.random.default_rng(seed)
    subjects = rng.integers(0, 5, count)
    story, rows = rng.integers(1, 7, count), rows_of(subjects, noise=noise, seed=seed)
    times, new = rng.integers(0, 7 * 24, count) * 3600.0, np.flatnonzero(rng.random(count) < 0.4)
    expected = story.copy()
    number = plainly(expected, times, rows, new, NEXT)
    found = look_once(story, times, rows, new, next_story=NEXT)
    assert (story.tolist(), found) == (expected.tolist(), number)


@pytest.mark.parametrize("seed", range(12))
def test_every_move_is_for_the_better_and_it_comes_to_rest(seed):
    noise = 0.1
    rng = np.random.default_rng(seed)
    subjects = rng.integers(0, 4, 16)
    story, rows = subjects + 1, rows_of(subjects, noise=noise, seed=seed)
    wrong = rng.random(16) < 0.25
    story[wrong] = rng.integers(1, 5, wrong.sum())
    times, new, number = np.arange(16) * 3600.0, np.arange(8, 16), NEXT
    for _ in range(6):
        before, was = story.copy(), number
        grown = {*before[new].tolist()}
        number = look_once(story, times, rows, new, next_story=number)
        changed = np.flatnonzero(story != before)
        fresh = {int(n) for n in story[changed]} - {*before.tolist()}
        assert fresh <= set(range(was, number))
        assert {int(n) for n in story[changed]} <= grown | fresh | {*story[new].tolist()}
        if not len(changed):
            break
    else:
        pytest.fail("articles go to and fro")
    threshold = np.log(DELTA / (1 - DELTA))
    fit = LeaveOneOut.of(story, times, rows, coherence=SETTINGS.coherence)
    own = fit.own_evidence(POSTERIOR).sum(axis=0)
    assert ((own >= threshold - MARGIN) | fit.alone).all()


@pytest.mark.parametrize(("margin", "moves"), [(0.0, True), (1.0, True), (100.0, False)])
def test_an_article_moves_only_for_a_margin(margin, moves):
    story, rows = np.array([1, 1, 2, 2, 2, 1]), rows_of([0, 0, 1, 1, 0, 0])
    settings = SETTINGS.with_changes({"second_look_margin": margin})
    second_look(
        story, np.arange(6) * 3600.0, rows, np.array([5]), POSTERIOR, settings, next_story=NEXT
    )
    assert (story.tolist() == [1, 1, 2, 2, 1, 1]) == moves


def test_a_look_is_at_what_is_new_alone_or_uncertain(monkeypatch):
    engine = make()
    seen = []

    def spy(story, times, rows, new, *args, looked_at, **options):
        window, certain = engine.scope.window, engine.settings.second_look_certain
        sizes = dict(zip(*np.unique(window.story, return_counts=True), strict=True))
        first = len(window) - len(new)
        expected = {
            i
            for i, own in enumerate(window.story.tolist())
            if i >= first or sizes[own] == 1 or window.confidence[i] < certain
        }
        whole = {window.story[i] for i in expected}
        some = [i for i, own in enumerate(window.story.tolist()) if own in whole]
        assert story.tolist() == window.story[some].tolist()
        assert {some[place] for place in looked_at} == expected
        assert [some[place] for place in new] == list(range(first, len(window)))
        seen.append(len(window) - len(expected))
        return second_look(story, times, rows, new, *args, looked_at=looked_at, **options)

    monkeypatch.setattr("scstory.discovery.calibrated.whole_window.second_look", spy)
    run(engine, make_stream())
    assert any(seen)  # not at everything
