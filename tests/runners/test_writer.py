"""The writer: what waits is decided and committed, once, whatever goes wrong."""

import sqlite3
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from scstory.discovery import load_engine
from scstory.discovery.state import dump_state
from scstory.errors import StoreError
from scstory.runners import Summary, Writer
from scstory.store import open_store
from scstory.types import Assignment
from scstory.vectors.auto_encoder import AutoEncoder
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_article, make_distinct
from tests.discovery.test_engine import make

FAR = START + timedelta(days=400)


class Picky(HashingEncoder):
    """An encoder that fails on one word."""

    def encode(self, sentences):
        if any("unencodable" in sentence for sentence in sentences):
            raise ValueError("cannot encode this")
        return super().encode(sentences)


class EnglishOnly(HashingEncoder):
    """An encoder that says which languages it serves."""

    languages = ("en",)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "s.db")


def outcome(store):
    """Return what a store holds, but for the numbers of events: they depend on the steps."""
    stories = [replace(story, last_event=0) for story in store.stories()]
    decided = [store.article(article) for s in stories for article in s.articles]
    return stories, decided, dump_state(store.state())


def drain(writer, limit):
    while writer.step(limit):
        pass


def write(path, articles, *, limit=256, restart=False, clock=lambda: FAR, preset="default"):
    store = open_store(path)
    store.accept(articles)
    writer = Writer(make(preset, window="3d"), store, clock=clock)
    while writer.step(limit):
        if restart:
            writer.store.close()
            store = open_store(path)
            engine = load_engine(store.state(), writer.engine.encoder)
            writer = Writer(engine, store, clock=clock)
    writer.close_if_due()
    found = outcome(store)
    store.close()
    return found


def test_what_waits_is_decided_in_order_and_leaves_the_inbox(path):
    store = open_store(path)
    stream = make_distinct(2)
    store.accept(stream)
    writer = Writer(make(), store, clock=lambda: START)
    first = writer.step(4)
    assert first.articles == stream[:4]
    assert [d.article for d in first.decided] == [a.id for a in stream[:4]]
    assert store.pending(100) == stream[4:]
    assert {s.id for s in store.stories(active=True)} == {s.id for s in first.stories}
    drain(writer, 256)
    assert writer.step() is None
    assert store.counts()[0] == len(stream)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_outcome_does_not_depend_on_steps_or_restarts(tmp_path, preset):
    stream = make_distinct(4)
    whole = write(str(tmp_path / "a.db"), stream, preset=preset)
    assert len(whole[1]) == len(stream)
    assert write(str(tmp_path / "b.db"), stream, limit=1, preset=preset) == whole
    assert write(str(tmp_path / "c.db"), stream, limit=3, restart=True, preset=preset) == whole


def test_a_slide_is_closed_when_its_time_and_the_grace_are_over(path):
    now = START
    store = open_store(path)
    store.accept([make_article(0, "flood")])
    writer = Writer(make(), store, clock=lambda: now, grace=timedelta(hours=1))
    assert writer.close_if_due() is None
    writer.step()
    now = START.replace(hour=0) + timedelta(days=1, minutes=59)
    assert writer.close_if_due() is None
    now += timedelta(minutes=1)
    assert writer.close_if_due().decided == []
    assert store.state().meta["open"] == 0
    assert writer.close_if_due() is None


def test_an_article_that_cannot_be_encoded_is_parked(path):
    store, problems = open_store(path), []
    stream = make_distinct(1)
    bad = replace(make_article(50, "flood"), text="This is unencodable.")
    store.accept([*stream[:2], bad, *stream[2:]])
    writer = Writer(
        make(encoder=Picky(dim=64)),
        store,
        clock=lambda: FAR,
        on_problem=lambda article, problem: problems.append((article.id, problem)),
    )
    drain(writer, 256)
    assert store.counts()[0] == len(stream)
    assert [(p.article, p.reason) for p in store.parked()] == [
        (bad, "ValueError: cannot encode this")
    ]
    retry = f"scstory doctor --retry --db {path}"
    assert problems == [(bad.id, f"parked (ValueError: cannot encode this); {retry} tries again")]


