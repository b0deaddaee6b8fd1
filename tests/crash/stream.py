"""A stream with all that makes trouble, and the two ways to feed it."""

import json
import signal
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from scstory.discovery import StoryDiscovery
from scstory.errors import StoreError
from scstory.feeds import open_source
from scstory.runners import Keeper, run
from scstory.sample import load_sample
from scstory.store import lease, open_store
from scstory.vectors.hashing import HashingEncoder

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
    late = replace(found[5], id="late", text=" ".join(reversed(found[5].text.split(". "))))
    copy = replace(found[20], id="copy", title="Another headline", source="Elsewhere")
    page = replace(found[9], id="page", url="https://example.com/a?utm_source=x", text="Short.")
    same_page = replace(page, id="same page", url="http://www.example.com/a/", text="Shorter.")
    odd = replace(found[15], id="odd", text=UNENCODABLE)
    ahead = replace(found[30], id="ahead", published=found[-1].published + timedelta(days=900))
    placed = {50: late, 24: copy, 12: page, 14: same_page, 17: odd, len(found): ahead}
    for place, article in placed.items():
        found.insert(place, article)
    return found


def clock(found):
    """Return what time it is in the stream: just after its end."""
    last = max(article.published for article in found if article.id != "ahead")
    return lambda: last + timedelta(days=1)


def make_engine():
    return StoryDiscovery(encoder=Picky(dim=64), batch=16)


def open_kept(path):
    """Open a store and the engine it was left with."""
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
    store, engine = open_kept(path)
    run([open_source(str(Path(folder) / FILE))], engine, store)
    store.close()


def feed_inbox(path, found, folder, *, chunk=7, limit=5):
    """Offer the stream in chunks, and decide in between; go on when the store fails."""
    store, engine = open_kept(path)
    keeper = Keeper(engine, store, clock=clock(found))

    def insist(action):
        while True:
            try:
                return action()
            except StoreError as error:
                if "disk" in str(error):  # is full
                    raise

    for start in range(0, len(found), chunk):
        insist(lambda start=start: store.accept(found[start : start + chunk]))
        insist(lambda: keeper.step(limit))
    while insist(lambda: keeper.step(limit)):
        pass
    insist(keeper.finish)
    store.close()


def keep(path, found, *, seconds=1.0):
    """Decide on what others offer, or stand by to, until told to stop."""
    lease.SECONDS, lease.MOMENT = seconds, 0.1
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    store, forever = open_store(path), timedelta(days=10_000)
    keeper = Keeper(make_engine(), store, clock=clock(found), grace=forever, stand_by=True)
    keeper.run(stop, poll=0.1)
    store.close()


def finish(store, found):
    """Close the slide that is still open."""
    engine = make_engine()
    engine.restore(store.state())
    Keeper(engine, store, clock=clock(found)).finish()


FEEDS = {"file": feed_file, "inbox": feed_inbox}
