"""The store's contract: what goes in comes out, a slide whole or not at all."""

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from scstory.discovery.state import dump_state, story_from_dict, story_to_dict
from scstory.errors import ConfigError, StoreError
from scstory.store import open_store
from scstory.store.address import is_server
from scstory.types import Headline, Milestone, Quote
from scstory.vectors import encode_articles
from tests.conftest import make_article, make_distinct
from tests.discovery.test_engine import make
from tests.postgres import raw


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "s.db")


def encode(engine, articles):
    return encode_articles(articles, engine.encoder, reader=engine.settings.reader())


def by_slide(articles):
    """Yield the articles of each day."""
    for _, some in groupby(articles, key=lambda article: article.published.date()):
        yield list(some)


def step(engine, articles):
    """Return what a commit takes for articles that are decided, and their slide closed."""
    encoded = encode(engine, articles)
    decided = engine.decide(encoded)
    ended = engine.ended()
    decided += engine.close()
    return articles, decided, [*engine.stories(), *ended, *engine.ended()], engine.state()


def fill(store, engine, articles):
    """Accept articles and commit them slide by slide."""
    store.accept(articles)
    for slide in by_slide(articles):
        store.commit(*step(engine, slide))


def test_a_new_store_is_empty(path):
    store = open_store(path)
    assert store.state() is None
    assert store.stories() == []
    assert store.counts()[:2] == (0, 0)
    assert store.last_sequence() == 0
    assert store.article("x") is None
    assert store.story(1) is None


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_what_goes_in_comes_out(path, preset):
    engine, stream = make(preset), make_distinct()
    store = open_store(path)
    fill(store, engine, stream)
    store.close()
    store = open_store(path, create=False)
    assert store.counts()[0] == len(stream) == store.last_sequence()
    assert dump_state(store.state()) == dump_state(engine.state())
    for article in stream:
        row = store.article(article.id)
        assert row.article == article
        assert row.story is not None
    active = store.stories(active=True)
    assert {s.id for s in active} == {s.id for s in engine.stories()}
    for told in engine.stories():
        kept = store.story(told.id)
        assert (kept.title, kept.keywords, kept.size) == (told.title, told.keywords, told.size)
        assert kept.key_sentences == told.key_sentences
        assert kept.size == len(kept.articles) == len(list(store.articles_of(told.id)))


def test_what_a_story_says_is_stored_whole(path):
    engine, store = make(), open_store(path)
    fill(store, engine, make_distinct(3))
    story, *others = engine.stories()
    article, time = story.articles[0], datetime(2026, 3, 3, 6, 35, 1, 5, tzinfo=UTC)
    said = replace(
        story,
        title_article=article,
        summary=(Quote("The Élan rose.", article), Quote("It fell.", article)),
        milestones=(Milestone(date(2026, 3, 3), "The Élan rose.", article),),
        headlines=(Headline("Élan rises", article, time),),
    )
    store.commit([], [], [said, *others], engine.state())
    kept = open_store(path, create=False).story(story.id)
    names = ("title_article", "summary", "milestones", "headlines", "key_sentences", "keywords")
    assert [getattr(kept, name) for name in names] == [getattr(said, name) for name in names]
    assert story_from_dict(json.loads(json.dumps(story_to_dict(said)))) == said


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_stories_that_come_and_go_within_a_call_are_kept(path, preset):
    settings = {"resume": ""} if preset == "default" else {}
    engine, store = make(preset, **settings), open_store(path)
    stream = [make_article(n, "flood", day=15 * n) for n in range(4)]
    fill(store, engine, stream)
    assert [story.size for story in store.stories(active=False)] == [1, 1, 1]
    assert store.counts()[0] == 4


def test_a_story_that_is_taken_up_again_is_active_and_whole(path):
    engine, store = make(), open_store(path)
    stream = [make_article(n, "flood", day=15 * n) for n in range(3)]
    fill(store, engine, stream)
    (story,) = store.stories()
    assert (story.active, story.size) == (True, 3)
    assert story.articles == tuple(article.id for article in stream)
    fill(store, engine, [make_article(0, "trial", day=45)])
    assert [(s.active, s.size) for s in store.stories()] == [(True, 1), (False, 3)]
    assert store.counts()[0] == 4


