"""From a user's words to a data set: `news14:PATH` and the like, or a path alone."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from scstory.errors import SourceError
from scstory.evaluation.datasets import news14, newsapi_answers, wcep
from scstory.evaluation.datasets.dataset import Dataset, find_files, without_suffixes
from scstory.evaluation.datasets.json_records import peek
from scstory.feeds import SourceOptions, open_source
from scstory.feeds.newsapi import is_answer

DATASETS: Mapping[str, Callable[[str], Dataset]] = {
    "news14": news14.open_news14,
    "wcep18": partial(wcep.open_wcep, year=2018),
    "wcep19": partial(wcep.open_wcep, year=2019),
    "newsapi": newsapi_answers.open_newsapi,
}
OWN_SUFFIXES = (".jsonl", ".csv")
DATASET_WAY_OUT = (
    "give a .jsonl or .csv file with id, date, title, text and story, or see scstory data"
)


def open_dataset(spec: str, options: SourceOptions | None = None) -> Dataset:
    """Return the data set of `NAME:PATH`, or of a path, whose format is recognised by its content.

    The options are those of a file of our own. Raises SourceError at once for a path that does not
    exist or has another format.
    """
    name, colon, path = spec.partition(":")
    if colon and name.lower() in DATASETS:
        if not path:
            raise SourceError(f"{spec}: no path; write {name}:PATH, see scstory data {name}")
        return DATASETS[name.lower()](path)
    if spec == "-":
        return _open_own(spec, options)
    if colon and name.isalnum() and not Path(spec).exists():
        raise SourceError(f"{spec}: no data set {name!r}; there are {', '.join(DATASETS)}")
    kind = _recognise(spec)
    return DATASETS[kind](spec) if kind else _open_own(spec, options)


def _recognise(path: str) -> str | None:
    """Return the published data set of a file or folder; None for a file of our own format."""
    files = find_files(path, (*news14.NEWS14_FILES, *wcep.WCEP_FILES, "*.json"), DATASET_WAY_OUT)
    file = files[0]
    if _suffix(file) == ".csv" or (file.stat().st_size == 0 and _suffix(file) in OWN_SUFFIXES):
        return None
    first = peek(file, DATASET_WAY_OUT)
    if any("story" in record for record in first):
        return None
    if any(map(news14.is_document, first)):
        return "news14"
    if any(map(wcep.is_story, first)):
        raise SourceError(f"{path}: is WCEP; name the year: wcep18:{path} or wcep19:{path}")
    if any(map(is_answer, first)):
        return "newsapi"
    if Path(path).is_dir():
        raise SourceError(f"{path}: no known data set in this folder; {DATASET_WAY_OUT}")
    return None


def _open_own(path: str, options: SourceOptions | None) -> Dataset:
    source = open_source(path, options)
    name = "stdin" if path == "-" else without_suffixes(Path(path).name, *OWN_SUFFIXES)
    return Dataset(name, lambda: source)


def _suffix(file: Path) -> str:
    return Path(without_suffixes(file.name.lower())).suffix
