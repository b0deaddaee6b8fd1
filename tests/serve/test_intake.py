"""Articles posted, and texts placed."""

import json

import pytest

from scstory.store import open_store
from tests.serve.conftest import AUTHORISED, record_of, tell, until


@pytest.fixture
def db(any_db):
    return any_db


def post(client, body, **headers):
    return client.post("/api/articles", json=body, headers={**AUTHORISED, **headers})


def test_a_posted_article_is_safe_and_soon_decided_on(writer, db):
    article = tell(50, "flood", day=12)
    answer = post(writer, record_of(article))
    assert answer.status_code == 202
    assert answer.json()["receipts"] == [
        {"article": "flood-50", "status": "accepted", "of": None, "reason": None}
    ]
    store = open_store(db, create=False)
    kept = store.article("flood-50") or any(a.id == "flood-50" for a in store.pending(10))
    store.close()
    assert kept
    decided = until(lambda: writer.get("/api/articles/flood-50").json().get("story"))
    assert "flood" in writer.get(f"/api/stories/{decided}").json()["title"].lower()


def test_every_article_gets_its_receipt(writer):
    good, bad = tell(51, "trial", day=12), {"id": "x", "title": "no text or date"}
    odd = [
        7,
        None,
        {"id": ["list"]},
        {"id": "\ud800", "date": "2026-03-01", "title": "", "text": "t"},
    ]
    body = json.dumps([record_of(good), bad, record_of(good), *odd]).encode()
    answer = writer.post("/api/articles", content=body, headers=AUTHORISED)
    assert answer.status_code == 202
    receipts = answer.json()["receipts"]
    statuses = [receipt["status"] for receipt in receipts]
    assert statuses == ["accepted", "rejected", "known", *["rejected"] * 4]
    assert "missing date, text" in receipts[1]["reason"]
    assert all(receipt["reason"] for receipt in receipts if receipt["status"] == "rejected")


def test_a_copy_is_one_more_source(writer):
    original = writer.get("/api/articles/flood-23").json()
    copy = record_of(tell(23, "flood", day=11), id="elsewhere", source="Other Wire")
    copy["text"], copy["title"] = original["text"], original["title"]
    receipt = post(writer, copy).json()["receipts"][0]
    assert (receipt["status"], receipt["of"]) == ("duplicate", "flood-23")
    found = until(lambda: writer.get("/api/articles/flood-23").json()["copies"])
    assert found[0]["source"] == "Other Wire"
    assert writer.get("/api/articles/elsewhere").json()["id"] == "flood-23"


def test_nothing_usable_is_an_error(writer):
    answer = post(writer, {"id": "x"})
    assert answer.status_code == 422
    assert answer.json()["receipts"][0]["status"] == "rejected"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"id": ' + b"9" * 5000 + b"}", 400),
        (b"[]", 422),
        (b"[" + b",".join([b"1"] * 1001) + b"]", 413),
    ],
    ids=["empty", "broken", "deep", "long number", "none", "too many"],
)
def test_bodies_that_cannot_be_meant(writer, body, status):
    answer = writer.post("/api/articles", content=body, headers=AUTHORISED)
    assert answer.status_code == status
    assert "\n" not in answer.json()["detail"]


def test_a_body_too_long_is_refused_unread(writer):
    answer = writer.post("/api/articles", content=b" " * 17_000_000, headers=AUTHORISED)
    assert answer.status_code == 413

    def pieces():
        for _ in range(40):
            yield b" " * 1_000_000

    answer = writer.post("/api/articles", content=pieces(), headers=AUTHORISED)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}]
)
def test_without_the_token_nobody_writes(writer, header):
    for method, path in (
        ("POST", "/api/articles"),
        ("POST", "/api/webhooks"),
        ("GET", "/api/webhooks"),
        ("DELETE", "/api/webhooks/1"),
    ):
        answer = writer.request(method, path, headers=header)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_text_is_placed_and_not_kept(writer):
    counts = writer.get("/metrics").text
    known = tell(3, "flood")
    answer = writer.post("/api/match", json={"title": known.title, "text": known.text})
    assert answer.status_code == 200
    found = answer.json()
    assert "flood" in found["title"].lower()
    assert found["confidence"] > 0.5
    strange = {"text": "Zebras quietly knit umbrellas beneath violet accordion skies."}
    assert writer.post("/api/match", json=strange).json()["story"] is None
    for line in ("scstory_articles", "scstory_waiting"):
        wanted = next(x for x in counts.splitlines() if x.startswith(line + " "))
        assert wanted in writer.get("/metrics").text


def test_a_text_of_blanks_has_no_place(writer):
    assert writer.post("/api/match", json={"text": " \u0000 "}).status_code == 422
