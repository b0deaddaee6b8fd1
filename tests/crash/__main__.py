"""Kill, starve and trip a run over and over; compare what it leaves with an undisturbed one's.

    python -m tests.crash --kills 100 --store sqlite --store postgres

The process is killed (SIGKILL) after a random time or at a random statement on its database; it
gets errors from its database or loses the connection to it; its disk is full; its server is
restarted at a random time, or crashes at a random exchange with it. Each time it is started again,
until it is done. Of two processes, the writer is suspended until the other has taken over, and then
wakes up.
"""

import argparse
import os
import random
import resource
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

import psycopg
import torch

from scstory.errors import StoreError
from scstory.store import open_store
from scstory.store.postgres import PostgresDatabase
from scstory.store.sqlite import SqliteDatabase
from tests.crash.stream import (
    FEEDS,
    articles,
    ask_once,
    corrections_at,
    ends,
    finish,
    write,
    write_until_stopped,
)
from tests.postgres import Server, raw

TABLES = {
    "articles": "sequence, id, published, title, text, url, source, language, late",
    "assignments": "article, story, confidence, new, runners_up, parts, weights, correction",
    "stories": "id, title, keywords, key_sentences, first_seen, last_seen, size, confidence, "
    "active, summary, milestones, headlines, title_article, title_by, pinned, hidden",
    "corrections": "number, kind, story, target, articles, title, undoes, editor, status, answer, "
    "effect",
    "corrected": "story, correction",
    "vectors": "article, sentences, vectors",
    "engine_parts": "name, state",
    "inbox": "id",
    "parked": "id, text, reason",
    "sources": "id, article, published, title, url, source",
    "urls": "url, article",
    "text_keys": "key, article, published",
    "redirects": "old, new",
    "words": "word",
    "outlines": "story, last, keywords, vector, columns, weights",
    "outline_keys": "term, story, last",
    "threads": "story, thread, linked, likeness",
    "sections": "number, name, keywords, vector",
    "section_stories": "story, section",
    "mentions": "article, story, likeness, sentences",
    "overview": "vector, articles, stories, found_at, faded, pairs, pairs_likeness",
}


def content(path):
    """Return all that a database holds, but for the times and the number of commits."""
    order, db = {"vectors": "position"}, raw(path)
    try:
        return {
            table: db.rows(f"SELECT {columns} FROM {table} ORDER BY {order.get(table, columns)}")
            for table, columns in TABLES.items()
        }
    finally:
        db.close()


def differences(path, expected):
    """Return the tables in which a database differs from what is expected."""
    left = content(path)
    check_events(path)
    return [table for table in TABLES if left[table] != expected[table]]


def check_events(path):
    """Events are numbered without a gap, and every article founds or joins a story once."""
    store = open_store(path, create=False)
    events = store.events(0, 10**6)
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    told = Counter(a for e in events if e.kind in ("new", "grew") for a in e.articles)
    decided = Counter(a for story in store.stories() for a in story.articles)
    assert told == decided, "an article lost or doubled"
    assert store.check().problems == (), store.check().problems
    store.close()


class Deadly:
    """A connection that counts its statements and kills its process at a given one."""

    seen, last = 0, None

    def _count(self):
        Deadly.seen += 1
        if Deadly.seen == Deadly.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(self, *arguments, **options):
        self._count()
        done = super().execute(*arguments, **options)
        if arguments[0] == "COMMIT":
            self._count()  # just after it
        return done


class Flaky:
    """A connection that fails now and then: before a statement, or just after a commit."""

    chance, rng, log = 0.0, random.Random(0), ""

    def _maybe_fail(self):
        if Flaky.rng.random() < Flaky.chance:
            with open(Flaky.log, "a") as log:
                log.write("!")
            self.fail()

    def execute(self, *arguments, **options):
        self._maybe_fail()
        done = super().execute(*arguments, **options)
        if arguments[0] == "COMMIT":
            self._maybe_fail()
        return done


class File:
    """SQLite's connections, and where its databases are."""

    database = SqliteDatabase

    class Deadly(Deadly, sqlite3.Connection):
        def executemany(self, *arguments):
            self._count()
            return super().executemany(*arguments)

    class Flaky(Flaky, sqlite3.Connection):
        def executemany(self, *arguments):
            self._maybe_fail()
            return super().executemany(*arguments)

        def fail(self):
            raise sqlite3.OperationalError("database is locked")

    def __init__(self, folder):
        self._folder, self._made = folder, 0

    def make(self):
        self._made += 1
        return f"{self._folder}/{self._made}.db"

    def drop(self, path):
        for file in Path(path).parent.glob(f"{Path(path).name}*"):
            file.unlink()

    def close(self):
        pass


