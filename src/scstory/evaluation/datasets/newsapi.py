"""Answers of NewsAPI's `everything`, for a case study: a file a query, a query a story.

An answer is `{"status", "totalResults", "articles"}`, an article `{"source": {"id", "name"},
"author", "title", "description", "url", "urlToImage", "publishedAt", "content"}`. A query of
several pages is one file of several answers (cat page-*.json > flood.json). NewsAPI cuts
`content` after 200 characters and says so at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scstory.errors import SourceError
from scstory.evaluation.datasets.base import Dataset, find_files, make_item
from scstory.evaluation.datasets.reading import peek, read_values
from scstory.feeds import Item
from scstory.feeds.files import OPENERS

WAY_OUT = "give a folder with the answers to a query in each file; see scstory data newsapi"
REMOVED = "[Removed]"
MAX_ID = 500
_CUT = re.compile(r"\s*(…|\.\.\.)?\s*\[\+\d+ chars\]\s*$")


def open_newsapi(path: str) -> Dataset:
    """Return the articles of a folder of answers, or of one file."""
    files = find_files(path, ("*.json",), WAY_OUT)
    for file in files:
        if not any(map(is_answer, peek(file, WAY_OUT))):
            raise SourceError(
                f"{file}: is no answer of NewsAPI with status and articles; {WAY_OUT}"
            )
    return Dataset("newsapi", lambda: _read(files))


def is_answer(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is an answer of NewsAPI, be it an error."""
    return "status" in record and ("articles" in record or "code" in record)


def _read(files: list[Path]) -> Iterator[Item]:
    for file in files:
        label = _stem(file)
        number = 0
        for _, answer, problem in read_values(file):
            articles = answer.get("articles") if isinstance(answer, dict) else None
            if not isinstance(articles, list):
                yield Item(f"{file}:{number + 1}", None, problem or _failure(answer))
                continue
            for record in articles:
                number += 1
                yield _article(f"{file}:{number}", label, number, record)


def _article(place: str, label: str, number: int, record: Any) -> Item:
    if not isinstance(record, dict):
        return Item(place, None, "not a JSON object")
    if record.get("title") == REMOVED:
        return Item(place, None, "removed by its publisher")
    url, source = record.get("url"), record.get("source")
    fields = {
        "id": url if isinstance(url, str) and 0 < len(url) <= MAX_ID else f"{label}-{number}",
        "date": record.get("publishedAt"),
        "title": record.get("title"),
        "text": _text(record.get("description"), record.get("content")),
        "url": url,
        "source": source.get("name") if isinstance(source, dict) else None,
    }
    return make_item(place, label, fields, {"date": "publishedAt", "text": "content"})


def _text(description: Any, content: Any) -> Any:
    """Return what there is of the text; the description is mostly how the content begins."""
    if not isinstance(content, str):
        return description if content is None else content
    content = _CUT.sub("", content)
    if isinstance(description, str) and (lead := description.strip().rstrip("….")):
        return content if lead in content else f"{description.strip()}\n{content}"
    return content


def _failure(answer: Any) -> str:
    if not isinstance(answer, dict) or answer.get("status") != "error":
        return "no answer with a list of articles"
    reason = " ".join(str(answer.get("message") or answer.get("code")).split())
    return f"the answer is an error ({reason}); ask again"


def _stem(file: Path) -> str:
    name = file.name
    for suffix in (*OPENERS, ".json"):
        name = name.removesuffix(suffix)
    return name
