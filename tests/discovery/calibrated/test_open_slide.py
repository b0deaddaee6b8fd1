"""The open slide: strangers, choices and their reasons."""

import numpy as np
import pytest

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.open_slide import OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from tests.discovery.calibrated.posteriors import FOUR, SETTINGS
from tests.discovery.calibrated.rows import cosine, from_views, make_rows, unit

FOURFOLD = SETTINGS.with_changes({"features": ", ".join(FOUR)})


def unit_rows(count, seed=0):
    return from_views(unit(make_rows(np.random.default_rng(seed), count)[1]), dense=2)


def open_slide(story, rows, archive, posterior, settings=FOURFOLD, first=None):
    return OpenSlide(
        np.array(story, dtype=np.int64),
        [90.0] * len(story),
        rows,
        len(story) if first is None else first,
        archive=archive,
        strangers_before=50.0,
        posterior=posterior,
        settings=settings,
    )


def test_a_story_is_no_stranger_to_itself():
    """One that ended long ago and has resumed tells nothing of look-alikes."""
    rows, views = unit_rows(3)
    archive = Archive(FOURFOLD, 3)
    archive.add(np.array([1, 2]), np.array([0.0, 1.0]), rows[:2])
    posterior = PairPosteriors(FOURFOLD)

    def decide(ongoing):
        slide = open_slide([ongoing], rows[2:], archive, posterior)
        slide.decide(next(slide.newcomers(rows[:1], [99.0])), lambda: 9)
        return posterior.state()["strangers"][-1]

    assert decide(ongoing=7) == pytest.approx([1, 1, 1, 1])  # the article is all of story 1
    other = [cosine(view[0], view[1]) for view in views]
    expected = [*other[:2], *np.sqrt(other[2:])]
    assert decide(ongoing=1) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("fewest", [1, 3])
def test_strangers_are_the_latest_that_ended_long_ago(fewest):
    """As many as stories are ongoing, or at least so many."""
    rows, _ = unit_rows(6)
    archive = Archive(FOURFOLD, 3)
    archive.add(np.arange(1, 6), np.array([0.0, 10, 20, 49, 51]), rows[:5])
    settings = FOURFOLD.with_changes({"fewest_strangers": fewest})
    posterior = PairPosteriors(settings)
    seen = []
    posterior.note = lambda cosines, gaps, strangers, *rest: seen.append(strangers.shape[1])
    slide = open_slide([7], rows[5:], archive, posterior, settings)
    slide.decide(next(slide.newcomers(rows[:1], [99.0])), lambda: 9)
    assert seen == [fewest]
    assert archive.ids[slide._strangers()].tolist() == [2, 3, 4][-fewest:]


def test_a_choice_names_the_evidence_and_the_best_of_the_others():
    rows, _ = unit_rows(5)
    posterior = PairPosteriors(FOURFOLD)
    slide = open_slide([3, 5, 6, 8, 9], rows, Archive(FOURFOLD, 3), posterior)
    (newcomer,) = slide.newcomers(rows[1:2], [90.0])
    choice = slide.predict(newcomer)
    assert choice.story == 5
    assert list(choice.evidence) == [*FOUR, "time", "prior"]
    assert choice.confidence == pytest.approx(1 / (1 + np.exp(-sum(choice.evidence.values()))))
    rated = [runner.confidence for runner in choice.runners_up]
    assert len(rated) == 3
    assert rated == sorted(rated, reverse=True)
    assert 5 not in {runner.story for runner in choice.runners_up}
    assert slide.predict(newcomer) == choice
    assert posterior.state()["matches"].size == 0


def test_a_story_that_ended_resumes_if_none_of_those_that_go_on_is_as_good():
    rows, _ = from_views(unit([np.eye(3)] * 2 + [np.eye(4)[:3]] * 2), dense=2)
    archive = Archive(FOURFOLD, 3)
    archive.add(np.array([1]), np.array([80.0]), rows[:1])
    slide = open_slide([7], rows[1:2], archive, PairPosteriors(FOURFOLD))
    again, fresh = slide.newcomers(rows[[0, 2]], [99.0, 99.0])
    choice, story = slide.decide(again, lambda: 50)
    assert (choice.story, story) == (1, 1)
    assert choice.evidence["time"] == -FOURFOLD.resume_margin
    choice, story = slide.decide(fresh, lambda: 50)
    assert (choice.story, story, choice.confidence, choice.evidence) == (None, 50, 1.0, {})
    (another,) = slide.newcomers(rows[:1], [99.0])
    assert slide.decide(another, lambda: 51)[0].story == 1  # it goes on now
    assert slide.ids == [7, 1, 50]


def test_made_anew_within_the_slide_it_is_the_same():
    rows, _ = unit_rows(12, seed=4)
    story, archive = [3, 3, 5], Archive(FOURFOLD, 3)
    whole = open_slide(story, rows[:3], archive, PairPosteriors(FOURFOLD))
    numbers = iter(range(10, 99))
    story += [
        whole.decide(newcomer, lambda: next(numbers))[1]
        for newcomer in whole.newcomers(rows[3:9], [90.0] * 6)
    ]
    again = open_slide(story, rows[:9], archive, PairPosteriors(FOURFOLD), first=3)
    assert again.ids == whole.ids
    for one, other in zip(
        whole.newcomers(rows[9:], [91.0] * 3), again.newcomers(rows[9:], [91.0] * 3), strict=True
    ):
        assert whole.predict(one) == again.predict(other)
