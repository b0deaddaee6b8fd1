"""One contract for every system: SCStory by preset, HRSTORY, and the compared, native and +PSE."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import cache, cached_property, partial

import numpy as np
import pytest

from scstory.baselines import PSE, SYSTEMS
from scstory.discovery.describe import undescribed
from scstory.discovery.presets import PRESETS
from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state, load_state
from scstory.errors import ConfigError
from scstory.evaluation.systems import LEARNED_SYSTEMS, make_system, system_names
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream

DAY = timedelta(days=1)
ENCODER = HashingEncoder(dim=64)
QUICK = {
    "paper": {"batch_size": 16, "warm_epochs": 2},
    "default": {"batch_size": 16},
}
"""For the learned systems; what is tested does not depend on it."""
REMEMBERING = {"memory": "16d"}
"""Clusters outlive the window, and are forgotten before the stream ends."""
CASES = [
    *(("scstory", preset) for preset in PRESETS),
    ("hrstory", "paper"),
    *((name + suffix, "default") for name in SYSTEMS for suffix in ("", PSE)),
    *((name + suffix, "memory") for name in ("batclus", "densps") for suffix in ("", PSE)),
]


def test_no_system_is_left_out():
    assert {name for name, _ in CASES} >= set(system_names())


class Case:
    """Makes a system anew when it is called, and runs it once for all tests to compare with."""

    def __init__(self, name, preset):
        parameters = QUICK[preset] if name in LEARNED_SYSTEMS else {}
        if preset == "memory":
            preset, parameters = "default", REMEMBERING
        self._made = partial(make_system, name, ENCODER, preset=preset, parameters=parameters)

    def __call__(self):
        return self._made()

    def bare(self):
        """A system that describes no story, for tests that look at its decisions only."""
        system = self()
        system.describe_with(undescribed)
        return system

    @cached_property
    def undisturbed(self):
        """A system that has run over the stream, and what it decided; for looking at only."""
        system = self()
        return system, run(system, stream_slides())


@pytest.fixture(params=CASES, ids="-".join, scope="module")
def make(request):
    return Case(*request.param)


def slides_of(articles):
    return [encode_articles(slide, ENCODER) for slide in cut_slides(articles, DAY)]


@cache
def stream_slides():
    return slides_of(make_stream())


def process(system, slide):
    return system.decide(slide) + system.close()


def run(system, slides):
    decided = [process(system, slide) for slide in slides]
    return [*decided, system.finish()]


def test_deterministic_whether_stories_are_described_or_not(make):
    system, (_, decided) = make.bare(), make.undisturbed
    assert run(system, stream_slides()) == decided
    assert {(story.title, story.keywords, story.summary) for story in system.stories()} == {
        ("", (), ())
    }


def test_the_future_never_changes_the_past(make):
    stream = make_stream()
    cut = next(i for i, a in enumerate(stream) if a.published >= START + 8 * DAY)
    (_, whole), part = make.undisturbed, run(make.bare(), slides_of(stream[:cut]))
    assert part[-2]  # something is decided before the end
    assert whole[: len(part) - 1] == part[:-1]


def test_every_article_has_exactly_one_story(make):
    stream, found = make_stream(), {}
    system, run_through = make.undisturbed
    for decided in run_through:
        for assignment in decided:
            assert (assignment.was is None) == (assignment.article not in found)
            assert assignment.was == found.get(assignment.article)
            found[assignment.article] = assignment.story
    assert set(found) == {article.id for article in stream}
    active = {found[article.id] for article in stream if article.published >= START + 6 * DAY}
    assert {story.id for story in system.stories()} >= active
    for story in system.stories():
        assert all(found[article] == story.id for article in story.articles)
        assert story.size == Counter(found.values())[story.id]
    window = system.scope.window
    assert window.story.tolist() == [found[member.article.id] for member in window.members]
    assert system.scope.next_story > max(found.values())


def resumed(system, make):
    """Return a system that goes on from the bytes of another one's state."""
    again = make()
    again.restore(load_state(dump_state(system.state())))
    return again


