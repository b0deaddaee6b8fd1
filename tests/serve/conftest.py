"""Stores with stories in them, and services over them: in this process, or on a real port."""

import random
import re
import shutil
import socket
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import groupby

import httpx2
import pytest
import torch
import uvicorn
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

from scstory.config import FeedSettings
from scstory.runners import Writer
from scstory.serve import Service, make_app
from scstory.serve.background import WriterThread
from scstory.store import open_store
from scstory.store.store_reader import SharedReader
from scstory.store.transfer import export_lines, import_lines
from scstory.store.webhooks import Webhooks
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, engine_with, make_article
from tests.postgres import name_of
from tests.serve.browsing import CHROMIUM, FLAGS
from tests.surveyed import survey

TOKEN = "a-token-for-tests"
NOWHERE = FeedSettings(proxy="http://127.0.0.1:9", host_interval=0)
"""Settings with which nothing of the web can be reached, whatever address is asked for."""
AUTHORISED = {"Authorization": f"Bearer {TOKEN}"}


def tell(number, topic, *, day=0):
    """Return an article of a topic that no other repeats: half of its words are its own."""
    article = make_article(number, topic, day=day)
    draw = random.Random(f"{topic} {number}")
    own = ["".join(draw.choices("bdfgklmnprstvz", k=3)) + draw.choice("aeiou") for _ in range(30)]
    added = [" ".join(own[i : i + 6]).capitalize() + "." for i in range(0, 30, 6)]
    return replace(article, text=f"{article.text} {' '.join(added)}")


def stream():
    """Return two articles of every topic a day; the comet's story ends halfway."""
    numbers = [(2 * day + i, topic, day) for day in range(12) for i in (0, 1) for topic in TOPICS]
    return [
        tell(number, topic, day=day)
        for number, topic, day in numbers
        if topic != "comet" or day < 4
    ]


TOPICS = ("flood", "trial", "comet")


def make_engine():
    return engine_with(HashingEncoder(dim=64), seed=1)


def tell_all(address):
    """Have a writer decide the test stream, day by day."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for so little work more threads mostly wait for each other
    store = open_store(address)
    now = [START]
    writer = Writer(make_engine(), store, clock=lambda: now[0])
    for _, day in groupby(stream(), key=lambda article: article.published.date()):
        articles = list(day)
        now[0] = articles[-1].published
        store.accept(articles)
        writer.drain()
    writer.close_if_due()
    store.close()
    torch.set_num_threads(threads)
    return address


@cache
def made_once(make, folder):
    """Make a store in a folder, if no other file of tests has asked for it; return its path."""
    return make(str(folder / f"{make.__name__}.db"))


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """Return the path of a store that holds the test stream."""
    return made_once(tell_all, tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def told_server(told, postgres):
    """Return the address of such a store on a server."""
    return copy_to(postgres.make(), told)


@pytest.fixture(scope="session")
def surveyed(tmp_path_factory):
    """Return the path of a store that has threads, sections and mentions; only read it."""
    return made_once(survey, tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def surveyed_server(surveyed, postgres):
    """Return the address of the same store on a server; only read it."""
    return copy_to(postgres.make(), surveyed)


def copy_to(address, path):
    """Have a store hold what another one holds; return its address."""
    with closing(open_store(path)) as store, closing(open_store(address)) as copy:
        lines = store.db.read(lambda: list(export_lines(store.db)))
        copy.db.write(lambda: import_lines(copy.db, lines, name=path))
    return address


@pytest.fixture
def file_db(told, tmp_path):
    """Return the path of a copy of that store, to be written to."""
    copy = tmp_path / "copy.db"
    shutil.copy(told, copy)
    return str(copy)


@pytest.fixture(scope="session")
def told_server_copy(told_server, postgres):
    """Return the address of a copy for reading only; nobody may be connected to what is copied."""
    return postgres.make(name_of(told_server))


@pytest.fixture
def server_db(told_server, postgres):
    """Return the address of a copy of the one on the server."""
    address = postgres.make(name_of(told_server))
    yield address
    postgres.drop(address)


@pytest.fixture(params=["file", "server"])
def any_db(request):
    """Return the name of a copy of that store, of each kind."""
    return request.getfixturevalue(f"{request.param}_db")


@pytest.fixture
def db(file_db):
    """Return the store that services are over; modules that try all kinds say otherwise."""
    return file_db


def reading(path):
    """Return a client of a service that only reads a store."""
    return TestClient(make_app(Service(SharedReader(path))), base_url="http://127.0.0.1")


@pytest.fixture
def reader(db):
    """Return a client of a service that only reads."""
    with reading(db) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    """Return a browser, in which every test opens windows of its own.

    It runs an event loop in this thread, so it may not outlive a module.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def writing(path, **options):
    """Run a service with a writer on a store; give the service."""
    store, inbox = open_store(path), open_store(path)
    writer = WriterThread(make_engine_of(store), store, **options)
    service = Service(
        SharedReader(path),
        token=TOKEN,
        inbox=inbox,
        writer=writer,
        hooks=Webhooks(path),
        feeds=NOWHERE,
        allow_private=True,
    )
    try:
        yield service
    finally:
        writer.stop()
        inbox.close()
        store.close()


def make_engine_of(store):
    engine = make_engine()
    if state := store.state():
        engine.restore(state)
    return engine


@pytest.fixture
def writer(db):
    """Return a client of a service that decides on what is posted."""
    with (
        writing(db) as service,
        TestClient(make_app(service), base_url="http://127.0.0.1") as client,
    ):
        yield client


@contextmanager
def listening(service):
    """Serve on a real port of the loopback; give the address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(service), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        until(lambda: server.started)
        yield address
    finally:
        service.hub.close()
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive()


@pytest.fixture
def address(db):
    """Return the address of a service with a writer, on a real port."""
    with writing(db) as service, listening(service) as address:
        yield address


def until(condition, seconds=20.0):
    """Wait for a condition; return what it gave."""
    end = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def record_of(article, **changes):
    """Return an article as it is posted."""
    return {
        "id": article.id,
        "date": article.published.isoformat(),
        "title": article.title,
        "text": article.text,
        "source": article.source,
        **changes,
    }


def post(address, records):
    return httpx2.post(f"{address}/api/articles", json=records, headers=AUTHORISED)


def as_time(value):
    return datetime.fromisoformat(value)


def signed_in(client):
    """Sign in as a browser does; return the token that the forms of the session carry."""
    answer = client.post("/sign-in", data={"token": TOKEN, "next": "/"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return form_token(client)


def form_token(client):
    return re.search(r'name="form_token" value="([^"]+)"', client.get("/about").text)[1]
