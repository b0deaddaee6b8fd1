"""The index of words: of databases of earlier versions, and in step with what is stored."""

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scstory.store.postgres as postgres_module
import scstory.store.sqlite as sqlite_module
from scstory.sample import load_sample
from scstory.store import open_store
from scstory.store.database import migrations
from scstory.store.records import StoryQuery
from scstory.store.search.finding import find_stories
from scstory.text.search_words import search_words
from scstory.types import Story
from tests.postgres import raw
from tests.store.search.sample_store import write_sample

EARLIER = 5
"""The last schema in which search had stems and no stories."""


@pytest.fixture
def earlier(path, monkeypatch):
    """Make a database as an earlier version did, with two articles of a story."""
    with monkeypatch.context() as patch:
        for module in (sqlite_module, postgres_module):
            patch.setattr(module, "migrations", lambda dialect: migrations(dialect)[:EARLIER])
        patch.setattr(postgres_module, "FIRST_INDEXED", 0)
        db = raw(path, create=True)
    articles = [item.article for item in load_sample() if item.label == "ferry-strike"][:2]

    def write():
        db.run(
            "INSERT INTO stories (id, title, keywords, key_sentences, first_seen, last_seen, size, "
            "confidence, active) VALUES (1, 'Crews walk off', '[\"Sound Lines\"]', '[]', "
            "'2026-03-04', '2026-03-05', 2, 0.9, 1)"
        )
        for number, article in enumerate(articles, 1):
            db.run(
                "INSERT INTO articles (sequence, id, published, title, text, source) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (number, article.id, article.published.isoformat(), article.title, article.text,
                 article.source),
            )  # fmt: skip
            db.run(
                "INSERT INTO assignments (article, story, confidence, new, runners_up, parts, "
                "weights) VALUES (?, 1, 0.9, 0, '[]', '{}', '[]')",
                (article.id,),
            )

    db.write(write)
    db.close()
    return path


def test_a_database_of_an_earlier_version_is_indexed_when_it_is_opened(earlier):
    store = open_store(earlier, create=False)
    for text in ("crews", '"sound lines"', "ferry", "Ansel Sound"):
        assert store.story_page(StoryQuery(text=text, sort="relevance"))[0], text
    assert store.advice(StoryQuery(text="fery")).suggestion == "ferry"
    assert store.check().problems == ()
    store.close()


def found(store, text):
    return list(store.db.read(lambda: find_stories(store.db, text)))


def test_stories_are_found_by_what_they_say_now(path):
    numbers = write_sample(path)
    ferry, probe = numbers["ferry-strike"], numbers["halcyon-probe"]
    store = open_store(path)
    state, rows = store.state(), {row.id: row for row in store.stories()}
    fields = Story.__dataclass_fields__
    kept = {
        id_: Story(**{name: getattr(row, name) for name in fields}) for id_, row in rows.items()
    }
    assert found(store, "Zanzibar OR Pemba") == []
    kept[ferry] = replace(kept[ferry], title="Zanzibar", keywords=("Pemba",), summary=())
    gone = kept.pop(probe)
    kept[ferry] = replace(kept[ferry], size=kept[ferry].size + gone.size)
    store.commit([], [], [*kept.values()], state, redirects={probe: ferry})
    assert found(store, "Zanzibar") == found(store, "Pemba") == [ferry]
    assert found(store, "comet probe") == [ferry]  # by its articles
    assert store.check().problems == ()
    store.close()


def test_what_search_does_not_know_is_a_problem(path):
    write_sample(path)
    db = raw(path)
    if db.search.tsvectors:
        db.run("UPDATE articles SET words = NULL WHERE sequence < 3")
        db.run("UPDATE stories SET words = NULL WHERE id = 1")
    else:
        db.run("DELETE FROM article_search_docsize WHERE id < 3")
        db.run("DELETE FROM story_search_docsize WHERE id = 1")
    db.close()
    store = open_store(path)
    assert store.check().problems == (
        "2 articles that search does not find",
        "1 stories that search does not find",
    )
    store.close()


LETTERS = st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_characters="\x7f")
CYRILLIC = st.characters(min_codepoint=0x410, max_codepoint=0x44F)


@given(text=st.text(LETTERS | CYRILLIC | st.sampled_from("“”’–…€🚨"), max_size=40))
def test_words_are_those_that_sqlite_finds(text):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'unicode61 remove_diacritics 2')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
    db.execute("INSERT INTO t VALUES (?)", (text,))
    theirs = [row[0] for row in db.execute("SELECT term FROM v ORDER BY offset")]
    db.close()
    assert search_words(text) == theirs