@pytest.mark.parametrize("bad", [0, 1, 3])
def test_an_article_that_cannot_be_decided_is_parked(path, monkeypatch, bad):
    store, engine = open_store(path), make()
    stream = make_distinct(1)
    decide = engine.decide

    def failing(articles):
        done = decide(articles)
        if any(member.article.id == stream[bad].id for member in articles):
            raise ArithmeticError("not this one")
        return done

    monkeypatch.setattr(engine, "decide", failing)
    writer = Writer(engine, store, clock=lambda: FAR)
    store.accept(stream)
    drain(writer, 256)
    assert [p.article for p in store.parked()] == [stream[bad]]
    assert store.counts().articles == len(stream) - 1
    assert store.pending(10) == []
    expected = make()
    expected.decide([a for a in stream if a != stream[bad]])
    assert dump_state(expected.state()) == dump_state(store.state())


def test_a_commit_that_fails_is_retried(path, monkeypatch):
    stream = make_distinct(3)
    expected = write(path + ".a", stream, limit=4)
    store = open_store(path)
    store.accept(stream)
    writer = Writer(make(window="3d"), store, clock=lambda: FAR)
    insert, calls = store._write_assignments, [0]

    def failing(decided):
        calls[0] += 1
        if calls[0] % 2:
            raise sqlite3.OperationalError("disk I/O error")
        insert(decided)

    monkeypatch.setattr(store, "_write_assignments", failing)
    failures = 0
    while store.pending(1):
        try:
            writer.step(4)
        except StoreError:
            failures += 1
    monkeypatch.undo()
    writer.close_if_due()
    assert failures >= 4
    assert outcome(store) == expected


def test_dates_in_the_future_are_taken_as_of_now(path):
    store, problems = open_store(path), []
    store.accept([make_article(0, "flood", day=3), make_article(1, "flood", day=0)])
    writer = Writer(
        make(), store, clock=lambda: START, on_problem=lambda a, problem: problems.append(problem)
    )
    drain(writer, 1)
    assert store.article("flood-0").article.published == START
    assert problems == ["flood-0: dated 2026-03-05 08:00, in the future; taken as of now"]


def test_late_articles_find_their_old_story_and_leave_the_window_alone(path):
    store = open_store(path)
    early = [make_article(n, "flood") for n in range(3)]
    store.accept([*early, make_article(0, "comet", day=20)])
    writer = Writer(make(), store, clock=lambda: FAR)
    drain(writer, 256)
    window = [m.article.id for m in store.state().members]
    late = replace(make_article(9, "flood", day=1), id="late")
    alone = replace(make_article(9, "strike", day=1), id="alone")
    store.accept([late, alone, make_article(1, "comet", day=20)])
    drain(writer, 256)
    found, own = store.article("late"), store.article("alone")
    assert (found.late, own.late, store.article("comet-1").late) == (True, True, False)
    old = store.article("flood-0").story
    assert found.story == old
    assert not found.new
    assert own.new
    assert store.story(old).articles[-1] == "late"
    assert (store.story(old).size, store.story(own.story).active) == (4, False)
    assert [m.article.id for m in store.state().members] == [*window, "comet-1"]
    assert len({s.id for s in store.stories()}) == 3


def test_running_until_told_to_stop(path):
    store, stop = open_store(path), threading.Event()
    stream = make_distinct(2)
    seen = []

    def on_step(step):
        seen.extend(step.articles)
        if len(seen) == len(stream):
            stop.set()

    writer = Writer(make(), store, clock=lambda: FAR, on_step=on_step)
    thread = threading.Thread(target=writer.run, args=(stop,), kwargs={"poll": 0.01})
    thread.start()
    offered = open_store(path)
    for article in stream:
        offered.accept([article])
    thread.join(60)
    assert not thread.is_alive()
    assert seen == stream


