"""NewsAPI's `everything`: what an answer is, and how one is asked for.

An answer is `{"status", "totalResults", "articles"}`, an article `{"source": {"id", "name"},
"author", "title", "description", "url", "urlToImage", "publishedAt", "content"}`. NewsAPI cuts
`content` after 200 characters and says so at its end; the rest is on the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from scstory.errors import BadItem
from scstory.feeds.article import parse_date
from scstory.feeds.entries import Entry, Listing, entry_id, make_listing, plausible, web_url
from scstory.feeds.plain import decode, one_line, strip_markup

KEY = "NEWSAPI_KEY"
"""The environment variable that holds the key."""
PREFIX = "newsapi:"
PAGE_SIZE = 100
REMOVED = "[Removed]"
_CUT = re.compile(r"\s*(…|\.\.\.)?\s*\[\+\d+ chars\]\s*$")


def query_url(base: str, query: str, *, page: int = 1) -> str:
    """Return the address that answers a query, the newest articles first.

    >>> query_url("https://newsapi.org/v2/everything", "river AND flood")
    'https://newsapi.org/v2/everything?q=river+AND+flood&sortBy=publishedAt&pageSize=100&page=1'
    """
    asked = {"q": query, "sortBy": "publishedAt", "pageSize": PAGE_SIZE, "page": page}
    return f"{base}?{urlencode(asked)}"


def read_answer(body: bytes, name: str, *, max_items: int = PAGE_SIZE) -> tuple[Listing, int]:
    """Return the articles of an answer, and how many there are in all; BadItem if it is none."""
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
    try:
        date = plausible(parse_date(str(fields["date"])))
    except BadItem:
        date = None
    return Entry(
        place, entry_id(None, url, "newsapi", title, text), title, text, url, date, one_line(source)
    )


def is_answer(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is an answer of NewsAPI, be it an error."""
    return "status" in record and ("articles" in record or "code" in record)


def article_fields(record: Any) -> dict[str, Any]:
    """Return the fields of an article by our names, as they came; BadItem if there is none."""
    if not isinstance(record, dict):
        raise BadItem("not a JSON object")
    if record.get("title") == REMOVED:
        raise BadItem("removed by its publisher")
    source = record.get("source")
    return {
        "date": record.get("publishedAt"),
        "title": record.get("title"),
        "text": _text(record.get("description"), record.get("content")),
        "url": record.get("url"),
        "source": source.get("name") if isinstance(source, dict) else None,
    }


def failure(answer: Any) -> str:
    """Return what is wrong with an answer that has no articles."""
    if not isinstance(answer, dict) or answer.get("status") != "error":
        return "no answer with a list of articles"
    reason = one_line(str(answer.get("message") or answer.get("code")))[:300]
    return f"the answer is an error ({reason}); ask again"


def _text(description: Any, content: Any) -> Any:
    """Return what there is of the text; the description is mostly how the content begins."""
    if not isinstance(content, str):
        return description if content is None else content
    content = _CUT.sub("", content)
    if isinstance(description, str) and (lead := description.strip().rstrip("….")):
        return content if lead in content else f"{description.strip()}\n{content}"
    return content
