"""A keeper in a process of its own: ``python -m tests.store.keeping ADDRESS ARTICLES SECONDS``.

It stands by until it can decide, prints what it decides, and goes on until told to stop.
"""

import json
import signal
import sys
import threading
from datetime import timedelta

import torch

from scstory.runners import Keeper
from scstory.store import lease, open_store
from tests.crash.stream import articles, clock, make_engine


def main(address, count, seconds):
    torch.set_num_threads(1)
    lease.SECONDS, lease.MOMENT = float(seconds), 0.2
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    store = open_store(address)

    def say(kind, value):
        sys.stdout.write(json.dumps({kind: value}) + "\n")
        sys.stdout.flush()

    keeper = Keeper(
        make_engine(),
        store,
        clock=clock(articles(int(count))),
        grace=timedelta(days=10_000),  # no slide is closed because nothing comes
        stand_by=True,
        on_slide=lambda slide: say("decided", [m.article.id for m in slide.articles]),
        on_problem=lambda article, problem: say("problem", problem),
    )
    say("began", store.keeping())
    keeper.run(stop, poll=0.1)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
