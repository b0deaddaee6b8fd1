"""The read side of the store."""

import re
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scstory.errors import StoreError
from scstory.store import open_store
from scstory.store.address import is_server
from scstory.store.records import StoryQuery
from scstory.store.store_reader import SharedReader
from scstory.store.timeline import count_by, life_timeline, momentum, window_timeline
from tests.conftest import make_article
from tests.postgres import raw
from tests.serve.conftest import (  # noqa: F401
    any_db,
    file_db,
    make_engine,
    server_db,
    told,
    told_server,
)
from tests.store.test_store import fill

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def browser(any_db):  # noqa: F811
    browser = SharedReader(any_db)
    yield browser
    browser.close()


def test_the_version_changes_with_what_can_be_seen(any_db, browser):  # noqa: F811
    before = browser.version()
    assert browser.version() == before
    raw(any_db).run("UPDATE head SET commits = commits + 1")
    assert browser.version() != before


def test_search_keeps_in_step_with_the_articles(any_db, browser):  # noqa: F811
    query = StoryQuery(text="probe antenna")
    assert browser.story_page(query)[0]
    store = open_store(any_db)
    store.compact(datetime(2027, 1, 1, tzinfo=UTC))
    store.close()
    assert browser.story_page(query)[0] == []  # the text is gone, its words too
    assert browser.story_page(StoryQuery(text="comet"))[0]  # titles stay
    if not is_server(any_db):
        raw(any_db).run("INSERT INTO article_search (article_search) VALUES ('integrity-check')")


def test_snippets_mark_the_words(browser):
    query = StoryQuery(text="antenna")
    stories, _ = browser.story_page(query)
    (pieces,) = browser.snippets(query, stories).values()
    assert {text.lower() for text, hit in pieces if hit} == {"antenna"}
    assert browser.snippets(StoryQuery(), stories) == {}


def test_words_are_found_however_they_are_written(path):
    store, engine = open_store(path), make_engine()
    text = "Überfall auf Bölkow: the cafés flooded, Halcyon-2 is silent…"
    article = replace(make_article(1, "comet"), text=text)
    fill(store, engine, [article])
    browser = SharedReader(path)
    typed = (
        "Überfall Bölkow, uberfall BOLKOW, halcyon-2, Halcyon 2, the, flooding, flood halc, café"
    )
    for words in typed.split(", "):
        query = StoryQuery(text=words)
        (found,) = browser.story_page(query)[0]
        assert found.size == 1
        assert any(hit for _, hit in browser.snippets(query, [found])[found.id])
        assert browser.story_page(StoryQuery(text=f"{words} zebra"))[0] == []
    browser.close()
    store.close()


def test_any_thread_may_ask(browser):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(browser.story_page(StoryQuery())[0]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(rows == found[0] for rows in found)


def test_a_reader_cannot_write(browser):
    with pytest.raises(StoreError, match="read-?only"):
        browser.db.read(lambda: browser.db.rows("DELETE FROM articles"))


def test_what_is_no_database_is_one_line(tmp_path):
    path = tmp_path / "text.db"
    path.write_text("no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be opened"):
        SharedReader(str(path)).version()


def test_momentum_halves_with_every_day():
    assert momentum([NOON], NOON) == 1
    assert momentum([NOON, NOON - timedelta(days=1)], NOON) == 1.5
    assert momentum([NOON - timedelta(days=11)], NOON) == 0
    assert momentum([NOON + timedelta(hours=1)], NOON) == 1  # no more for a clock that is ahead


def test_timelines_count_every_article():
    times = [NOON - timedelta(hours=5 * i) for i in range(60)]
    life = life_timeline(times)
    assert sum(life.counts) == 60
    assert len(life.counts) <= 72
    assert life.counts[0]
    assert life.counts[-1]
    window = window_timeline(times, NOON)
    assert window.start + window.step * len(window.counts) > NOON
    assert sum(window.counts) == 60
    assert count_by([], start=NOON, step=timedelta(hours=1)).counts == ()
    years = life_timeline([NOON, NOON - timedelta(days=3000)])
    assert sum(years.counts) == 2


def keep_up(db, behind):
    """Have the stream read so long after its last article was published; return that time."""
    store = raw(db)
    newest = datetime.fromisoformat(store.value("SELECT max(published) FROM articles"))
    store.run("UPDATE events SET time = ?", ((newest + behind).isoformat(),))
    return newest


def test_stories_end_by_the_clock_when_no_article_comes(any_db):  # noqa: F811
    newest = keep_up(any_db, timedelta(hours=1))
    now = [newest]
    browser = SharedReader(any_db, clock=lambda: now[0])
    active, past = StoryQuery(active=True), StoryQuery(active=False)
    every = len(browser.story_page(StoryQuery())[0])
    before = browser.version()
    assert len(browser.story_page(active)[0]) == browser.counts().active == 2
    now[0] += timedelta(days=6)
    assert len(browser.story_page(active)[0]) == 2
    assert str(browser.version()) != str(before)
    now[0] += timedelta(days=1)
    assert browser.story_page(active)[0] == []
    assert browser.story_page(StoryQuery(active=True, sort="momentum"))[0] == []
    assert len(browser.story_page(past)[0]) == every
    assert not any(row.active for row in browser.story_page(StoryQuery(text="flood"))[0])
    assert browser.counts().active == browser.present().stories == 0
    browser.close()


def test_an_archive_has_a_time_of_its_own(any_db):  # noqa: F811
    newest = keep_up(any_db, timedelta(days=200))
    browser = SharedReader(any_db, clock=lambda: newest + timedelta(days=300))
    assert len(browser.story_page(StoryQuery(active=True))[0]) == 2
    browser.close()


def test_active_stories_are_listed_without_a_look_at_the_others(file_db, monkeypatch):  # noqa: F811
    """No statement scans the articles or the decisions, of which there are ever more."""
    store = open_store(file_db, create=False)
    expected = [story.id for story in store.stories() if story.active]
    queries, rows = [], store.db.rows

    def noting(query, values=()):
        queries.append((query, values))
        return rows(query, values)

    monkeypatch.setattr(store.db, "rows", noting)
    active = store.stories(active=True)
    monkeypatch.undo()
    assert [story.id for story in active] == expected
    assert all(story.size == len(story.articles) for story in active)
    plans = [
        f"{step[3]} in {query}"
        for query, values in queries
        for step in rows(f"EXPLAIN QUERY PLAN {query}", values)
    ]
    assert any("assignments_by_story" in plan for plan in plans)
    assert [plan for plan in plans if re.match("SCAN (a|d|c|articles|assignments)\\b", plan)] == []
    store.close()


def test_an_article_without_a_source_is_of_the_host_of_its_address(tmp_path):
    store = open_store(str(tmp_path / "s.db"))
    urls = ["https://www.kelby.example/a", "https://kelby.example/b", "mailto:x", None]
    articles = [
        replace(make_article(n, "flood"), source=None, url=url) for n, url in enumerate(urls)
    ]
    articles.append(replace(make_article(9, "flood"), source="Herald", url=urls[0] + "c"))
    fill(store, make_engine(), articles)
    counted = dict(pair for story in store.stories() for pair in story.sources)
    assert counted == {"kelby.example": 2, "Herald": 1}
