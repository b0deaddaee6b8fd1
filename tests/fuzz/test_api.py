"""The service: any body, path, query and header gets an answer that is no failure of ours."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st
from starlette.testclient import TestClient

from scstory.serve import Service, make_app
from scstory.store import open_store
from scstory.store.store_reader import SharedReader
from scstory.store.webhooks import Webhooks
from tests.fuzz.inputs import anything, damaged, fuzz, json_values, texts
from tests.fuzz.test_files import FIELDS, LINES
from tests.fuzz.test_stored import database
from tests.serve.conftest import AUTHORISED, TOKEN

HOOK = b'{"url": "https://a.example/hook", "events": ["story.founded"], "secret": "x"}'
PATHS = [
    "/",
    "/map",
    "/search",
    "/stories/1",
    "/articles/flood-1",
    "/about",
    "/api",
    "/feed.xml",
    "/feed.json",
    "/metrics",
    "/healthz",
    "/readyz",
    "/api/stories",
    "/api/stories/1",
    "/api/stories/0",
    "/api/stories/x",
    "/api/stories/1/articles",
    "/api/map",
    "/api/articles/flood-1",
    "/api/articles/flood-1/explanation",
    "/api/webhooks",
    "/openapi.json",
]
QUERIES = [
    "q",
    "since",
    "until",
    "sort",
    "state",
    "limit",
    "cursor",
    "after",
    "min_size",
    "source",
    "page",
    "number",
    "x",
]
VALUES = [
    "", "0", "-1", "1", "9" * 20, "nan", "inf", '"', "*", "a OR", "NEAR(", "é", "2026-03-03",
    "9999-12-31T23:59:59-23:59", "momentum", "relevance", "active", "true", "null", "\0",
]  # fmt: skip
HEADERS = [
    "If-None-Match",
    "Accept",
    "Accept-Encoding",
    "Range",
    "Cookie",
    "Last-Event-ID",
    "Content-Type",
    "Authorization",
]

headers = st.dictionaries(
    st.sampled_from(HEADERS),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
    max_size=2,
)


@pytest.fixture(scope="module")
def client():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.db"
        path.write_bytes(database())
        inbox = open_store(str(path))
        service = Service(
            SharedReader(str(path)), token=TOKEN, inbox=inbox, hooks=Webhooks(str(path))
        )
        with TestClient(make_app(service), base_url="http://127.0.0.1") as made:
            yield made
        inbox.close()


def trial(client):
    """Give the answer to a request; one that cannot even be sent has none."""

    def ask(method, path, **options):
        answer = client.request(method, path, follow_redirects=False, **options)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        if answer.headers.get("content-type", "").startswith("application/json"):
            answer.json()

    return ask


def test_any_body(client):
    @fuzz(
        st.sampled_from(["/api/articles", "/api/webhooks", "/api/match"]),
        damaged(LINES, b"[" + LINES.replace(b"\n", b",") + b"]", HOOK),
    )
    def ask(path, body):
        trial(client)("POST", path, content=body, headers=AUTHORISED)

    ask()


def test_any_record(client):
    @fuzz(st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values), max_size=3))
    def ask(records):
        body = json.dumps(records).encode()
        trial(client)("POST", "/api/articles", content=body, headers=AUTHORISED)

    ask()


def test_any_question(client):
    @fuzz(
        st.sampled_from(PATHS),
        st.dictionaries(st.sampled_from(QUERIES), st.sampled_from(VALUES) | texts, max_size=4),
        headers,
    )
    def ask(path, query, sent):
        trial(client)("GET", path, params=query, headers=sent)

    ask()


def test_any_path(client):
    from urllib.parse import quote

    @fuzz(
        st.sampled_from(["/", "/story/", "/api/stories/", "/api/articles/", "/static/"]), anything
    )
    def ask(folder, name):
        path = quote(name.encode("utf-8", "surrogatepass"), safe="/.")
        trial(client)("GET", f"http://127.0.0.1{folder}{path}")

    ask()
