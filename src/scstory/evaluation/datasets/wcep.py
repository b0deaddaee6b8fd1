"""WCEP (Gholipour Ghalandari et al., 2020): stories of Wikipedia's Current Events Portal.

Published as `train.jsonl.gz`, `val.jsonl.gz` and `test.jsonl.gz`, one story per line: `id`,
`date`, `summary`, `category`, `collection`, `wiki_links`, `reference_urls` and `articles`. Each
article has `time` (ISO 8601, or null where the page has none), `title`, `text`, `url`, `origin`
(WCEP or CommonCrawl), and an `id` if it is from Common Crawl.

The paper uses "articles in the stories of at least 50 articles and published in 2018" (2019). It
does not say whether articles without a time were counted. Here only usable articles count: those
published in the year, with title and text. The paper's mean of 57 articles per story, where the
file has up to 100, supports that reading.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scstory.errors import SourceError
from scstory.evaluation.datasets.dataset import Dataset, find_files, make_item
from scstory.evaluation.datasets.json_records import peek, read_lines
from scstory.feeds import Item

WCEP_MIN_ARTICLES = 50
WCEP_FILES = ("train.jsonl", "val.jsonl", "test.jsonl")
WCEP_WAY_OUT = "give train, val or test.jsonl.gz, or the folder of all three; see scstory data"


def open_wcep(path: str, *, year: int) -> Dataset:
    """Return the large stories of a year, from one file or the folder of all."""
    name = f"wcep{year % 100}"
    way_out = f"{WCEP_WAY_OUT} {name}"
    files = find_files(path, WCEP_FILES, way_out)
    for file in files:
        if not any(map(is_story, peek(file, way_out))):
            raise SourceError(f"{file}: no line is a story with its articles; {way_out}")
    return Dataset(name, lambda: _read(files, year))


def is_story(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a story of this data set."""
    return isinstance(record.get("articles"), list) and "summary" in record


def _read(files: list[Path], year: int) -> Iterator[Item]:
    for file in files:
        for number, story, problem in read_lines(file):
            place = f"{file}:{number}"
            if not problem and not (isinstance(story, dict) and is_story(story)):
                problem = "not a story with summary and articles"
            if not problem and story.get("id") in (None, ""):
                problem = "missing id"
            if problem:
                yield Item(place, None, problem)
            else:
                yield from _story(place, story, year)


def _story(place: str, story: Mapping[str, Any], year: int) -> Iterator[Item]:
    """Yield a story's articles of the year if there are enough, and then its problems too."""
    items = [
        _article(f"{place}, article {number}", str(story["id"]), number, record)
        for number, record in enumerate(story["articles"], 1)
    ]
    of_year = [i for i in items if i.article and i.article.published.year == year]
    if len(of_year) >= WCEP_MIN_ARTICLES:
        yield from (item for item in items if item.article is None)
        yield from of_year


def _article(place: str, label: str, number: int, record: Any) -> Item:
    if not isinstance(record, dict):
        return Item(place, None, "not a JSON object")
    fields = {
        # The portal's own sources have no id, and two stories may cite the same one.
        "id": record.get("id") or f"{label}-{number}",
        "date": record.get("time"),
        "title": record.get("title"),
        "text": record.get("text"),
        "url": record.get("url"),
        "language": "en",
    }
    return make_item(place, label, fields, {"date": "time"})
