"""Kill, starve and trip a run over and over; compare what it leaves with an undisturbed one's.

    python -m tests.crash --kills 100

The process is killed (SIGKILL) after a random time or at a random statement on its database; it
gets errors from its database; its disk is full. Each time it is started again, until it is done.
"""

import argparse
import os
import random
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import torch

from scstory.errors import StoreError
from scstory.store import open_store
from scstory.store.sqlite import SqliteDatabase
from tests.crash.stream import FEEDS, articles, write

TABLES = {
    "articles": "sequence, id, published, title, text, url, source, language, late",
    "assignments": "article, story, confidence, new, runners_up, parts, weights",
    "stories": "id, title, keywords, key_sentences, first_seen, last_seen, size, confidence, "
    "active",
    "vectors": "article, sentences, vectors",
    "engine_parts": "name, state",
    "inbox": "id",
    "parked": "id, text, reason",
    "sources": "id, article, published, title, url, source",
    "urls": "url, article",
    "text_keys": "key, article, published",
    "redirects": "old, new",
}


def content(path):
    """Return all that a database holds, but for the times and the number of commits."""
    with sqlite3.connect(path) as db:
        order = {"vectors": "position"}
        return {
            table: db.execute(
                f"SELECT {columns} FROM {table} ORDER BY {order.get(table, columns)}"
            ).fetchall()
            for table, columns in TABLES.items()
        }


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


class Deadly(sqlite3.Connection):
    """A connection that counts its statements and kills its process at a given one."""

    seen, last = 0, None

    def _count(self):
        Deadly.seen += 1
        if Deadly.seen == Deadly.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(self, *arguments):
        self._count()
        done = super().execute(*arguments)
        if arguments[0] == "COMMIT":
            self._count()  # just after it
        return done

    def executemany(self, *arguments):
        self._count()
        return super().executemany(*arguments)


class Flaky(sqlite3.Connection):
    """A connection that fails now and then: before a statement, or just after a commit."""

    chance, rng, log = 0.0, random.Random(0), ""

    def _maybe_fail(self):
        if Flaky.rng.random() < Flaky.chance:
            with open(Flaky.log, "a") as log:
                log.write("!")
            raise sqlite3.OperationalError("database is locked")

    def execute(self, *arguments):
        self._maybe_fail()
        done = super().execute(*arguments)
        if arguments[0] == "COMMIT":
            self._maybe_fail()
        return done

    def executemany(self, *arguments):
        self._maybe_fail()
        return super().executemany(*arguments)


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def fork(work):
    """Do work in a process of its own; return its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except StoreError:
        pass  # it is there to be started again
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
    return None


def finished(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def undisturbed(feed, path, found):
    """Return what a run leaves, how many seconds it took, and how many statements."""
    count = Path(f"{path}.count")

    def work():
        SqliteDatabase.connection = Deadly
        feed(path, found)
        count.write_text(str(Deadly.seen))

    began = time.monotonic()
    assert finished(fork(work)) == 0
    took = time.monotonic() - began
    check_events(path)
    return content(path), took, int(count.read_text())


def kill_at_statements(feed, path, found, rng, statements):
    """Run to the end through kills at statements; return how many there were."""

    def work():
        SqliteDatabase.connection = Deadly
        feed(path, found)

    for kills in range(10**6):
        Deadly.last = int(rng.expovariate(1 / statements))
        if finished(fork(work)) == 0:
            Deadly.last = None
            return kills
    raise AssertionError("never done")


def kill_at_times(feed, path, found, rng, seconds):
    """Run to the end through kills at any time; return how many there were."""
    for kills in range(10**6):
        child = fork(lambda: feed(path, found))
        time.sleep(rng.expovariate(1 / seconds))
        os.kill(child, signal.SIGKILL)
        if finished(child) == 0:
            return kills
    raise AssertionError("never done")


def trip(feed, path, found, seed, chance):
    """Run with a database that fails now and then; return how often it did."""
    Flaky.log = f"{path}.failures"
    for attempt in range(1, 1000):

        def work(seed=seed + attempt):
            SqliteDatabase.connection = Flaky
            Flaky.rng, Flaky.chance = random.Random(seed), chance
            feed(path, found)

        if finished(fork(work)) == 0:
            return len(Path(Flaky.log).read_text())
    raise AssertionError("never done")


def starve(feed, path, found):
    """Run with a disk that is full, and a little larger each time; return how often."""
    for attempt in range(1, 1000):

        def work(limit=100_000 * attempt * attempt):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            feed(path, found)

        if finished(fork(work)) == 0:
            return attempt
    raise AssertionError("never done")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--articles", type=int, default=122)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found, rng = articles(options.articles), random.Random(options.seed)
    # All imports happen here, once, and no thread is started that a fork would lose.
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, articles(40)[:8])
        for feed in FEEDS.values():
            feed(f"{folder}/warm.db", articles(40)[:8])
    with tempfile.TemporaryDirectory() as folder:
        write(folder, found)
        for mode, feed in FEEDS.items():
            expected, took, statements = undisturbed(feed, f"{folder}/{mode}.db", found)
            sizes = {table: len(rows) for table, rows in expected.items() if rows}
            say(f"{mode}: undisturbed {took:.1f} s, {statements:,} statements; {sizes}")

            def compare(path, what, expected=expected, mode=mode):
                left = content(path)
                for table in TABLES:
                    assert left[table] == expected[table], f"{mode}, {what}: {table} differs"
                check_events(path)
                for file in Path(folder).glob(f"{Path(path).name}*"):
                    file.unlink()

            for what, kill, mean in (
                ("statements", kill_at_statements, statements / 3),
                ("times", kill_at_times, took / 6),
            ):
                kills = rounds = 0
                while kills < options.kills / 2:
                    path = f"{folder}/{mode}-{what}-{rounds}.db"
                    kills += kill(feed, path, found, rng, mean)
                    rounds += 1
                    compare(path, f"killed at random {what}")
                say(f"{mode}: killed {kills} times at random {what}, in {rounds} runs: identical")
            path = f"{folder}/{mode}-flaky.db"
            # A run from a file ends with the first failure, a keeper goes on.
            chance = 3 / statements if mode == "file" else 0.02
            failures = trip(feed, path, found, options.seed, chance)
            compare(path, "database failing")
            say(f"{mode}: database failed {failures} times: identical")
            path = f"{folder}/{mode}-full.db"
            starts = starve(feed, path, found)
            compare(path, "disk full")
            say(f"{mode}: disk full {starts - 1} times: identical")


if __name__ == "__main__":
    main()
