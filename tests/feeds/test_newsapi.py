"""NewsAPI's answers, and asking for them."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.config import FeedSettings
from scstory.errors import BadItem, SourceError
from scstory.feeds import SourceOptions, open_source
from scstory.feeds.newsapi import read_answer
from tests.web import LOCAL, LONG, Answer, page


def article(number, **changes):
    return {
        "source": {"id": None, "name": "The Wire"},
        "author": None,
        "title": f"Headline {number}",
        "description": "The river rose.",
        "url": f"https://wire.example/{number}",
        "publishedAt": f"2026-03-03T06:{number % 60:02}:00Z",
        "content": "The river rose. Homes were… [+1200 chars]",
        **changes,
    }


def answer(*articles, **changes):
    return json.dumps(
        {"status": "ok", "totalResults": len(articles), "articles": list(articles), **changes}
    ).encode()


def test_an_answer():
    listing, total = read_answer(answer(article(1), article(2, title="[Removed]")), "newsapi:x")
    (entry,) = listing.entries
    assert total == 2
    assert (entry.id, entry.title, entry.source) == ("wire.example/1", "Headline 1", "The Wire")
    assert entry.text == "The river rose. Homes were"
    assert entry.published.isoformat() == "2026-03-03T06:01:00+00:00"
    assert [problem.problem for problem in listing.problems] == ["removed by its publisher"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "broken JSON"),
        (b"[]", "no answer"),
        (b'{"status":"ok"}', "no answer"),
        (b'{"status":"error","code":"x","message":"Your API key is invalid."}', "key is invalid"),
    ],
)
def test_what_is_no_answer_is_said_so(body, reason):
    with pytest.raises(BadItem, match=reason):
        read_answer(body, "x")


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("NEWSAPI_KEY", "k3y")


def source(site, query="newsapi:river", **changes):
    given = {**LOCAL.model_dump(), "newsapi_url": f"{site.url}/v2/everything", **changes}
    return open_source(query, SourceOptions(FeedSettings(**given)))


def test_a_query_is_asked_page_by_page_with_the_key_and_filled_up_from_the_pages(site, key):
    site.pages["/a"] = page("Headline 1", *LONG)

    def everything(request):
        if "page=2" in request.path:
            return Answer(answer(article(1, url=f"{site.url}/a"), totalResults=101))
        rest = [article(n + 100, url=f"{site.url}/none/{n}") for n in range(100)]
        return Answer(answer(*rest, totalResults=101))

    site.pages["/v2/everything"] = everything
    items = list(source(site))
    assert len(items) == 101
    full = next(item.article for item in items if item.article.url.endswith("/a"))
    assert full.text == "\n".join(LONG)
    asked = [request for request in site.requests if request.path.startswith("/v2")]
    assert [request.headers["x-api-key"] for request in asked] == ["k3y", "k3y"]
    assert "q=river" in asked[0].path
    assert not any(r.headers.get("x-api-key") for r in site.requests if r not in asked)
    dates = [item.article.published for item in items]
    assert dates == sorted(dates)


def test_an_account_that_may_not_ask_for_more_keeps_what_it_got(site, key):
    def everything(request):
        if "page=2" in request.path:
            return Answer(b'{"status":"error","code":"maximumResultsReached"}', 426)
        return Answer(
            answer(*(article(n, url=f"{site.url}/{n}") for n in range(100)), totalResults=5_000)
        )

    site.pages["/v2/everything"] = everything
    opened = source(site)
    problem, *articles = opened
    assert len(articles) == 100
    assert problem.problem == (
        "5,000 results, of which 100 could be read (answered 426 Upgrade Required)"
    )
    assert opened.complete


def test_an_error_of_the_service_is_told_without_the_key(site, key):
    site.pages["/v2/everything"] = Answer(b'{"status":"error","code":"x"}', 401)
    opened = source(site)
    (item,) = opened
    assert item.problem == "answered 401 Unauthorized"
    assert not opened.complete


def test_without_key_or_query_it_does_not_start(site, monkeypatch):
    monkeypatch.delenv("NEWSAPI_KEY", raising=False)
    with pytest.raises(
        SourceError, match="needs a key from newsapi.org in the variable NEWSAPI_KEY"
    ):
        source(site)
    monkeypatch.setenv("NEWSAPI_KEY", "k3y")
    with pytest.raises(SourceError, match="no query"):
        source(site, "newsapi: ")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(["source", "title", "description", "url", "publishedAt", "content"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(NAMES, VALUES) | VALUES, max_size=4), VALUES)
def test_any_articles(articles, total):
    listing, _ = read_answer(answer(*articles, totalResults=total), "x")
    assert all(0 < len(entry.id) <= 500 for entry in listing.entries)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes(body):
    with suppress(BadItem):
        read_answer(body, "x")
