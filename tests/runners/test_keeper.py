"""The keeper: what waits is decided and committed, once, whatever goes wrong."""

import sqlite3
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from scstory.discovery.state import dump_state
from scstory.errors import StoreError
from scstory.runners import Keeper
from scstory.store import open_store
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_stream
from tests.discovery.test_engine import make

FAR = START + timedelta(days=400)


class Picky(HashingEncoder):
    """An encoder that fails on one word."""

    def encode(self, sentences):
        if any("unencodable" in sentence for sentence in sentences):
            raise ValueError("cannot encode this")
        return super().encode(sentences)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "s.db")


def outcome(store):
    stories = store.stories()
    decided = [store.article(article).assignment for s in stories for article in s.articles]
    return stories, decided, dump_state(store.state())


def drain(keeper, limit):
    while keeper.step(limit):
        pass


def keep(path, articles, *, limit=256, restart=False, clock=lambda: FAR):
    store = open_store(path)
    store.accept(articles)
    keeper = Keeper(make(), store, clock=clock)
    while keeper.step(limit):
        if restart:
            keeper.store.close()
            store = open_store(path)
            engine = make()
            engine.restore(store.state())
            keeper = Keeper(engine, store, clock=clock)
    keeper.close_if_due()
    found = outcome(store)
    store.close()
    return found


def test_what_waits_is_decided_in_order_and_leaves_the_inbox(path):
    store = open_store(path)
    stream = make_stream(2)
    store.accept(stream)
    keeper = Keeper(make(), store, clock=lambda: START)
    first = keeper.step(4)
    assert [m.article for m in first.articles] == stream[:4]
    assert [d.article for d in first.decided] == [a.id for a in stream[:4]]
    assert store.pending(100) == stream[4:]
    assert {s.id for s in store.stories(active=True)} == {s.id for s in first.stories}
    drain(keeper, 256)
    assert keeper.step() is None
    assert store.counts()[0] == len(stream)


def test_the_outcome_does_not_depend_on_steps_or_restarts(tmp_path):
    stream = make_stream(4)
    whole = keep(str(tmp_path / "a.db"), stream)
    assert keep(str(tmp_path / "b.db"), stream, limit=1) == whole
    assert keep(str(tmp_path / "c.db"), stream, limit=3, restart=True) == whole


def test_a_slide_is_closed_when_its_time_and_the_grace_are_over(path):
    now = START
    store = open_store(path)
    store.accept([make_article(0, "flood")])
    keeper = Keeper(make(), store, clock=lambda: now, grace=timedelta(hours=1))
    assert keeper.close_if_due() is None
    keeper.step()
    now = START.replace(hour=0) + timedelta(days=1, minutes=59)
    assert keeper.close_if_due() is None
    now += timedelta(minutes=1)
    assert keeper.close_if_due().decided == []
    assert store.state().meta["open"] == 0
    assert keeper.close_if_due() is None


def test_an_article_that_cannot_be_encoded_is_put_aside(path):
    store, problems = open_store(path), []
    stream = make_stream(1)
    bad = replace(make_article(50, "flood"), text="This is unencodable.")
    store.accept([*stream[:2], bad, *stream[2:]])
    keeper = Keeper(
        make(encoder=Picky(dim=64)),
        store,
        clock=lambda: FAR,
        on_problem=lambda article, problem: problems.append((article.id, problem)),
    )
    drain(keeper, 256)
    assert store.counts()[0] == len(stream)
    assert [(p.article, p.reason) for p in store.parked()] == [
        (bad, "ValueError: cannot encode this")
    ]
    assert problems == [
        (bad.id, "put aside (ValueError: cannot encode this); scstory doctor --retry tries again")
    ]


@pytest.mark.parametrize("mode", ["inbox", "slide"])
def test_an_article_that_cannot_be_decided_is_put_aside(path, monkeypatch, mode):
    store, engine = open_store(path), make()
    stream = make_stream(1)
    take = engine._take

    def failing(articles, index):
        done = take(articles, index)
        if any(member.article.id == stream[3].id for member in articles):
            raise ArithmeticError("not this one")
        return done

    monkeypatch.setattr(engine, "_take", failing)
    keeper = Keeper(engine, store, clock=lambda: FAR)
    if mode == "inbox":
        store.accept(stream)
        drain(keeper, 256)
    else:
        keeper.take(stream)
    assert [p.article for p in store.parked()] == [stream[3]]
    assert store.counts()[0] == len(stream) - 1
    assert store.pending(10) == []
    good = [a for a in stream if a != stream[3]]
    if mode == "slide":
        expected = make()
        expected.process(good)
        assert dump_state(expected.state()) == dump_state(store.state())


