"""One contract for every system: SCStory by preset, HRSTORY, and the compared, native and +PSE."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from scstory.baselines import SYSTEMS
from scstory.discovery.presets import PRESETS
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import cut_slides
from scstory.errors import ConfigError
from scstory.evaluation.systems import LEARNED, PSE, make_system, system_names
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream

DAY = timedelta(days=1)
ENCODER = HashingEncoder(dim=64)
QUICK = {"batch": 16, "warm_epochs": 2}
"""For the learned systems; what is tested does not depend on it."""
CASES = [
    *(("scstory", preset) for preset in PRESETS),
    ("hrstory", "default"),
    *((name + suffix, "default") for name in SYSTEMS for suffix in ("", PSE)),
]


def test_no_system_is_left_out():
    assert {name for name, _ in CASES} >= set(system_names())


@pytest.fixture(params=CASES, ids=lambda case: case[0] + f"-{case[1]}" * (case[0] == "scstory"))
def make(request):
    """Return a function that makes the system anew."""
    name, preset = request.param
    parameters = QUICK if name in LEARNED else {}
    return lambda: make_system(name, ENCODER, preset=preset, parameters=parameters)


def slides_of(articles):
    return [encode_articles(slide, ENCODER) for slide in cut_slides(articles, DAY)]


def run(system, slides):
    decided = [system.process(slide) for slide in slides]
    return [*decided, system.finish()]


def test_deterministic(make):
    slides = slides_of(make_stream())
    assert run(make(), slides) == run(make(), slides)


def test_the_future_never_changes_the_past(make):
    stream = make_stream()
    cut = next(i for i, a in enumerate(stream) if a.published >= START + 8 * DAY)
    whole, part = run(make(), slides_of(stream)), run(make(), slides_of(stream[:cut]))
    assert part[-2]  # something is decided before the end
    assert whole[: len(part) - 1] == part[:-1]


def test_every_article_has_exactly_one_story(make):
    stream = make_stream()
    system = make()
    found = {}
    for decided in run(system, slides_of(stream)):
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


def test_saved_and_restored_it_goes_on_the_same(make):
    slides = slides_of(make_stream())
    undisturbed = make()
    expected = run(undisturbed, slides)
    system, decided = make(), []
    for slide in slides:
        decided.append(system.process(slide))
        content = dump_state(system.state())
        system = make()
        system.restore(load_state(content))
    assert [*decided, system.finish()] == expected
    assert system.stories() == undisturbed.stories()


def test_ids_are_not_looked_at(make):
    slides = slides_of(make_stream(8))
    renamed = [
        [
            replace(m, article=replace(m.article, id=f"z{i}{j}", url="u", source="s"))
            for j, m in enumerate(slide)
        ]
        for i, slide in enumerate(slides)
    ]
    first = [[a.story for a in decided] for decided in run(make(), slides)]
    second = [[a.story for a in decided] for decided in run(make(), renamed)]
    assert first == second


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
