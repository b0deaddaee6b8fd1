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
from scstory.store.correction_records import CorrectionRequest
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
    ahead = replace(found[20], id="ahead", published=found[-1].published + timedelta(days=900))
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

    def drain():
        while writer.step(limit):
            pass

    begin = 0
    for end in ends(len(found), chunk):
        insist(lambda some=found[begin:end]: store.accept(some))
        insist(lambda: writer.step(limit))
        for asked in corrections_at(end, len(found)):
            insist(drain)
            insist(lambda asked=asked: ask_once(store, *asked))
        begin = end
    insist(drain)
    insist(writer.finish)
    store.close()


def ends(count, chunk):
    """Return where the chunks of a stream end, so that corrections come between two of them."""
    return sorted({*range(chunk, count, chunk), *_places(count), count})


def corrections_at(place, count):
    """Return what a person asks for after so many articles: its number and how to find it."""
    return _places(count).get(place, ())


def ask_once(store, number, find):
    """Ask for a correction, unless that was done before a kill."""
    if store.correction(number) is None:
        store.ask(CorrectionRequest(editor="Ann", **find(store)))


def _places(count):
    if count < 30:
        return {}  # too few stories
    return {
        count // 3: ((1, _split), (2, _rename)),
        count // 2: ((3, _move), (4, _merge), (5, _hide)),
        2 * count // 3: ((6, _undo_merge), (7, _split_past)),
    }


def _largest(store):
    return sorted(store.stories(), key=lambda story: (-story.size, story.id))


def _split(store):
    story = _largest(store)[0]
    return {"kind": "split", "story": story.id, "articles": story.articles[-1:]}


def _rename(store):
    return {"kind": "rename", "story": _largest(store)[0].id, "title": "Named by a person"}


def _move(store):
    one, other = _largest(store)[:2]
    return {"kind": "move", "target": one.id, "articles": other.articles[-1:]}


def _merge(store):
    one, *_, other = _largest(store)
    return {"kind": "merge", "story": other.id, "target": one.id}


def _hide(store):
    return {"kind": "hide", "story": _largest(store)[1].id}


def _undo_merge(store):
    return {"kind": "undo", "undoes": 4}


def _split_past(store):
    story = _largest(store)[0]
    return {"kind": "split", "story": story.id, "articles": story.articles[:1]}


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