def test_saved_and_restored_it_goes_on_the_same(make):
    """Stopped within a slide, before it closes, and afterwards."""
    undisturbed, expected = make.undisturbed
    system, decided = make(), []
    for number, slide in enumerate(stream_slides()):
        found = system.decide(slide[:2])
        if number % 3 == 0:
            system = resumed(system, make)
        found += system.decide(slide[2:])
        if number % 3 == 1:
            system = resumed(system, make)
        decided.append(found + system.close())
        if number % 3 == 2:
            system = resumed(system, make)
    assert [*decided, system.finish()] == expected
    assert system.stories() == undisturbed.stories()


def test_after_a_finish_it_goes_on_the_same_with_or_without_a_restart(make):
    slides, system = stream_slides(), make.bare()
    run(system, slides[:3])
    again = resumed(system, make.bare)
    assert run(again, slides[3:]) == run(system, slides[3:])
    assert again.stories() == system.stories()


def test_it_does_not_matter_how_many_articles_a_call_brings(make):
    slides = stream_slides()
    expected = [decision for decided in make.undisturbed[1] for decision in decided]
    whole, single = make.bare(), make.bare()
    members = [member for slide in slides for member in slide]
    assert [*whole.decide(members), *whole.finish()] == expected
    one_by_one = [decision for member in members for decision in single.decide([member])]
    assert [*one_by_one, *single.finish()] == expected


def test_what_was_saved_does_not_change_when_it_goes_on(make):
    slides = stream_slides()
    system = make.bare()
    for slide in slides[:8]:
        process(system, slide)
    state = system.state()
    before = dump_state(state)
    run(system, slides[8:])
    assert dump_state(state) == before


def test_a_story_is_founded_once(make):
    resumed = [make_article(n, "flood", day=day) for n, day in enumerate((20, 21), 40)]
    decided = [d for some in run(make.bare(), slides_of([*make_stream(), *resumed])) for d in some]
    founded = [decision.story for decision in decided if decision.new]
    assert len(founded) == len(set(founded))
    assert set(founded) == {decision.story for decision in decided}


def test_a_story_that_ends_is_reported_once_with_all_its_articles(make):
    later = [
        make_article(n, topic, day=day)
        for day in (20, 40)
        for n, topic in enumerate(("strike", "comet"), 2 * day)
    ]
    system, found, ended = make.bare(), {}, []
    for slide in slides_of([*make_stream(6), *later]):
        for call in (lambda slide=slide: system.decide(slide), system.close):
            found.update((decision.article, decision.story) for decision in call())
            assert not any(story.active for story in system.ended())
            assert {s.id for s in system.ended()}.isdisjoint(s.id for s in system.stories())
            ended += system.ended()
    early = {found[article.id] for article in make_stream(6)}
    assert {story.id for story in ended} >= early - {story.id for story in system.stories()}
    assert len({(story.id, story.last_seen) for story in ended}) == len(ended)
    for story in ended:
        if story.last_seen < START + 10 * DAY and story.size:
            assert story.size == sum(found[article.id] == story.id for article in make_stream(6))


def test_ids_are_not_looked_at(make):
    renamed = [
        [
            replace(m, article=replace(m.article, id=f"z{i}{j}", url="u", source="s"))
            for j, m in enumerate(slide)
        ]
        for i, slide in enumerate(stream_slides())
    ]
    first, second = (
        [[(a.story, a.was, a.confidence) for a in some] for some in decided]
        for decided in (make.undisturbed[1], run(make.bare(), renamed))
    )
    assert first == second


def test_explaining_says_what_is_so(make):
    system, _ = make.undisturbed
    rows = np.array([5, 0, 11])
    found = system.method.explain(system.scope, rows)
    stories = system.scope.window.story[rows]
    assert [(d.row, d.story) for d in found] == list(zip(rows, stories, strict=True))


@pytest.mark.parametrize(
    "stream",
    [
        [make_article(0, "flood")],
        [make_article(n, "flood", day=20 * n) for n in range(4)],
        [make_article(0, "flood", sentences=80)],
        make_stream(2),
    ],
    ids=["one article", "gaps", "one long", "two days"],
)
def test_odd_streams_are_survived(make, stream):
    decided = [a for some in run(make(), slides_of(stream)) for a in some]
    assert {a.article for a in decided} == {a.id for a in stream}


def test_unknown_systems_and_parameters_are_refused():
    with pytest.raises(ConfigError, match="system 'nonsense': there are"):
        make_system("nonsense", ENCODER)
    with pytest.raises(ConfigError, match="parameter 'colour' of tfidf: there are threshold"):
        make_system("tfidf", ENCODER, parameters={"colour": 1})
