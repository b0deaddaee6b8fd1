"""The way in: durable, each article once, copies told from originals."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scstory.errors import StoreError
from scstory.store import open_store
from tests.conftest import make_article, make_distinct
from tests.discovery.test_engine import make
from tests.store.test_store import fill, step

BODY = (
    "The river Alder rose above its banks on Tuesday night and flooded forty homes in Kelby. "
    "Firefighters brought ninety people to safety by boat, among them the children of a school. "
    "The mayor said that the dam upstream had held, and that the water would fall by Thursday. "
    "Rain is expected to go on until the weekend, the weather service said."
)


def article(n=1, **changes):
    return replace(make_article(n, "flood"), **{"text": BODY, **changes})


@pytest.fixture
def store(path):
    store = open_store(path)
    yield store
    store.close()


def statuses(receipts):
    return [(r.status, r.of) for r in receipts]


def test_accepted_is_durable_and_in_order(store, path):
    stream = make_distinct(3)
    assert statuses(store.accept(stream)) == [("accepted", None)] * len(stream)
    other = open_store(path)
    assert other.pending(1000) == stream
    assert other.pending(2) == stream[:2]
    assert other.counts()[:2] == (0, 0)


def test_the_same_again_is_known(store):
    one = article()
    assert statuses(store.accept([one, one])) == [("accepted", None), ("known", None)]
    assert statuses(store.accept([one])) == [("known", None)]
    assert len(store.pending(10)) == 1


def test_an_id_with_another_text_is_a_duplicate_of_itself(store):
    one = article()
    store.accept([one])
    changed = replace(one, text="Quite another text.")
    assert statuses(store.accept([changed])) == [("duplicate", one.id)]
    assert store.pending(10) == [one]


def test_the_same_page_is_one_article_with_several_sources(store):
    one = replace(
        make_article(1, "flood"), url="https://www.example.com/a?utm_source=rss", source="A"
    )
    two = replace(make_article(2, "trial"), url="http://example.com/a/#top", source="B")
    assert statuses(store.accept([one, two])) == [("accepted", None), ("duplicate", one.id)]
    assert statuses(store.accept([two])) == [("known", one.id)]
    fill(store, make(), store.pending(10))
    row = store.article(two.id)
    assert row.article == one
    assert [(copy.id, copy.source) for copy in row.copies] == [(two.id, "B")]
    assert store.counts()[0] == 1


def test_a_decided_article_is_stored_with_its_language(store):
    english, german = replace(make_article(1, "flood"), language=None), article(2)
    german = replace(german, title="Tausende fliehen vor dem Hochwasser", text="", language=None)
    swiss = replace(make_article(3, "trial"), language="de_CH")
    store.accept([english, german, swiss])
    assert store.pending(10)[0].language is None
    fill(store, make(), store.pending(10))
    stored = [store.article(one.id).language for one in (english, german, swiss)]
    assert stored == ["en", "de", "de-ch"]


def test_the_same_text_under_another_headline_is_one_article(store):
    one = article(1, title="Alder floods Kelby")
    copy = article(2, title="Forty homes under water", text=f"By Ann Reed\n\n{BODY}", source="B")
    assert statuses(store.accept([one, copy])) == [("accepted", None), ("duplicate", one.id)]


def test_a_copy_of_a_copy_is_a_copy_of_the_original(store):
    one, two = article(1), article(2, url="https://b.test/2")
    three = replace(make_article(3, "trial"), url="https://b.test/2?fbclid=x")
    assert [r.of for r in store.accept([one, two, three])] == [None, one.id, one.id]


def test_the_same_text_a_month_later_is_news(store):
    one = article(1)
    later = article(2, published=one.published + timedelta(days=30))
    assert statuses(store.accept([one, later])) == [("accepted", None)] * 2


def test_copies_of_what_was_decided_are_recognised(store):
    engine = make()
    fill(store, engine, [article(1, url="https://a.test/1")])
    receipts = store.accept([article(2), replace(make_article(3, "trial"), url="http://a.test/1/")])
    assert statuses(receipts) == [("duplicate", "flood-1")] * 2
    assert statuses(store.accept([article(1)])) == [("known", None)]


def test_a_commit_empties_the_inbox_of_what_it_commits(store):
    stream = make_distinct(2)
    store.accept(stream)
    store.commit(*step(make(), stream[:6]))
    assert store.pending(100) == stream[6:]
    assert store.counts()[0] == 6


def test_parked_articles_wait_with_their_reason(store):
    stream = make_distinct(1)
    store.accept(stream)
    store.park(stream[0], "too odd")
    assert [(p.article, p.reason) for p in store.parked()] == [(stream[0], "too odd")]
    assert store.pending(100) == stream[1:]
    assert statuses(store.accept([stream[0]])) == [("known", None)]
    assert store.retry([stream[0].id, "nobody"]) == 1
    assert store.parked() == []
    assert store.pending(100) == [*stream[1:], stream[0]]


def test_nothing_is_accepted_if_not_all_is(store, monkeypatch):
    stream = make_distinct(1)

    def failing():
        raise RuntimeError

    monkeypatch.setattr(store, "_delete_old_keys", failing)
    with pytest.raises(RuntimeError):
        store.accept(stream)
    assert store.pending(10) == []


def test_what_a_database_cannot_hold_is_one_error_and_leaves_nothing(store):
    with pytest.raises(StoreError, match="cannot be written"):
        store.accept([article(1), article(2, text="half a character: \udcff")])
    assert store.pending(10) == []
    assert store.events(10**30) == []


def test_a_batch_is_looked_up_and_inserted_together(store, monkeypatch):
    """The number of statements does not grow with the number of articles."""
    statements = []

    def counting(method):
        def counted(statement, *values):
            statements.append(statement)
            return method(statement, *values)

        return counted

    for name in ("rows", "run", "run_many"):
        monkeypatch.setattr(store.db, name, counting(getattr(store.db, name)))
    store.accept(make_distinct(1))
    few = len(statements)
    statements.clear()
    store.accept([replace(a, id=f"more {a.id}") for a in make_distinct(20)[10:]])
    assert len(statements) <= few + 12
