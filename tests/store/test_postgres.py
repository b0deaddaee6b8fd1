"""What only a server brings: addresses, refusals, lost connections, notifications."""

import itertools
import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import replace

import psycopg
import pytest

from scstory.errors import ConfigError, NoDatabase, StoreError, UsageError
from scstory.store import lease, open_store
from scstory.store.address import database_name
from scstory.store.database import migrations
from scstory.store.postgres import PostgresDatabase
from scstory.store.store_reader import SharedReader
from tests.conftest import make_article, make_distinct
from tests.crash.__main__ import Crashing, content
from tests.discovery.test_engine import make
from tests.postgres import name_of, raw
from tests.store.test_store import by_slide, fill


@pytest.fixture
def address(postgres):
    address = postgres.make()
    yield address
    postgres.drop(address)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("news.db", "news.db"),
        ("postgresql://ann:secret@db.example:5432/news", "postgresql://ann@db.example:5432/news"),
        ("postgres://db.example/news", "postgresql://db.example/news"),
        ("postgresql:///news?host=/tmp&password=secret", "postgresql:///news?host=/tmp"),
        ("postgresql://h/news?PASSWORD=secret&oauth_client_secret=x", "postgresql://h/news"),
        ("postgresql://h/news?sslmode=require?password=secret", "postgresql://h/news"),
        ("postgresql://h/news?sslmode=require;password=secret", "postgresql://h/news"),
        ("postgresql://h/news?host=db%20password=secret", "postgresql://h/news"),
        ("postgresql://h/news?dbname=postgresql://ann:secret@h/n", "postgresql://…"),
        ("postgresql://h/news?user=ann:secret&hostaddr=::1", "postgresql://h/news?hostaddr=::1"),
        ("postgresql://ann:12secret?host=x@h/n", "postgresql://…"),
        ("postgresql://ann:secret@a:1,b:2/news", "postgresql://ann@a:1,b:2/news"),
        ("postgresql://ann:secret@[::1]:5432/news", "postgresql://ann@[::1]:5432/news"),
        ("postgresql://ann:%40secret@/news", "postgresql://ann@/news"),
        ("postgresql://ann:sec@ret@db/news", "postgresql://…"),
        ("postgresql://ann:sec/ret@db/news", "postgresql://…"),
        ("postgresql://ann:sec?ret@db/news", "postgresql://…"),
        ("postgresql://ann:sec#ret@db/news", "postgresql://…"),
        ("mysql://ann:secret@db/news", "mysql://…"),
    ],
)
def test_no_message_names_a_password(given, shown):
    assert database_name(given) == shown


@pytest.mark.parametrize(
    "given", ["postgresql://ann:sec@ret@db/news", "postgresql://a b/c", "x://"]
)
def test_an_address_that_cannot_be_read_says_how_to_write_one(given):
    with pytest.raises(ConfigError, match="postgresql://USER"):
        open_store(given)


def test_refusals_are_one_line_with_the_reason_and_without_the_password(postgres, address):
    postgres.require_password("ann", "right-secret")
    name = name_of(address)
    for wrong, reason in (
        (postgres.address(name, user="ann", password="wrong-secret"), "password as PGPASSWORD"),
        (postgres.address(name, user="ann"), "password as PGPASSWORD"),
        (postgres.address("nowhere"), 'database "nowhere" does not exist); make it with createdb'),
        (postgres.address(name, user="bob", password="a-secret"), 'role "bob" does not exist'),
        (f"postgresql://ann:a-secret@127.0.0.1:1/{name}", "Connection refused"),
        (f"postgresql://ann:a-secret@no.such.host.invalid/{name}", "no.such.host.invalid"),
        (f"{address}&sslmode=never-secret", "sslmode"),
        (f"{address}&secret=secret", "cannot be read"),
    ):
        with pytest.raises((StoreError, ConfigError)) as error:
            open_store(wrong)
        assert reason in str(error.value)
        assert "\n" not in str(error.value)
        assert "secret" not in str(error.value).replace("never-secret", "")
    # A user who may only look is told so, and finds nothing to look at.
    with pytest.raises(NoDatabase, match="nothing is there yet; make it with: scstory run"):
        open_store(postgres.address(name, user="ann", password="right-secret"), create=False)
    with pytest.raises(StoreError, match="permission denied for schema public"):
        open_store(postgres.address(name, user="ann", password="right-secret"))
    open_store(address).close()
    postgres.do("GRANT SELECT ON ALL TABLES IN SCHEMA public TO ann", name)
    reader = open_store(postgres.address(name, user="ann", password="right-secret"), create=False)
    assert reader.counts()[:2] == (0, 0)
    reader.close()


def test_somebody_elses_tables_are_left_alone(postgres, address):
    postgres.do("CREATE TABLE articles (precious TEXT)", name_of(address))
    with pytest.raises(StoreError, match="a table `articles` that is not scstory's"):
        open_store(address)


