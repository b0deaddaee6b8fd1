"""Signing in on the pages, and what forms must show; every claim is tried against the real app."""

import pytest
from starlette.testclient import TestClient

from scstory.serve import make_app
from scstory.serve.sessions import MAX_FAILURES, Sessions
from tests.serve.conftest import TOKEN, signed_in, writing

HTML = {"accept": "text/html"}


def test_the_token_is_asked_for_once_and_leads_back(writer):
    page = writer.get("/sign-in", params={"next": "/stories/1?cursor=x"})
    assert 'value="/stories/1?cursor=x"' in page.text
    answer = writer.post(
        "/sign-in", data={"token": TOKEN, "next": "/stories/1"}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/stories/1")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert TOKEN not in cookie
    assert "Sign out" in writer.get("/").text
    again = writer.get("/sign-in", params={"next": "/map"}, follow_redirects=False)
    assert again.headers["location"] == "/map"


def test_the_cookie_is_for_tls_alone_where_there_is_tls(db):
    with (
        writing(db) as service,
        TestClient(make_app(service), base_url="https://127.0.0.1") as client,
    ):
        answer = client.post("/sign-in", data={"token": TOKEN}, follow_redirects=False)
    assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("to", ["//evil.example/", "https://evil.example/", "/\\evil", "x", "/\n"])
def test_it_leads_nowhere_else(writer, to):
    answer = writer.post("/sign-in", data={"token": TOKEN, "next": to}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_a_wrong_token_is_refused_and_too_many_of_them_are_not_even_read(writer):
    for _ in range(MAX_FAILURES):
        answer = writer.post("/sign-in", data={"token": "wrong", "next": "/map"})
        assert answer.status_code == 401
        assert "This is not the token" in answer.text
        assert 'value="/map"' in answer.text
    answer = writer.post("/sign-in", data={"token": TOKEN})
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 61
    assert "too many wrong tokens" in answer.text
    assert "Sign out" not in writer.get("/").text


def test_other_addresses_may_go_on_but_not_those_of_the_same_site(db):
    sessions = Sessions(TOKEN)
    for number in range(MAX_FAILURES):
        assert not sessions.accepts("wrong", f"2001:db8::{number}")
    assert sessions.accepts(TOKEN, "2001:db8:1::1")
    assert sessions.accepts(TOKEN, "192.0.2.1")
    with pytest.raises(Exception, match="too many"):
        sessions.accepts(TOKEN, "2001:db8::ffff")


@pytest.mark.parametrize("cookie", ["", "x", "1.2.3", "9999999999.x.", "€.é.ü", "9" * 5000])
def test_a_forged_cookie_is_no_session(writer, cookie):
    assert Sessions(TOKEN).read(cookie) is None
    page = writer.get("/about", headers={"cookie": b"editor=" + cookie.encode()})
    assert page.status_code == 200
    assert "Sign out" not in page.text


def test_a_session_is_of_one_token_and_ends(monkeypatch):
    sessions = Sessions(TOKEN)
    cookie = sessions.begin()
    assert Sessions("another-token").read(cookie) is None
    session = Sessions(TOKEN).read(cookie)  # after a restart
    assert session.form_token == sessions.read(cookie).form_token
    monkeypatch.setattr("scstory.serve.sessions.time.time", lambda: session.expires + 1)
    assert sessions.read(cookie) is None


def test_a_form_needs_the_session_and_its_token(writer):
    token = signed_in(writer)
    for data in ({}, {"form_token": ""}, {"form_token": "x" * 64}, {"form_token": "é"}):
        refused = writer.post("/sign-out", data=data, headers=HTML)
        assert refused.status_code == 403
        assert "nothing was done" in refused.text
    foreign = writer.post(
        "/sign-out", data={"form_token": token}, headers={"sec-fetch-site": "cross-site"}
    )
    assert foreign.status_code == 403
    kept = dict(writer.cookies)
    out = writer.post("/sign-out", data={"form_token": token})
    assert "You are signed out." in out.text
    assert "You are signed out." not in writer.get("/").text  # said once
    writer.cookies.update(kept)
    assert "Sign out" not in writer.get("/").text  # the old cookie is of no use
    refused = writer.post("/sign-out", data={"form_token": token}, headers=HTML)
    assert refused.status_code == 401
    assert "sign in" in refused.text


def test_readers_never_get_an_editors_page(writer):
    writer.get("/")
    token = signed_in(writer)
    page = writer.get("/")
    assert token in page.text
    assert page.headers["cache-control"] == "private, no-cache"
    assert "etag" not in page.headers
    writer.cookies.clear()
    page = writer.get("/")
    assert token not in page.text
    assert "Sign in" in page.text


def test_nobody_signs_in_where_nothing_can_be_written(reader):
    assert reader.get("/sign-in", headers=HTML).status_code == 403
    assert reader.post("/sign-in", data={"token": "x"}).status_code == 403
    assert "Sign in" not in reader.get("/").text
