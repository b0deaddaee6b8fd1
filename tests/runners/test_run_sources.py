"""Sources read to their end: prefetching changes nothing, and a source may pause."""

from dataclasses import replace

import pytest

from scstory.discovery.state import dump_state
from scstory.errors import SourceError
from scstory.feeds import Item
from scstory.runners import run
from scstory.runners.listener import Listener
from scstory.store import open_store
from scstory.vectors import Prefetcher
from tests.conftest import make_article, make_distinct
from tests.discovery.test_engine import make
from tests.runners.test_writer import Picky


class Listed:
    """A source of articles at hand; one without a size may pause."""

    name, position, complete = "listed", 0, True

    def __init__(self, articles, *, size=1, fails=False, on_item=lambda article: None):
        self.articles, self.size, self.fails, self.on_item = articles, size, fails, on_item

    def __iter__(self):
        for article in self.articles:
            self.on_item(article)
            yield Item(article.id, article)
        if self.fails:
            raise SourceError("broken")


class Noting(Listener):
    def __init__(self, problems, on_step):
        self.problems, self.step = problems, on_step

    def problem(self, item):
        self.problems.append((item.place, item.problem))


def odd_stream():
    """A stream with ids that come twice: in a slide, in the next one, and of a parked article."""
    stream = make_distinct(8)
    bad = replace(stream[7], id="bad", text="This is unencodable.")
    twice = [replace(stream[n], id=stream[0].id, text="Other.") for n in (2, 7)]
    better = replace(stream[13], id="bad")
    return [*stream[:3], twice[0], *stream[3:8], bad, twice[1], *stream[8:14], better, *stream[14:]]


def outcome(path, sources, encoding=None, on_step=lambda step: None):
    store, problems = open_store(str(path)), []
    engine = make(encoder=Picky(dim=64), window="3d")
    summary = run(
        sources,
        engine,
        store,
        encoding=encoding and encoding(engine.encoder),
        listener=Noting(problems, on_step),
    )
    stories = [replace(story, last_event=0) for story in store.stories()]
    decided = [store.article(a) for story in stories for a in story.articles]
    parked = [(p.article, p.reason) for p in store.parked()]
    # Suggested commands name the database, which has another path in each run.
    reported = sorted((place, problem.replace(str(path), "DB")) for place, problem in problems)
    found = stories, decided, dump_state(store.state()), parked, summary, reported
    store.close()
    return found


def at_once(encoder):
    return Prefetcher(encoder, prefetch=False)


def many(encoder):
    return Prefetcher(encoder, lanes=lambda: 3, most_lanes=3, at_once=7)


@pytest.mark.parametrize("encoding", [None, many])
def test_prefetching_changes_nothing(tmp_path, encoding):
    expected = outcome(tmp_path / "a.db", [Listed(odd_stream())], at_once)
    found = outcome(tmp_path / "b.db", [Listed(odd_stream())], encoding)
    assert found == expected
    assert [problem.split(";")[0] for _, problem in found[-1]] == [
        "duplicate id 'bad'",
        "parked (ValueError: cannot encode this)",
        "duplicate id 'flood-0'",
        "duplicate id 'flood-0'",
    ]
    assert [article.id for article, _ in found[3]] == ["bad"]


@pytest.mark.parametrize(("size", "behind"), [(None, 1), (1, 2)])
def test_a_source_that_may_pause_is_not_waited_for(tmp_path, size, behind):
    stream, decided, seen = [make_article(n, "flood", day=n) for n in range(6)], [], []
    source = Listed(stream, size=size, on_item=lambda article: seen.append(len(decided)))
    outcome(tmp_path / "a.db", [source], on_step=lambda step: decided.extend(step.articles))
    # An article is read when all slides before the open one are decided, or one of them is not.
    assert seen == [max(0, n - behind) for n in range(6)]
    assert decided == stream


def test_a_source_that_breaks_costs_nothing_of_what_came_before_or_after(tmp_path):
    stream = [make_article(n, "flood", day=n) for n in range(6)]
    *_, summary, problems = outcome(
        tmp_path / "a.db", [Listed(stream[:4], fails=True), Listed(stream[4:])]
    )
    assert (summary.articles, summary.complete) == (6, False)
    assert problems == [("listed", "broken")]


@pytest.mark.parametrize("size", [None, 1])
def test_the_next_slide_is_encoded_while_one_is_decided(tmp_path, size):
    stream = [replace(a, id=f"{a.published:%d} {a.id}") for a in make_distinct(6)]
    expected, seen = [], []

    class Noted(Prefetcher):
        def expect(self, articles, **options):
            expected.append({article.id[:2] for article in articles})
            super().expect(articles, **options)

    def on_step(step):
        seen.append(({article.id[:2] for article in step.articles}, expected[-1]))

    outcome(tmp_path / "a.db", [Listed(stream, size=size)], Noted, on_step)
    steps = [(days, beyond - days) for days, beyond in seen if days]
    assert [days for days, _ in steps] == [{f"{day:02}"} for day in range(2, 8)]
    following = [{f"{day:02}"} for day in range(3, 8)]
    assert [beyond for _, beyond in steps[:-1]] == (following if size else [set()] * 5)
