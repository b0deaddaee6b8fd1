"""Small streams, and the encoders tests share."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

# Before anything imports the hub's client: tests reach nothing but this machine.
os.environ["HF_HUB_OFFLINE"] = "1"
# Before anything starts threads: those with nothing to do sleep, where others need the core.
os.environ |= {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "OPENBLAS_NUM_THREADS": "1"}
# Before anything starts processes: where tests run in the background, Ctrl-C would be ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Before anything uses Ray: a process keeps the token it had then.
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)

import pytest
import torch

from scstory.types import Article
from scstory.vectors import Encoder, default_encoder
from scstory.vectors.hashing import HashingEncoder
from tests.postgres import Server
from tests.web import Site

torch.set_num_threads(2)

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
TOPICS = {
    "flood": "river bank water homes evacuated rain dam flooded rescue boats shelter",
    "trial": "court jury judge prosecutor witness verdict defence fraud bank testimony",
    "comet": "probe comet orbit antenna signal mission control flight camera dust",
    "strike": "union walkout pay crews ferry talks pension roster deal vote",
}


def make_article(number: int, topic: str, *, day: float = 0, sentences: int = 4) -> Article:
    """Return an article of a topic: each sentence takes some of the topic's words."""
    words = TOPICS[topic].split()
    body = [
        " ".join(words[(number * 3 + i * 5 + k) % len(words)] for k in range(6)).capitalize() + "."
        for i in range(sentences)
    ]
    return Article(
        id=f"{topic}-{number}",
        published=START + timedelta(days=day, minutes=number),
        title=f"{topic.capitalize()} news {words[number % len(words)]} {words[-1]}",
        text=" ".join(body),
        source="Test Wire",
    )


def make_stream(
    days: int = 12, topics: tuple[str, ...] = ("flood", "trial", "comet")
) -> list[Article]:
    """Return a stream of two articles of every topic a day; the last topic ends halfway."""
    stream = []
    for day in range(days):
        for topic in topics:
            if topic == topics[-1] and day >= days // 2:
                continue
            stream.append(make_article(day * 2, topic, day=day))
            stream.append(make_article(day * 2 + 1, topic, day=day))
    return sorted(stream, key=lambda article: article.published)


@pytest.fixture
def hashing() -> HashingEncoder:
    return HashingEncoder(dim=64)


@pytest.fixture(scope="session")
def minilm() -> Encoder:
    return default_encoder(threads=2)


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on loopback."""
    server = Site()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of our own."""
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def path(request, tmp_path) -> Iterator[str]:
    """The name of a database that is not there yet, of each kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "s.db")
        return
    server = request.getfixturevalue("postgres")
    address = server.make()
    yield address
    server.drop(address)
