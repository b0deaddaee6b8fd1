"""One contract for every compared system, native and +PSE."""

from datetime import timedelta

import pytest

from scstory.baselines import SYSTEMS, make_baseline
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import cut_slides
from scstory.errors import ConfigError
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream

DAY = timedelta(days=1)
NAMES = [name + suffix for name in SYSTEMS for suffix in ("", "+pse")]


def slides_of(articles):
    encoder = HashingEncoder(dim=64)
    return [encode_articles(slide, encoder) for slide in cut_slides(articles, DAY)]


def run(system, slides):
    decided = [system.process(slide) for slide in slides]
    return [*decided, system.finish()]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_deterministic(name):
    slides = slides_of(make_stream())
    assert run(make_baseline(name), slides) == run(make_baseline(name), slides)


def test_the_future_never_changes_the_past(name):
    stream = make_stream()
    cut = next(i for i, a in enumerate(stream) if a.published >= START + 8 * DAY)
    whole, part = (
        run(make_baseline(name), slides_of(stream)),
        run(make_baseline(name), slides_of(stream[:cut])),
    )
    assert whole[: len(part) - 1] == part[:-1]


def test_every_article_has_exactly_one_story(name):
    stream = make_stream()
    system = make_baseline(name)
    found = {}
    for decided in run(system, slides_of(stream)):
        for assignment in decided:
            assert (assignment.was is None) == (assignment.article not in found)
            assert assignment.was == found.get(assignment.article)
            found[assignment.article] = assignment.story
    assert set(found) == {article.id for article in stream}
    for story in system.stories():
        assert all(found[article] == story.id for article in story.articles)
    assert set(system._spans) == {story.id for story in system.stories()}


def test_saved_and_restored_it_goes_on_the_same(name):
    slides = slides_of(make_stream())
    undisturbed = make_baseline(name)
    expected = run(undisturbed, slides)
    system, decided = make_baseline(name), []
    for slide in slides:
        decided.append(system.process(slide))
        content = dump_state(system.state())
        system = make_baseline(name)
        system.restore(load_state(content))
    assert [*decided, system.finish()] == expected
    assert system.stories() == undisturbed.stories()


def test_ids_are_not_looked_at(name):
    stream = make_stream(8)
    slides = slides_of(stream)
    from dataclasses import replace

    renamed = [
        [
            replace(m, article=replace(m.article, id=f"z{i}{j}", url="u", source="s"))
            for j, m in enumerate(slide)
        ]
        for i, slide in enumerate(slides)
    ]
    first = [[a.story for a in decided] for decided in run(make_baseline(name), slides)]
    second = [[a.story for a in decided] for decided in run(make_baseline(name), renamed)]
    assert first == second


@pytest.mark.parametrize(
    "stream",
    [
        [make_article(0, "flood")],
        [make_article(n, "flood", day=20 * n) for n in range(4)],
        [make_article(0, "flood", day=d, sentences=s) for d, s in ((0, 1), (1, 80))][:1],
        make_stream(2),
    ],
    ids=["one article", "gaps", "one long", "two days"],
)
def test_odd_streams_are_survived(name, stream):
    decided = [a for some in run(make_baseline(name), slides_of(stream)) for a in some]
    assert {a.article for a in decided} == {a.id for a in stream}


def test_unknown_systems_and_parameters_are_refused():
    with pytest.raises(ConfigError, match="system 'nonsense': there are"):
        make_baseline("nonsense")
    with pytest.raises(ConfigError, match="parameter 'colour' of tfidf: there are threshold"):
        make_baseline("tfidf", colour=1)
