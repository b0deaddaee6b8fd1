"""A store with threads, sections and an article that is also about another story.

It holds the bundled sample, and a round-up: an article on the measles with one on the ferries.
"""

from contextlib import closing
from dataclasses import replace

from scstory.runners import Writer
from scstory.sample import load_sample
from scstory.store import open_store
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import engine_with

ROUND_UP = "round-up"


def articles():
    """Return the articles in the order of time."""
    of = {
        label: [item.article for item in load_sample() if item.label == label]
        for label in ("measles-outbreak", "ferry-strike")
    }
    host = max(of["measles-outbreak"], key=lambda article: article.published)
    earlier = [a for a in of["ferry-strike"] if a.published < host.published]
    guest = max(earlier, key=lambda article: article.published)
    title, text = f"Round-up: {host.title}", f"{host.text} {guest.text}"
    made = replace(host, id=ROUND_UP, title=title, text=text)
    every = [*(item.article for item in load_sample()), made]
    return sorted(every, key=lambda article: article.published), guest.id


def survey(address, *, step=256):
    """Have a writer decide the articles, so many at a time; return the store's address."""
    stream, _ = articles()
    with closing(open_store(address)) as store:
        engine = engine_with(HashingEncoder(dim=64), seed=1)
        writer = Writer(engine, store, clock=lambda: stream[-1].published)
        store.accept(stream)
        while writer.step(step):
            pass
        writer.finish()
    return address
