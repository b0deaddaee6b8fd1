"""A stream with all that makes trouble, and the two ways to feed it."""

import json
import signal
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from scstory.errors import StoreError
from scstory.feeds import open_source
from scstory.runners import Writer, run
from scstory.sample import load_sample
from scstory.store import lease, open_store
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import engine_with

FILE = "stream.jsonl"
UNENCODABLE = "This sentence cannot be encoded."


class Picky(HashingEncoder):
    """An encoder that fails on one sentence."""

    def encode(self, sentences):
        if UNENCODABLE in sentences:
            raise ValueError("not this sentence")
        return super().encode(sentences)


def articles(count):
    """Return articles in the order they come: the sample, with late ones, copies and bad ones."""
    found = [item.article for item in load_sample()][:count]
    late = replace(found[5], id="late", text=" ".join(reversed(found[5].text.split())))
    copy = replace(found[20], id="copy", title="Another headline", source="Elsewhere")
    page = replace(found[9], id="page", url="https://example.com/a?utm_source=x", text="Short.")
    same_page = replace(page, id="same page", url="http://www.example.com/a/", text="Shorter.")
    odd = replace(found[15], id="odd", text=UNENCODABLE)
    ahead = replace(found[30], id="ahead", published=found[-1].published + timedelta(days=900))
    last = len(found)
    placed = {min(100, last - 3): late, 24: copy, 12: page, 14: same_page, 17: odd, last: ahead}
    for place, article in placed.items():
        found.insert(place, article)
    return found


def clock(found):
    """Return what time it is in the stream: just after its end."""
    last = max(article.published for article in found if article.id != "ahead")
    return lambda: last + timedelta(days=1)


def make_engine():
    return engine_with(Picky(dim=64), batch_size=16)


def open_claimed(path):
    """Open a store as its writer, and the engine with the state that it has."""
    store = open_store(path)
    store.claim()
    engine = make_engine()
    if state := store.state():
        engine.restore(state)
    return store, engine


def write(folder, found):
    """Write the stream to a file, after a line that is broken."""
    rows = [
        {
            "id": a.id,
            "date": a.published.isoformat(),
            "title": a.title,
            "text": a.text,
            "url": a.url,
            "source": a.source,
        }
        for a in found
    ]
    (Path(folder) / FILE).write_text("{broken\n" + "\n".join(map(json.dumps, rows)))


def feed_file(path, found, folder):
    """Feed the stream as a file, slide by slide."""
    store, engine = open_claimed(path)
    run([open_source(str(Path(folder) / FILE))], engine, store, clock=clock(found))
    store.close()


def feed_inbox(path, found, folder, *, chunk=7, limit=5):
    """Offer the stream in chunks, and decide in between; go on when the store fails."""
    store, engine = open_claimed(path)
    writer = Writer(engine, store, clock=clock(found))

    def insist(action):
        while True:
            try:
                return action()
            except StoreError as error:
                if "disk" in str(error):  # is full
                    raise

    for start in range(0, len(found), chunk):
        insist(lambda start=start: store.accept(found[start : start + chunk]))
        insist(lambda: writer.step(limit))
    while insist(lambda: writer.step(limit)):
        pass
    insist(writer.finish)
    store.close()


def write_until_stopped(path, found, *, seconds=1.0):
    """Decide what others offer, or stand by to do so, until told to stop."""
    lease.SECONDS, lease.INSIST_SECONDS = seconds, 0.1
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    store, forever = open_store(path), timedelta(days=10_000)
    writer = Writer(make_engine(), store, clock=clock(found), grace=forever, stand_by=True)
    writer.run(stop, poll=0.1)
    store.close()


def finish(store, found):
    """Close the slide that is still open."""
    engine = make_engine()
    engine.restore(store.state())
    Writer(engine, store, clock=clock(found)).finish()


FEEDS = {"file": feed_file, "inbox": feed_inbox}