def test_other_encodings_are_refused(postgres):
    postgres.do("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="its encoding is LATIN1; make one with: createdb"):
        open_store(postgres.address("latin"))


def test_a_schema_of_its_own_will_do(postgres, address):
    postgres.do("CREATE SCHEMA news", name_of(address))
    inside = f"{address}&options=-csearch_path%3Dnews"
    fill(open_store(inside), make(), make_distinct(1))
    assert raw(inside).value("SELECT to_regclass('news.articles') IS NOT NULL")
    assert open_store(inside, create=False).counts()[0] == len(make_distinct(1))
    with pytest.raises(NoDatabase):
        open_store(address, create=False)


def test_many_who_begin_at_once_make_one_schema(address):
    """All wait until they may look; each but the first must see what was made meanwhile."""
    stores, count = [], 8
    openers = [
        threading.Thread(target=lambda: stores.append(open_store(address))) for _ in range(count)
    ]
    with psycopg.connect(address, autocommit=True) as db:
        db.execute("SELECT pg_advisory_lock(hashtext('scstory'))")
        for opener in openers:
            opener.start()
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while db.execute(waiting).fetchone() != (count,):
            time.sleep(0.01)
    for opener in openers:
        opener.join()
    assert [store.check().schema for store in stores] == [len(migrations("postgres"))] * count
    for store in stores:
        store.close()


def test_both_kinds_have_the_same_steps():
    numbers = [[entry.name[:4] for entry in step] for step in migrations("sqlite")]
    assert (
        [step[0] for step in numbers]
        == [step[0].name[:4] for step in migrations("postgres")]
        == [f"{n:04}" for n in range(1, len(numbers) + 1)]
    )


def test_many_front_ends_take_each_article_once(address):
    """The same articles, offered by all at once in different orders, are accepted once."""
    stream, stores = make_distinct(4), [open_store(address) for _ in range(4)]
    receipts = []

    def offer(store, turn):
        for article in stream[turn:] + stream[:turn]:
            receipts.extend(store.accept([article]))

    threads = [
        threading.Thread(target=offer, args=(store, 5 * n)) for n, store in enumerate(stores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = sorted(r.article for r in receipts if r.status == "accepted")
    assert accepted == sorted(a.id for a in stores[0].pending(1000))
    assert len(receipts) == 4 * len(stream)
    assert stores[0].check().problems == ()
    for store in stores:
        store.close()


def end_sessions(postgres, address):
    postgres.do(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE datname = '{name_of(address)}' AND pid <> pg_backend_pid()"
    )


def test_a_lost_connection_is_made_again(postgres, address):
    store, engine = open_store(address), make()
    first, second, *_ = by_slide(make_distinct())
    store.claim()
    fill(store, engine, first)
    end_sessions(postgres, address)
    fill(store, engine, second)
    end_sessions(postgres, address)
    assert store.counts()[0] == len(first) + len(second)
    assert store.is_writer()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.counts()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_whose_answer_is_lost_is_made_once(address, when, monkeypatch):
    """The connection breaks just before or just after the server has carried out a COMMIT."""

    class Breaking(psycopg.Connection):
        broken = False

        def execute(self, query, *arguments, **options):
            if query != "COMMIT" or Breaking.broken:
                return super().execute(query, *arguments, **options)
            Breaking.broken = True
            if when == "after":
                super().execute(query)
            self.close()
            raise psycopg.OperationalError("the connection is lost")

    store, engine = open_store(address), make()
    (first, *_) = by_slide(make_distinct())
    monkeypatch.setattr(PostgresDatabase, "connection", Breaking)
    breaking = open_store(address)
    Breaking.broken = False
    fill(breaking, engine, first)
    assert Breaking.broken
    assert store.counts()[0] == len(first)
    Breaking.broken = False
    assert [r.status for r in breaking.accept([make_article(50, "strike")])] == ["accepted"]
    assert len(store.pending(10)) == 1
    assert raw(address).value("SELECT commits FROM head") == 1
    store.close()
    breaking.close()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_restarts_is_waited_for(postgres, address, mode):
    store, engine = open_store(address), make()
    first, second, *_ = by_slide(make_distinct())
    store.claim()
    fill(store, engine, first)
    postgres.stop(mode)
    starting = threading.Timer(1.0, postgres.start)
    starting.start()
    fill(store, engine, second)
    starting.join()
    assert store.counts()[0] == len(first) + len(second)
    store.close()


def test_a_server_that_restarts_is_waited_for_by_one_who_claims(postgres, address):
    store = open_store(address)
    postgres.stop()
    starting = threading.Timer(0.5, postgres.start)
    starting.start()
    store.claim()
    starting.join()
    assert store.is_writer()
    store.close()


@pytest.mark.parametrize("answered", [False, True])
def test_a_crash_at_any_exchange_is_outlived(postgres, address, monkeypatch, answered):
    open_store(address).close()
    monkeypatch.setattr(PostgresDatabase, "connection", Crashing)
    monkeypatch.setattr(Crashing, "server", postgres)
    monkeypatch.setattr(Crashing, "answered", answered)
    monkeypatch.setattr(lease, "INSIST_SECONDS", 30.0)  # however slow the machine
    for exchange in itertools.count(1):
        monkeypatch.setattr(Crashing, "last", exchange)
        monkeypatch.setattr(Crashing, "seen", 0)
        store = open_store(address)
        store.claim()
        assert store.is_writer()
        store.close()
        if Crashing.seen < exchange:
            break
        Crashing.starting.join()
    assert exchange > 10


@pytest.fixture
def starting():
    """A server that says a few times that it is starting, and is gone then."""
    refusal = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
    asked = []

    def refuse():
        while len(asked) < 3:
            client, _ = server.accept()
            with client:
                client.recv(1000)
                asked.append(0)
                client.sendall(b"E" + struct.pack("!i", len(refusal) + 4) + refusal)
        server.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        port = server.getsockname()[1]
        thread = threading.Thread(target=refuse)
        thread.start()
        address = f"postgresql://ann@127.0.0.1:{port}/news?sslmode=disable&gssencmode=disable"
        yield address, asked
        while len(asked) < 3:  # let it end
            with suppress(psycopg.Error):
                psycopg.connect(address)
        thread.join()


def test_a_server_that_starts_is_waited_for(starting, monkeypatch):
    address, asked = starting
    monkeypatch.setattr(PostgresDatabase, "retry_seconds", 3.0)
    with pytest.raises(StoreError, match=r"cannot be reached .*refused"):
        open_store(address)
    assert len(asked) == 3


def test_a_reader_does_not_wait_for_a_server_that_starts(starting):
    address, asked = starting
    with pytest.raises(StoreError, match=r"cannot be reached .*starting up"):
        open_store(address, create=False, write=False)
    assert len(asked) == 1


def test_a_connection_lost_twice_at_once_is_made_a_third_time(address, monkeypatch):
    lost = []

    class Losing(psycopg.Connection):
        def execute(self, query, *arguments, **options):
            if "set_config" in query and len(lost) < 2:
                lost.append(0)
                self.pgconn.finish()
                raise psycopg.OperationalError("the connection is lost")
            return super().execute(query, *arguments, **options)

    monkeypatch.setattr(PostgresDatabase, "connection", Losing)
    open_store(address).close()
    assert len(lost) == 2


def test_a_connection_lost_while_the_schema_is_made_is_made_again(address, monkeypatch):
    class Breaking(psycopg.Connection):
        broken = False

        def execute(self, query, *arguments, **options):
            if "CREATE TABLE" in query and not Breaking.broken:
                Breaking.broken = True
                self.close()
                raise psycopg.OperationalError("the connection is lost")
            return super().execute(query, *arguments, **options)

    monkeypatch.setattr(PostgresDatabase, "connection", Breaking)
    store = open_store(address)
    assert Breaking.broken
    assert store.counts()[:2] == (0, 0)
    store.close()


def test_whoever_listens_still_does_after_a_lost_connection(postgres, address):
    db = raw(address, create=True)
    assert db.listen(0)
    assert not db.listen(0.1)
    end_sessions(postgres, address)
    assert db.read(lambda: db.value("SELECT count(*) FROM articles")) == 0
    assert db.listen(0)  # who knows what was before
    assert not db.listen(0.1)
    store = open_store(address)
    store.accept([make_article(50, "strike")])
    assert db.listen(10)
    store.close()
    db.close()


def test_a_server_that_stays_away_is_one_error(postgres, address):
    store = open_store(address)
    store.db.retry_seconds = 0.3
    postgres.stop()
    try:
        with pytest.raises(StoreError, match="cannot be read"):
            store.counts()
    finally:
        postgres.start()
    assert store.counts()[:2] == (0, 0)
    store.close()


def test_whoever_listens_is_told_of_every_write(postgres, address):
    store, browser = open_store(address), SharedReader(address)
    assert browser.notifies
    assert browser.listen(0)  # who knows what was before
    assert not browser.listen(0.1)
    heard = []
    thread = threading.Thread(target=lambda: heard.append(browser.listen(60)))
    thread.start()
    time.sleep(0.1)
    store.accept([make_article(1, "flood")])
    thread.join()
    assert heard == [True]
    fill(store, make(), make_distinct(1))
    assert browser.listen(60)
    while browser.listen(0.1):  # accepting and committing are two writes
        pass
    end_sessions(postgres, address)
    with pytest.raises(StoreError):
        browser.listen(60)
    assert browser.listen(60)  # connected again: it may have missed something
    browser.close()
    store.close()


def test_backups_are_left_to_the_server(address, tmp_path):
    store = open_store(address)
    with pytest.raises(UsageError, match="pg_dump --format=custom --file="):
        store.backup(str(tmp_path / "copy"))
    store.close()


def test_a_long_article_does_not_overrun_the_index(address):
    """An index entry holds a megabyte; an article may be longer."""
    store, engine = open_store(address), make()
    words = " ".join(f"{number:x}äöü{number:o}" for number in range(60_000))
    long = replace(make_article(1, "flood"), id="long", text=words)
    store.accept([long])
    fill(store, engine, store.pending(10))
    assert store.article("long").article == long
    assert content(address)["articles"]
    store.close()