def test_a_commit_that_fails_is_done_again(path, monkeypatch):
    stream = make_stream(3)
    expected = keep(path + ".a", stream, limit=4)
    store = open_store(path)
    store.accept(stream)
    keeper = Keeper(make(), store, clock=lambda: FAR)
    write, calls = store._write_assignments, [0]

    def failing(decided):
        calls[0] += 1
        if calls[0] % 2:
            raise sqlite3.OperationalError("disk I/O error")
        write(decided)

    monkeypatch.setattr(store, "_write_assignments", failing)
    failures = 0
    while store.pending(1):
        try:
            keeper.step(4)
        except StoreError:
            failures += 1
    monkeypatch.undo()
    keeper.close_if_due()
    assert failures >= 4
    assert outcome(store) == expected


def test_dates_in_the_future_are_taken_as_of_now(path):
    store, problems = open_store(path), []
    store.accept([make_article(0, "flood", day=3), make_article(1, "flood", day=0)])
    keeper = Keeper(
        make(), store, clock=lambda: START, on_problem=lambda a, problem: problems.append(problem)
    )
    keeper.step()
    assert store.article("flood-0").article.published == START
    assert problems == ["dated 2026-03-05 08:00, in the future; taken as of now"]


def test_late_articles_find_their_old_story_and_leave_the_window_alone(path):
    store = open_store(path)
    early = [make_article(n, "flood") for n in range(3)]
    store.accept([*early, make_article(0, "comet", day=20)])
    keeper = Keeper(make(), store, clock=lambda: FAR)
    drain(keeper, 256)
    window = [m.article.id for m in store.state().members]
    late = replace(make_article(9, "flood", day=1), id="late")
    alone = replace(make_article(9, "strike", day=1), id="alone")
    store.accept([late, alone, make_article(1, "comet", day=20)])
    drain(keeper, 256)
    found, own = store.article("late"), store.article("alone")
    assert (found.late, own.late, store.article("comet-1").late) == (True, True, False)
    old = store.article("flood-0").assignment.story
    assert found.assignment.story == old
    assert not found.assignment.new
    assert own.assignment.new
    assert store.story(old).articles[-1] == "late"
    assert (store.story(old).size, store.story(own.assignment.story).active) == (4, False)
    assert [m.article.id for m in store.state().members] == [*window, "comet-1"]
    assert len({s.id for s in store.stories()}) == 3


def test_running_until_told_to_stop(path):
    store, stop = open_store(path), threading.Event()
    stream = make_stream(2)
    seen = []

    def on_slide(slide):
        seen.extend(member.article for member in slide.articles)
        if len(seen) == len(stream):
            stop.set()

    keeper = Keeper(make(), store, clock=lambda: FAR, on_slide=on_slide)
    thread = threading.Thread(target=keeper.run, args=(stop,), kwargs={"poll": 0.01})
    thread.start()
    offered = open_store(path)
    for article in stream:
        offered.accept([article])
    thread.join(60)
    assert not thread.is_alive()
    assert seen == stream


def test_there_is_one_keeper(path):
    store, other = open_store(path), open_store(path)
    Keeper(make(), store)
    with pytest.raises(StoreError, match="another run is writing to it"):
        Keeper(make(), other)
    store.close()
    Keeper(make(), other)


def test_a_story_that_is_left_by_all_leads_to_where_they_went(path):
    store = open_store(path)
    keeper = Keeper(make(), store, clock=lambda: START)
    store.accept([make_article(0, "flood"), make_article(0, "trial")])
    keeper.step()
    engine = keeper.engine
    moved = store.article("trial-0").assignment
    engine._window.story[:] = 1
    engine._sizes.update({1: 1})
    told = engine.stories()
    gone = replace(store.story(2), size=0, active=False)
    engine._ended = [gone]
    keeper._commit([], [replace(moved, story=1, was=2, new=False)])
    assert told
    assert store.redirect(2) == 1
    assert store.story(2).id == 1
    assert [r.article.id for r in store.articles_of(2)] == ["flood-0", "trial-0"]
    kinds = [(e.kind, e.story, e.articles, e.becomes) for e in store.events(0)]
    assert kinds[-2:] == [("moved", 1, ("trial-0",), None), ("merged", 2, ("trial-0",), 1)]