def test_past_stories_are_kept_whole(path):
    engine, store = make(), open_store(path)
    fill(store, engine, make_distinct(16))
    past = store.stories(active=False)
    assert past
    assert not any(story.active for story in past)
    everything = store.stories()
    assert sorted(i for s in everything for i in s.articles) == sorted(
        a.id for a in make_distinct(16)
    )
    times = [story.last_seen for story in everything]
    assert times == sorted(times, reverse=True)


def test_only_the_windows_vectors_are_kept(path):
    engine, store = make(), open_store(path)
    fill(store, engine, make_distinct(16))
    in_window = {m.article.id for m in engine.state().members}
    assert {row[0] for row in raw(path).rows("SELECT article FROM vectors")} == in_window


def test_an_engine_goes_on_from_the_store(path):
    stream = make_distinct()
    whole, expected = make(), []
    for slide in by_slide(stream):
        expected += step(whole, slide)[1]
    store, decided = open_store(path), []
    store.accept(stream)
    for slide in by_slide(stream):
        engine = make()
        if state := store.state():
            engine.restore(state)
        effects = step(engine, slide)
        store.commit(*effects)
        decided += effects[1]
    assert decided == expected


def test_a_commit_that_fails_leaves_nothing_behind(path, monkeypatch):
    engine, store = make(), open_store(path)
    first, second, *_ = by_slide(make_distinct())
    fill(store, engine, first)
    store.accept(second)
    before = (store.counts(), dump_state(store.state()), store.stories())
    articles, decided, stories, state = step(engine, second)
    broken = [*decided, decided[0].__class__("no such article", 1, 1.0, False)]
    with pytest.raises(StoreError, match="cannot be written"):
        store.commit(articles, broken, stories, state)
    assert (store.counts(), dump_state(store.state()), store.stories()) == before
    store.commit(articles, decided, stories, state)
    assert store.counts()[0] == len(first) + len(second)


def test_two_writers_cannot_undo_each_other(path):
    first, second, *_ = by_slide(make_distinct())
    one, other = open_store(path), open_store(path)
    engine, late = make(), make()
    fill(one, engine, first)
    with pytest.raises(StoreError, match="another process has committed to it meanwhile"):
        other.commit(*step(late, second))
    assert one.counts()[0] == len(first)
    fill(one, engine, second)  # the one that was there goes on
    other.state()  # the other has to take up what is there
    assert other.counts() == one.counts()


def test_readers_see_only_whole_slides(path):
    engine, store = make(), open_store(path)
    fill(store, engine, make_distinct(2))
    reader = open_store(path, create=False)
    count = reader.counts()
    assert count == store.counts()
    reader.close()


def test_another_database_is_not_touched(file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE precious (x)")
    with pytest.raises(StoreError, match="not a scstory database; name another with --db"):
        open_store(file)


def test_a_file_that_is_no_database_is_refused(file):
    content = b"precious text " * 100
    Path(file).write_bytes(content)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(file)
    assert Path(file).read_bytes() == content


def test_a_database_of_a_newer_version_is_refused(path):
    open_store(path).close()
    if is_server(path):
        raw(path).run("UPDATE scstory SET version = 99")
    else:
        raw(path).run("PRAGMA user_version = 99")
    with pytest.raises(
        StoreError, match=r"made by a newer scstory \(schema 99, this one knows \d+\)"
    ):
        open_store(path)


def test_reading_needs_a_database(path):
    with pytest.raises(StoreError, match="make (one|it) with: scstory run"):
        open_store(path, create=False)


def test_other_kinds_of_database_are_refused():
    with pytest.raises(ConfigError, match="give the path of a SQLite file, .* or postgresql://"):
        open_store("mysql://somewhere")


def test_weights_are_kept_to_six_digits(path):
    engine, store = make(), open_store(path)
    slide = next(by_slide(make_distinct()))
    store.accept(slide)
    decided = engine.decide(slide)
    store.commit(slide, decided, engine.stories(), engine.state())
    row = store.article(decided[0].article)
    np.testing.assert_allclose(row.weights, decided[0].weights, atol=1e-6)
    assert row.runners_up == decided[0].runners_up
    assert row.evidence == decided[0].evidence


def test_only_what_was_accepted_can_be_committed(path):
    store, engine = open_store(path), make()
    slide = next(by_slide(make_distinct()))
    store.accept(slide[1:])
    with pytest.raises(StoreError, match=f"1 of {len(slide)} articles are not in the inbox"):
        store.commit(*step(engine, slide))
    assert store.counts().articles == 0
    assert store.pending(100) == slide[1:]
