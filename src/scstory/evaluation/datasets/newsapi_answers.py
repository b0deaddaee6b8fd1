"""Answers of NewsAPI's `everything` for a case study, in one file per query, which is one story.

A query of several pages is one file of several answers (cat page-*.json > flood.json). The module
`feeds/newsapi.py` reads an answer.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scstory.errors import BadItem, SourceError
from scstory.evaluation.datasets.dataset import Dataset, find_files, make_item, without_suffixes
from scstory.evaluation.datasets.json_records import peek, read_values
from scstory.feeds import Item
from scstory.feeds.entries import MAX_ID_CHARACTERS
from scstory.feeds.newsapi import failure, is_answer
from scstory.feeds.newsapi_article import article_fields

NEWSAPI_WAY_OUT = "give a folder with one file of answers per query; see scstory data newsapi"


def open_newsapi(path: str) -> Dataset:
    """Return the articles of a folder of answers, or of one file."""
    files = find_files(path, ("*.json",), NEWSAPI_WAY_OUT)
    for file in files:
        if not any(map(is_answer, peek(file, NEWSAPI_WAY_OUT))):
            raise SourceError(
                f"{file}: is not an answer of NewsAPI with status and articles; {NEWSAPI_WAY_OUT}"
            )
    return Dataset("newsapi", lambda: _read(files))


def _read(files: list[Path]) -> Iterator[Item]:
    for file in files:
        label = without_suffixes(file.name, ".json")
        number = 0
        for _, answer, problem in read_values(file):
            articles = answer.get("articles") if isinstance(answer, dict) else None
            if not isinstance(articles, list):
                yield Item(f"{file}:{number + 1}", None, problem or failure(answer))
                continue
            for record in articles:
                number += 1
                yield _article(f"{file}:{number}", label, number, record)


def _article(place: str, label: str, number: int, record: Any) -> Item:
    try:
        fields = article_fields(record)
    except BadItem as error:
        return Item(place, None, str(error))
    url = fields["url"]
    fields["id"] = (
        url if isinstance(url, str) and 0 < len(url) <= MAX_ID_CHARACTERS else f"{label}-{number}"
    )
    return make_item(place, label, fields, {"date": "publishedAt", "text": "content"})