class Served(Server):
    """PostgreSQL's connections, and a server."""

    database = PostgresDatabase

    class Deadly(Deadly, psycopg.Connection):
        def cursor(self, *arguments, **options):
            self._count()
            return super().cursor(*arguments, **options)

    class Flaky(Flaky, psycopg.Connection):
        def fail(self):
            if Flaky.rng.random() < 0.5:
                self.close()  # or the connection is lost
            raise psycopg.OperationalError("the server does not feel well")

    def __init__(self, folder):
        super().__init__()


class Crashing(psycopg.Connection):
    """A connection whose server crashes at a given exchange: before it, or before the answer."""

    seen, last, answered, server = 0, None, False, None
    starting = threading.Thread()

    def wait(self, *arguments, **options):
        Crashing.seen += 1
        if Crashing.seen != Crashing.last:
            return super().wait(*arguments, **options)
        answer = super().wait(*arguments, **options) if Crashing.answered else None
        Crashing.server.stop("immediate")
        Crashing.starting = threading.Timer(0.1, Crashing.server.start)
        Crashing.starting.start()
        if not Crashing.answered:
            return super().wait(*arguments, **options)
        if self.pgconn.pipeline_status:
            return answer  # in the middle of a series there is none that could be lost
        self.close()
        raise psycopg.OperationalError("the connection is lost")


