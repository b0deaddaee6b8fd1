"""News14: the news clustering data of Miranda et al. (2018), English articles of 2014.

Published as `dataset.dev.json` and `dataset.test.json`, each one JSON list of documents with
`id`, `date` (2014-01-03 17:05:00), `lang` (eng, spa, deu), `title`, `text` and `cluster`. The
paper's stream needs both.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scstory.errors import SourceError
from scstory.evaluation.datasets.dataset import Dataset, find_files, make_item
from scstory.evaluation.datasets.json_records import peek, read_values
from scstory.feeds import Item
from scstory.feeds.article import REQUIRED

NEWS14_YEAR, NEWS14_LANGUAGE = 2014, "eng"
NEWS14_FILES = ("dataset.dev.json", "dataset.test.json")
NEWS14_WAY_OUT = f"give {' or '.join(NEWS14_FILES)}, or the folder of both; see scstory data news14"


def open_news14(path: str) -> Dataset:
    """Return News14, from one of its files or the folder of both."""
    files = find_files(path, NEWS14_FILES, NEWS14_WAY_OUT)
    for file in files:
        first = peek(file, NEWS14_WAY_OUT)
        if any(map(is_document, first)):
            continue
        if any("features" in record for record in first):
            raise SourceError(f"{file}: holds features, not articles; {NEWS14_WAY_OUT}")
        raise SourceError(
            f"{file}: is not a list of documents with lang and cluster; {NEWS14_WAY_OUT}"
        )
    return Dataset("news14", lambda: _read(files))


def is_document(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a document of this data set."""
    return "cluster" in record and "lang" in record


def _read(files: list[Path]) -> Iterator[Item]:
    for file in files:
        for number, document, problem in read_values(file):
            item = _item(f"{file}:{number}", document, problem)
            if item is not None:
                yield item


def _item(place: str, document: Any, problem: str | None) -> Item | None:
    """Return an English article of the year, a problem, or None for documents not in the paper."""
    if problem:
        return Item(place, None, problem)
    if not isinstance(document, dict):
        return Item(place, None, "not a JSON object")
    if missing := [name for name in ("lang", "cluster") if document.get(name) in (None, "")]:
        return Item(place, None, f"missing {', '.join(missing)}")
    if document["lang"] != NEWS14_LANGUAGE:
        return None
    record = {name: document.get(name) for name in REQUIRED} | {"language": "en"}
    item = make_item(place, str(document["cluster"]), record)
    return None if item.article and item.article.published.year != NEWS14_YEAR else item