def test_what_fails_while_running_is_reported_and_tried_again(path, monkeypatch):
    store, stop, problems = open_store(path), threading.Event(), []
    store.accept(make_distinct(1))
    writer = Writer(
        make(),
        store,
        clock=lambda: FAR,
        on_step=lambda step: stop.set(),
        on_problem=lambda article, problem: problems.append(problem),
    )
    write, calls = store._write_parts, [0]

    def failing(*args, **options):
        calls[0] += 1
        if calls[0] == 1:
            raise sqlite3.OperationalError("database is locked")
        write(*args, **options)

    monkeypatch.setattr(store, "_write_parts", failing)
    writer.run(stop, poll=0.01)
    assert problems == [f"{path}: cannot be written (database is locked)"]
    assert store.counts()[0] == len(make_distinct(1))


def test_there_is_one_writer(path):
    store, other = open_store(path), open_store(path)
    Writer(make(), store)
    with pytest.raises(StoreError, match="is its writer; stop it"):
        Writer(make(), other)
    store.close()
    Writer(make(), other)


def test_a_story_that_is_left_by_all_leads_to_where_they_went(path):
    store = open_store(path)
    writer = Writer(make(), store, clock=lambda: START)
    store.accept([make_article(0, "flood"), make_article(0, "trial")])
    writer.step()
    engine = writer.engine
    moved = Assignment("trial-0", 1, 0.5, False, was=2)
    engine.scope.window.story[:] = 1
    engine._catalogue.count(1, was=2)
    told = engine.stories()
    gone = replace(told[0], id=2, size=0, active=False)
    engine._catalogue.ended = [gone]
    writer._commit([], [moved])
    assert told
    assert store.redirect(2) == 1
    assert store.story(2).id == 1
    assert [row.id for row in store.articles_of(2)] == ["flood-0", "trial-0"]
    kinds = [(e.kind, e.story, e.articles, e.becomes) for e in store.events(0)]
    assert kinds[-2:] == [("moved", 1, ("trial-0",), None), ("merged", 2, ("trial-0",), 1)]


def test_an_article_waits_where_the_machine_is_at_fault(path, monkeypatch):
    store = open_store(path)
    store.accept(make_distinct(1))
    writer = Writer(make(), store, clock=lambda: START)

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer.engine.encoder, "encode", full)
    with pytest.raises(StoreError, match="No space left"):
        writer.step()
    assert store.parked() == []
    monkeypatch.undo()
    writer.drain()
    assert store.counts().articles == len(make_distinct(1))
    store.close()


def test_articles_in_a_language_that_the_encoder_does_not_serve_are_counted_and_told_of(path):
    said, counted = [], Summary()
    store = open_store(path)
    czech = [
        replace(article, id=f"cs-{article.id}", title="Povodně zasáhly Brno", language="cs")
        for article in make_distinct(1)
    ]
    store.accept([*make_distinct(1), *czech])
    writer = Writer(
        make(encoder=EnglishOnly(dim=64)),
        store,
        clock=lambda: START,
        on_step=counted.add,
        on_problem=lambda article, problem: said.append(problem),
    )
    drain(writer, 1)
    assert counted.unserved == {"cs": len(czech)}
    assert said == [
        "articles in cs: the encoder hashing:64 does not serve this language, so they are compared "
        "by their words alone (see docs/languages.md)"
    ]


@pytest.mark.parametrize("limit", [1, 3, 256])
def test_the_articles_of_the_first_day_choose_the_encoder_however_many_are_decided_at_a_time(
    path, limit
):
    def made(name):
        return HashingEncoder(dim=int(name.partition(":")[2]))

    store = open_store(path)
    english, chinese = make_article(1, "flood"), make_article(2, "flood")
    first = [english, replace(chinese, id="zh", title="暴雨淹没沿河数百所房屋", text="两人失踪。")]
    later = [make_article(n, "trial", day=1) for n in range(3, 30)]
    store.accept([*first, *later])
    auto = AutoEncoder(made, english="hashing:32", other="hashing:64", english_dim=32)
    writer = Writer(make(encoder=auto), store, clock=lambda: FAR)
    drain(writer, limit)
    assert store.engine()["encoder"] == "hashing:64"
    assert store.waiting() == 0