STORES = {"sqlite": File, "postgres": Served}


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def fork(work, *, may_fail=True):
    """Do work in a process of its own; return its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except StoreError as error:
        if not may_fail:  # and be started again
            sys.stderr.write(f"{error}\n")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
    return None


def finished(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Trial:
    """One way to feed a stream into one kind of store, undisturbed and disturbed."""

    def __init__(self, store, feed, found, folder, rng):
        self._store, self.rng, self._folder, self._found = store, rng, folder, found
        self.path, self._count = "", Path(folder) / "count"
        self._feed = lambda: feed(self.path, found, folder)

    def undisturbed(self):
        """Return what a run leaves, how many seconds it took, and how many statements."""

        def work():
            self._store.database.connection = self._store.Deadly
            self._feed()
            self._count.write_text(str(Deadly.seen))

        self.path = self._store.make()
        began = time.monotonic()
        assert finished(fork(work)) == 0
        took = time.monotonic() - began
        check_events(self.path)
        return content(self.path), took, int(self._count.read_text())

    def disturbed(self, how, expected, *arguments):
        """Run to the end in some way, see that it changed nothing, return how often it was."""
        self.path = self._store.make()
        times = how(self, *arguments)
        assert not (found := differences(self.path, expected)), f"{how.__name__}: {found} differ"
        self._store.drop(self.path)
        return times

    def kill_at_statements(self, statements):
        """Run to the end through kills at statements; return how many there were."""

        def work():
            self._store.database.connection = self._store.Deadly
            self._feed()

        for kills in range(10**6):
            Deadly.last = int(self.rng.expovariate(1 / statements))
            if finished(fork(work)) == 0:
                Deadly.last = None
                return kills
        raise AssertionError("never done")

    def kill_at_times(self, seconds):
        """Run to the end through kills at any time; return how many there were."""
        for kills in range(10**6):
            child = fork(self._feed)
            time.sleep(self.rng.expovariate(1 / seconds))
            os.kill(child, signal.SIGKILL)
            if finished(child) == 0:
                return kills
        raise AssertionError("never done")

    def trip(self, chance):
        """Run with a database that fails now and then; return how often it did."""
        log = Path(self._folder) / "failures"
        log.write_text("")
        for attempt in range(1, 1000):

            def work(seed=attempt):
                self._store.database.connection = self._store.Flaky
                Flaky.rng, Flaky.chance, Flaky.log = random.Random(seed), chance, str(log)
                self._feed()

            if finished(fork(work)) == 0:
                return len(log.read_text())
        raise AssertionError("never done")

    def starve(self):
        """Run with a disk that is full, and a little larger each time; return how often."""
        for attempt in range(1, 1000):

            def work(limit=200_000 * attempt * attempt):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
                self._feed()

            if finished(fork(work)) == 0:
                return attempt - 1
        raise AssertionError("never done")

    def restart(self, seconds):
        """Run with a server that is stopped, or crashes, now and then; return how often."""
        times, done = 0, threading.Event()
        child = fork(self._feed, may_fail=False)
        waiter = threading.Thread(target=lambda: (codes.append(finished(child)), done.set()))
        codes = []
        waiter.start()
        until(lambda: done.is_set() or self._store.in_use(self.path))
        while not done.wait(self.rng.expovariate(1 / seconds)):
            self._store.stop(self.rng.choice(["fast", "immediate"]))
            time.sleep(self.rng.random())
            self._store.start()
            times += 1
        waiter.join()
        assert codes == [0], "a run did not outlive its server's restart"
        return times

    def crash(self, exchange, answered):
        """Run with a server that crashes at an exchange; return whether there were so many."""

        def work():
            self._store.database.connection = Crashing
            Crashing.server, Crashing.answered = self._store, answered
            Crashing.last = exchange
            self._feed()
            self._count.write_text(str(Crashing.seen))
            if Crashing.seen >= exchange:
                Crashing.starting.join()

        code = finished(fork(work, may_fail=False))
        self._store.start()
        assert code == 0, f"a run did not outlive a crash at exchange {exchange}"
        return int(self._count.read_text()) >= exchange

    def suspend(self, times):
        """Suspend the writer past its lease, and let it go on; return how often."""
        writers = {fork(lambda: write_until_stopped(self.path, self._found)) for _ in range(2)}
        front = open_store(self.path)
        begin, count = 0, len(self._found)
        for end in ends(count, -(-count // times)):
            front.accept(self._found[begin:end])
            begin = end
            time.sleep(self.rng.random() / 5)
            stopped = until(lambda: holder(front) in writers and holder(front))
            os.kill(stopped, signal.SIGSTOP)
            until(lambda others=writers - {stopped}: holder(front) in others)
            until(lambda: not front.pending(1))
            os.kill(stopped, signal.SIGCONT)
            for asked in corrections_at(end, count):
                ask_once(front, *asked)
                until(lambda: front.waiting_correction() is None)
        for writer in writers:
            os.kill(writer, signal.SIGTERM)
            assert finished(writer) == 0
        assert front.db.value("SELECT token FROM lease") > times, "none took over"
        # The slide that is still open is closed as in the run that nobody disturbed.
        finish(front, self._found)
        front.close()
        return times


def holder(store):
    """Return the process that holds the lease, 0 if none does."""
    return int(store.db.value("SELECT holder FROM lease").rpartition(":")[2] or 0)


def until(condition):
    """Wait for a condition; return what it gave."""
    for _ in range(6000):
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it never happened")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--articles", type=int, default=122)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="append", choices=STORES)
    options = parser.parse_args()
    found, rng = articles(options.articles), random.Random(options.seed)
    # All imports happen here, once, and no thread is started that a fork would lose.
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, articles(40)[:8])
        for mode, feed in FEEDS.items():
            feed(f"{folder}/{mode}.db", articles(40)[:8], folder)
    left = {}
    for kind in options.store or STORES:
        with tempfile.TemporaryDirectory() as folder:
            store = STORES[kind](folder)
            try:
                write(folder, found)
                for mode, feed in FEEDS.items():
                    trial = Trial(store, feed, found, folder, rng)
                    expected = disturb(f"{kind}, {mode}", trial, options)
                    assert left.setdefault(mode, expected) == expected, "the stores differ"
            finally:
                store.close()


def disturb(name, trial, options):
    """Disturb one way of feeding one kind of store in all ways; return what it should leave."""
    expected, took, statements = trial.undisturbed()
    sizes = {table: len(rows) for table, rows in expected.items() if rows}
    say(f"{name}: undisturbed {took:.1f} s, {statements:,} statements; {sizes}")
    brief = options.kills < 20
    for what, kill, mean in (
        ("statements", Trial.kill_at_statements, statements / 3),
        ("times", Trial.kill_at_times, took / 2 if brief else took / 4),
    ):
        kills = rounds = 0
        while kills < options.kills / 2:
            kills += trial.disturbed(kill, expected, mean)
            rounds += 1
        say(f"{name}: killed {kills} times at random {what}, in {rounds} runs: identical")
    # A run from a file ends with the first failure (that is no lost connection), a writer goes on.
    chance = (3 if name == "sqlite, file" else 10) / statements
    if "inbox" in name and not brief:
        chance = 0.02
    failures = trial.disturbed(Trial.trip, expected, chance)
    say(f"{name}: database failed {failures} times: identical")
    if "sqlite" in name:
        starts = trial.disturbed(Trial.starve, expected)
        say(f"{name}: disk full {starts} times: identical")
    else:
        # A restart prolongs the run, which then sees more of them: a short trial is to see a few.
        times, pause = 0, 2 * took if brief else took / 4
        while times < max(1, options.kills // 10):
            times += trial.disturbed(Trial.restart, expected, pause)
        say(f"{name}: server restarted {times} times: identical")
        crashes = 0
        while crashes < max(2, options.kills // 5):
            exchange, answered = trial.rng.randrange(1, statements), crashes % 2 == 0
            crashes += trial.disturbed(Trial.crash, expected, exchange, answered)
        say(f"{name}: server crashed {crashes} times at random exchanges: identical")
    if name == "postgres, inbox":
        times = trial.disturbed(Trial.suspend, expected, max(3, options.kills // 5))
        say(f"{name}: suspended and followed {times} times: identical")
    return expected


if __name__ == "__main__":
    main()
