"""A data set: a name, and labelled articles in publication order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from scstory.errors import BadItem, SourceError
from scstory.evaluation.datasets.json_records import OPENERS
from scstory.feeds import Item, parse_article
from scstory.feeds.article import REQUIRED


@dataclass(frozen=True, slots=True)
class Dataset:
    """A labelled stream. It can be read any number of times.

    Iterating first gives the records that cannot be used, each with its problem, then the
    articles in publication order, each with a unique id. The published sets label every article;
    a file of our own may leave some unlabelled, which are read but cannot be scored.
    """

    name: str
    read: Callable[[], Iterable[Item]]

    def __iter__(self) -> Iterator[Item]:
        return in_order(self.read())


def in_order(items: Iterable[Item]) -> Iterator[Item]:
    """Yield problems as they come, then the articles by publication; equal times stay as read."""
    known: dict[str, Item] = {}
    for item in items:
        if item.article is None:
            yield item
        elif (first := known.setdefault(item.article.id, item)) is not item:
            problem = f"id {item.article.id!r} is used already, at {first.place}"
            yield Item(item.place, None, problem)
    yield from sorted(known.values(), key=attrgetter("article.published"))


def make_item(
    place: str, label: str, record: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Item:
    """Return the item of a record; `names` are the file's own names for our fields."""
    names = names or {}
    if missing := [names.get(name, name) for name in REQUIRED if record.get(name) is None]:
        return Item(place, None, f"missing {', '.join(missing)}")
    if isinstance(record["text"], str) and not record["text"].strip():
        return Item(place, None, "empty text")  # the published sets have texts
    try:
        return Item(place, parse_article(record), label=label)
    except BadItem as error:
        return Item(place, None, str(error))


def without_suffixes(name: str, *suffixes: str) -> str:
    """Return a file name without its compression and without one of the suffixes."""
    for suffix in (*OPENERS, *suffixes):
        name = name.removesuffix(suffix)
    return name


def find_files(path: str, names: Iterable[str], way_out: str) -> list[Path]:
    """Return the file of a path, or the files of a folder with these names, compressed or not."""
    found = Path(path)
    if not found.exists():
        raise SourceError(f"{path}: no such file or folder; {way_out}")
    if not found.is_dir():
        return [found]
    files: dict[str, Path] = {}
    for name in names:
        for suffix in ("", *OPENERS):
            for file in sorted(found.glob(name + suffix)):
                # A file is read once where its compressed original lies beside it.
                files.setdefault(file.name.removesuffix(suffix), file)
    if not files:
        raise SourceError(f"{path}: no {' or '.join(names)} in this folder; {way_out}")
    return list(files.values())
