"""Threads, sections and mentions in the store: exact, carried along, right after corrections."""

import shutil
from contextlib import closing

import pytest

from scstory.runners import Writer
from scstory.store import open_store
from scstory.store.correction_records import CorrectionRequest
from scstory.store.records import StoryQuery
from scstory.store.transfer import carried_tables
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import engine_with
from tests.serve.conftest import surveyed, surveyed_server  # noqa: F401
from tests.surveyed import ROUND_UP, articles, survey

TABLES = ("outlines", "outline_keys", "threads", "sections", "section_stories", "mentions")


@pytest.fixture(params=["file", "server"])
def store(request):
    name = "surveyed" if request.param == "file" else "surveyed_server"
    with closing(open_store(request.getfixturevalue(name), create=False)) as store:
        yield store


@pytest.fixture
def written(surveyed, tmp_path):  # noqa: F811
    """Return a writer of a copy of the store, to be corrected."""
    path = shutil.copy(surveyed, tmp_path / "copy.db")
    with closing(open_store(str(path))) as store:
        engine = engine_with(HashingEncoder(dim=64), seed=1)
        engine.restore(store.state())
        yield Writer(engine, store)


def content(store):
    return {
        table: sorted(map(repr, store.db.rows(f"SELECT * FROM {table}")))
        for table in (*TABLES, "overview")
    }


def decisions(store):
    return store.db.rows("SELECT article, story, confidence FROM assignments ORDER BY article")


def test_threads_have_several_stories_and_a_name_that_these_share(store):
    threads, more = store.threads(limit=200)
    assert more is None
    assert len(threads) >= 3
    for thread in threads:
        stories = store.thread_stories(thread.id)
        assert len(stories) == thread.stories >= 2
        assert thread.id in {story.id for story in stories}
        assert thread.articles == sum(story.size for story in stories)
        assert thread.title == stories[0].title
        assert sum(store.thread_timeline(thread.id).counts) == thread.articles
        assert all(store.thread(story.id) == thread for story in stories)
        found, _ = store.story_page(StoryQuery(thread=stories[0].id))
        assert {story.id for story in found} == {story.id for story in stories}
    one, after = store.threads(limit=1)
    rest, _ = store.threads(after=after, limit=200)
    assert [*one, *rest] == threads


def test_sections_have_every_story_at_most_once_and_names_of_their_own(store):
    sections = store.sections()
    assert len(sections) >= 4
    found = [
        story.id
        for section in sections
        for story in store.story_page(StoryQuery(section=section.id), limit=200)[0]
    ]
    assert len(found) == len(set(found)) == sum(section.stories for section in sections)
    words = [word for section in sections for word in section.name]
    assert words
    assert len(words) == len(set(words))
    assert store.section_of(found[0]).id == sections[0].id


def test_a_round_up_is_also_about_the_other_story(store):
    _, guest = articles()
    other = store.article(guest).story
    assert store.article(ROUND_UP).story != other
    (also,) = [one for one in store.also_about(ROUND_UP) if one.id == other]
    assert also.title == store.story(other).title
    text = store.article(ROUND_UP).text
    assert all(sentence in text for sentence in also.sentences)
    assert ROUND_UP in {one.article.id for one in store.also_in(other)}
    assert store.also_about("no such article") == []


def test_the_views_do_not_depend_on_the_steps_in_which_articles_are_decided(surveyed, tmp_path):  # noqa: F811
    one_by_one = survey(str(tmp_path / "steps.db"), step=5)
    with closing(open_store(surveyed)) as store, closing(open_store(one_by_one)) as other:
        assert content(other) == content(store)
        assert decisions(other) == decisions(store)


def test_the_views_change_no_story(surveyed, tmp_path):  # noqa: F811
    stream, _ = articles()
    with closing(open_store(surveyed)) as told, closing(open_store(str(tmp_path / "x"))) as store:
        engine = engine_with(HashingEncoder(dim=64), seed=1)
        writer = Writer(engine, store, clock=lambda: stream[-1].published)
        engine.on_close = None
        store.accept(stream)
        writer.drain()
        writer.finish()
        assert content(store)["outlines"] == []
        assert decisions(store) == decisions(told)


def test_exports_backups_and_checks_know_the_views(surveyed, tmp_path):  # noqa: F811
    with closing(open_store(surveyed)) as store:
        assert set(TABLES) <= set(carried_tables(store.db))
        assert store.check().problems == ()
        store.backup(str(tmp_path / "copy.db"))
        before = content(store)
    with closing(open_store(str(tmp_path / "copy.db"))) as copy:
        assert content(copy) == before
        copy.compact(max(article.published for article in articles()[0]))
        assert content(copy) == before
        copy.db.run("INSERT INTO threads VALUES (900, 900, 900, 1.0)")
        copy.db.run("INSERT INTO mentions VALUES ('nowhere', 1, 1.0, '[]')")
        problems = " ".join(copy.check().problems)
        assert "1 threads of stories that are not there" in problems
        assert "1 articles that are also about stories" in problems


def test_the_views_follow_a_merge_and_its_undoing(written):
    store = written.store
    thread = store.threads()[0][0]
    later, earlier = (story.id for story in store.thread_stories(thread.id)[:2])
    outsider = next(
        story.id
        for story in store.stories()
        if store.thread(story.id) is None and story.id not in (later, earlier)
    )
    _, guest = articles()
    mentioned = store.article(guest).story
    before = {"threads": store.threads(), "also": store.also_in(mentioned)}

    def correct(**asked):
        number = store.ask(CorrectionRequest(editor="test", **asked)).number
        written.step()
        done = store.correction(number)
        assert done.status == "done", done.answer
        return number

    one = correct(kind="merge", story=later, target=outsider)
    assert store.story(later).id == outsider
    assert later not in {s.id for s in store.thread_stories(thread.id)}
    assert store.check().problems == ()
    two = correct(kind="merge", story=mentioned, target=store.article(ROUND_UP).story)
    assert store.also_about(ROUND_UP) == []
    for number in (two, one):
        correct(kind="undo", undoes=number)
    known = [row.id for row in before["threads"][0]]
    # A story that was corrected is looked at again, so a thread may be new.
    assert [row.id for row in store.threads()[0] if row.id in known] == known
    assert [one.article.id for one in store.also_in(mentioned)] == [
        one.article.id for one in before["also"]
    ]
    assert store.check().problems == ()


def test_hidden_stories_are_in_no_view(written):
    store = written.store
    thread = store.threads()[0][0]
    section = store.section_of(thread.id)
    for story in store.thread_stories(thread.id)[1:]:
        store.ask(CorrectionRequest(kind="hide", story=story.id, editor="test"))
        written.step()
    assert store.thread(thread.id) is None
    assert thread.id not in {row.id for row in store.threads()[0]}
    now = next(row for row in store.sections() if row.id == section.id)
    assert now.stories <= section.stories
