"""Images of articles, which the service fetches and readers' browsers do not."""

import sqlite3
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from starlette.testclient import TestClient

from scstory.config import FeedSettings
from scstory.serve import Service, make_app
from scstory.serve.images import Images, kind_of
from scstory.store.store_reader import SharedReader

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


@contextmanager
def outlet(content=PNG, kind="image/png"):
    """Serve an image; give its address and the requests for it."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(dict(self.headers))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/alder.png", requests
    finally:
        server.shutdown()
        server.server_close()


def illustrate(path, address):
    """Give all articles that a story has its title from an image; return the article and story."""
    database = sqlite3.connect(path)
    story, article = database.execute(
        "SELECT id, title_article FROM stories WHERE active = 1 ORDER BY id"
    ).fetchone()
    database.execute(
        "UPDATE articles SET image = ? WHERE id IN (SELECT title_article FROM stories)", (address,)
    )
    database.commit()
    database.close()
    return article, story


@contextmanager
def showing(db, settings=None):
    """Serve a database with images, as far as the settings of feeds permit; give a client."""
    images = Images(settings) if settings else None
    service = Service(SharedReader(db), images=images)
    with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
        yield client


def test_an_image_is_fetched_once_and_passed_on(db):
    with outlet() as (address, requests), showing(db, FeedSettings(allow_private=True)) as client:
        article, story = illustrate(db, address)
        for page in ("/", f"/stories/{story}", f"/articles/{article}"):
            shown = client.get(page).text
            assert f'<img class="picture" src="/images/{article}" alt=""' in shown
            assert address not in shown
        for _ in range(2):
            answer = client.get(f"/images/{article}", headers={"referer": "http://127.0.0.1/"})
            assert (answer.status_code, answer.content) == (200, PNG)
            assert answer.headers["content-type"] == "image/png"
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert len(requests) == 1
    assert {"Referer", "Cookie"}.isdisjoint(requests[0])


def test_without_the_setting_no_image_is_shown_or_fetched(db):
    with outlet() as (address, requests), showing(db) as client:
        article, story = illustrate(db, address)
        for page in ("/", f"/stories/{story}", f"/articles/{article}"):
            assert "<img" not in client.get(page).text
        assert client.get(f"/images/{article}").status_code == 404
    assert requests == []


def test_what_is_no_image_is_not_passed_on(db):
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    with (
        outlet(svg, "image/svg+xml") as (address, requests),
        showing(db, FeedSettings(allow_private=True)) as client,
    ):
        article, _ = illustrate(db, address)
        assert [client.get(f"/images/{article}").status_code for _ in range(2)] == [404, 404]
    assert len(requests) == 1  # it is remembered that there is none


def test_an_image_of_a_private_address_is_not_fetched(db):
    with outlet() as (address, requests), showing(db, FeedSettings()) as client:
        article, _ = illustrate(db, address)
        assert client.get(f"/images/{article}").status_code == 404
    assert requests == []


def test_an_article_without_an_image_and_one_that_is_not_there(db):
    with showing(db, FeedSettings()) as client:
        article, story = illustrate(db, None)
        assert "<img" not in client.get(f"/stories/{story}").text
        assert client.get(f"/images/{article}").status_code == 404
        assert client.get("/images/nobody").status_code == 404


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x20ftypavif", "image/avif"),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_an_image_is_known_by_its_first_bytes(content, kind):
    assert kind_of(content) == kind
