"""Folders of files and patterns of names (`news/*.csv`) as one source."""

import glob
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scstory.errors import SourceError
from scstory.feeds.source import Item, Source

_DATA = re.compile(
    r".*\.(?:jsonl|ndjson|jl|json|csv|tsv|tab|parquet|arrow|xml|rss|atom|warc|zip)"
    r"(?:\.(?:gz|xz|bz2|zst))?",
    re.IGNORECASE,
)
_DESCRIPTIONS = {"dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json"}
"""Files that describe a data set of Hugging Face beside its data."""
MAX_FILES = 100_000


class SeveralFiles:
    """Files read one after the other as one source. One that cannot be read costs only itself."""

    def __init__(self, name: str, files: Sequence[str], opened: Callable[[str], Source]) -> None:
        self.name = name
        self._files: list[Source] = []
        self._refused: list[Item] = []
        for file in files:
            try:
                self._files.append(opened(file))
            except SourceError as error:
                self._refused.append(_refused(file, error))
        sizes = [file.size for file in self._files]
        self.size = None if None in sizes else sum(size or 0 for size in sizes)
        self.complete = True

    @property
    def position(self) -> int:
        """The number of bytes read so far."""
        return sum(file.position for file in self._files)

    def __iter__(self) -> Iterator[Item]:
        self.complete = False
        yield from self._refused
        complete = not self._refused
        for file in self._files:
            try:
                yield from file
            except SourceError as error:
                complete = False
                yield _refused(file.name, error)
            complete &= file.complete
        self.complete = complete


def _refused(name: str, error: SourceError) -> Item:
    return Item(name, None, str(error).removeprefix(f"{name}: "))


def is_data(name: str) -> bool:
    """Return whether a file in a folder or an archive holds articles, by its name.

    >>> is_data("news/2026-03.CSV.gz"), is_data("README.md"), is_data("dataset_info.json")
    (True, False, False)
    """
    last = name.rpartition("/")[2]
    return _DATA.fullmatch(last) is not None and last not in _DESCRIPTIONS


def files_named(name: str) -> list[str] | None:
    """Return the files in a folder or of a pattern, by name; None if the name is one of a file."""
    path = Path(name)
    if name == "-" or path.is_file():
        return None
    if path.is_dir():
        files = [
            str(file)
            for file in sorted(path.rglob("*"))
            if is_data(file.name)
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
            and file.is_file()
        ]
        reason = "no file of articles in this folder (.jsonl, .json, .csv, .tsv, .parquet …)"
    elif re.search(r"[*?\[]", name) and not path.exists():
        files = [file for file in sorted(glob.glob(name, recursive=True)) if Path(file).is_file()]
        reason = "no file has such a name"
    else:
        return None
    if not files:
        raise SourceError(f"{name}: {reason}")
    if len(files) > MAX_FILES:
        raise SourceError(f"{name}: {len(files):,} files; the limit is {MAX_FILES:,}")
    return files
