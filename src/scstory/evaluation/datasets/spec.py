"""From what a user writes to a data set: `news14:PATH` and the like, or a path alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from scstory.errors import SourceError
from scstory.evaluation.datasets import news14, newsapi, wcep
from scstory.evaluation.datasets.base import Dataset, find_files
from scstory.evaluation.datasets.reading import peek
from scstory.feeds import open_source
from scstory.feeds.files import OPENERS
from scstory.feeds.newsapi import is_answer

FORMATS: Mapping[str, Callable[[str], Dataset]] = {
    "news14": news14.open_news14,
    "wcep18": partial(wcep.open_wcep, year=2018),
    "wcep19": partial(wcep.open_wcep, year=2019),
    "newsapi": newsapi.open_newsapi,
}
OWN = (".jsonl", ".csv")
WAY_OUT = "give a .jsonl or .csv file with id, date, title, text and story, or see scstory data"


def open_dataset(spec: str) -> Dataset:
    """Return the data set of `NAME:PATH`, or of a path whose content tells what it is.

    What is not there, or named as a kind it is not of, fails at once and with the way out.
    """
    name, colon, path = spec.partition(":")
    if colon and name.lower() in FORMATS:
        if not path:
            raise SourceError(f"{spec}: no path; write {name}:PATH, see scstory data {name}")
        return FORMATS[name.lower()](path)
    if spec == "-":
        return _open_own(spec)
    if colon and name.isalnum() and not Path(spec).exists():
        raise SourceError(f"{spec}: no data set {name!r}; there are {', '.join(FORMATS)}")
    kind = _recognise(spec)
    return FORMATS[kind](spec) if kind else _open_own(spec)


def _recognise(path: str) -> str | None:
    """Return the published format of a file or folder; None for a file of our own."""
    files = find_files(path, (*news14.FILES, *wcep.FILES, "*.json"), WAY_OUT)
    file = files[0]
    if _suffix(file) == ".csv" or (file.stat().st_size == 0 and _suffix(file) in OWN):
        return None
    first = peek(file, WAY_OUT)
    if any("story" in record for record in first):
        return None
    if any(map(news14.is_document, first)):
        return "news14"
    if any(map(wcep.is_story, first)):
        raise SourceError(f"{path}: is WCEP; say which year: wcep18:{path} or wcep19:{path}")
    if any(map(is_answer, first)):
        return "newsapi"
    if Path(path).is_dir():
        raise SourceError(f"{path}: no known data set in this folder; {WAY_OUT}")
    return None


def _open_own(path: str) -> Dataset:
    source = open_source(path)
    name = "stdin"
    if path != "-":
        name = Path(path).name
        for suffix in (*OPENERS, *OWN):
            name = name.removesuffix(suffix)
    return Dataset(name, lambda: source)


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in OPENERS), "")
