"""NewsAPI's `everything`: the address of a query, and the articles of an answer.

An answer is `{"status", "totalResults", "articles"}`.
"""

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from scstory.errors import BadItem, FetchError
from scstory.feeds.article import date_or_none
from scstory.feeds.entries import Entry, Listing, entry_id, make_listing, plausible, web_url
from scstory.feeds.newsapi_article import article_fields
from scstory.feeds.plain_text import decode, one_line, strip_markup

KEY_VARIABLE = "NEWSAPI_KEY"
NEWSAPI_PREFIX = "newsapi:"
ANSWER_SIZE = 100


def query_url(base: str, query: str, *, page: int = 1) -> str:
    """Return the address that answers a query, the newest articles first.

    >>> query_url("https://newsapi.org/v2/everything", "river AND flood")
    'https://newsapi.org/v2/everything?q=river+AND+flood&sortBy=publishedAt&pageSize=100&page=1'
    """
    parameters = {"q": query, "sortBy": "publishedAt", "pageSize": ANSWER_SIZE, "page": page}
    return f"{base}?{urlencode(parameters)}"


def newsapi_key() -> str:
    """Return the key for NewsAPI; raise FetchError where there is none."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise FetchError(f"newsapi: needs a key from newsapi.org in the variable {KEY_VARIABLE}")
    return key


def read_answer(body: bytes, name: str, *, max_items: int = ANSWER_SIZE) -> tuple[Listing, int]:
    """Return the articles of an answer and the total of results; raise BadItem if it is none."""
    try:
        answer = json.loads(decode(body))
    except (ValueError, RecursionError):
        raise BadItem("the answer is broken JSON") from None
    articles = answer.get("articles") if isinstance(answer, dict) else None
    if not isinstance(articles, list):
        raise BadItem(failure(answer))
    total = answer.get("totalResults")
    listing = make_listing(name, articles, _entry, title=name, max_items=max_items)
    return listing, total if isinstance(total, int) else len(articles)


def _entry(place: str, record: Any) -> Entry:
    fields = article_fields(record)
    url = web_url(fields["url"])
    title, text, source = (
        fields[name] if isinstance(fields[name], str) else ""
        for name in ("title", "text", "source")
    )
    title, text = one_line(strip_markup(title)), strip_markup(text)
    date = plausible(date_or_none(fields["date"]))
    id_ = entry_id(None, url, "newsapi", title, text)
    return Entry(place, id_, title, text, url, date, one_line(source))


def is_answer(record: Mapping[str, Any]) -> bool:
    """Return whether a record is an answer of NewsAPI, an error included."""
    return "status" in record and ("articles" in record or "code" in record)


def failure(answer: Any) -> str:
    """Return the reason why an answer has no articles."""
    if not isinstance(answer, dict) or answer.get("status") != "error":
        return "no answer with a list of articles"
    reason = one_line(str(answer.get("message") or answer.get("code")))[:300]
    return f"the answer is an error ({reason}); ask again"
