"""Files of articles that an editor drops on the page: read in the background, into the inbox."""

import errno
import shutil
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp

from fastapi import HTTPException
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from scstory.discovery.presets import make_settings, saved_settings
from scstory.errors import ScstoryError
from scstory.feeds import Item, SourceOptions
from scstory.feeds.registry import is_opml, open_source
from scstory.runners import Reading
from scstory.runners.listener import Listener
from scstory.runners.run_sources import accept_sources
from scstory.store import Store
from scstory.types import Article

MAX_WAITING = 10_000
"""While so many articles wait in the inbox, an import pauses."""
MAX_SHOWN, MAX_PROBLEMS, MAX_FILES = 20, 20, 20
"""The most imports that are shown, problems of each, and files at a time."""
PAUSE_SECONDS = 0.2


@dataclass
class Import:
    """One file, and what has become of it so far."""

    name: str
    path: Path
    state: str = "waiting"
    accepted: int = 0
    known: int = 0
    copies: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)
    """The first reasons for which items were refused."""

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it."""
        return self.state not in ("waiting", "reading")


class Imports:
    """Reads files one after the other, in a thread that starts with the first of them."""

    def __init__(self, store: Store, *, max_characters: int) -> None:
        self._store, self._max_characters = store, max_characters
        self._shown: deque[Import] = deque(maxlen=MAX_SHOWN)
        self._waiting: SimpleQueue[Import] = SimpleQueue()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def latest(self) -> list[Import]:
        """Return the imports since the service started, the last first."""
        return list(reversed(self._shown))

    def add(self, name: str, path: Path) -> None:
        """Read a file when those before it are read; it is deleted then."""
        one = Import(name, path)
        self._shown.append(one)
        self._waiting.put(one)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="imports", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop after the present article; what was accepted stays."""
        self._stopping.set()
        if self._thread:
            self._waiting.put(Import("", Path()))
            self._thread.join()
        for one in self._shown:
            shutil.rmtree(one.path.parent, ignore_errors=True)

    def _run(self) -> None:
        while not self._stopping.is_set():
            one = self._waiting.get()
            if one.name:
                self._read(one)
                shutil.rmtree(one.path.parent, ignore_errors=True)

    def _read(self, one: Import) -> None:
        one.state = "reading"
        options = SourceOptions(max_characters=self._max_characters)
        reading = Reading([], _Counting(one))
        try:
            reading = Reading([open_source(str(one.path), options)], _Counting(one))
            accept_sources(reading, self._store, _Inbox(self._store, one, self._stopping))
            one.state = "read" if reading.summary.complete else "incomplete"
            if not reading.summary.read:
                one.state = "no usable article"
        except _Stopped:
            one.state = "stopped; import it again to read the rest"
        except (ScstoryError, OSError) as error:
            one.state = f"failed: {_shown(str(error), one)}"
        except Exception as error:  # the next file has nothing to do with it
            one.state = f"failed: {type(error).__name__}: {_shown(str(error), one)}"
        one.known, one.copies = reading.summary.known, reading.summary.copies


class _Counting(Listener):
    """Counts and keeps the problems of an import."""

    def __init__(self, one: Import) -> None:
        self._one = one

    def problem(self, item: Item) -> None:
        """Count an item that could not be used."""
        one = self._one
        one.refused += 1
        if len(one.problems) < MAX_PROBLEMS:
            one.problems.append(_shown(f"{item.place}: {item.problem}", one))


class _Inbox:
    """Leaves articles in the inbox, where the writer finds them."""

    def __init__(self, store: Store, one: Import, stopping: threading.Event) -> None:
        self._store, self._one, self._stopping = store, one, stopping
        engine = store.engine()
        settings = saved_settings(engine) if engine else make_settings("default", {})
        self.slide_length: timedelta = settings.slide_length
        self.current_slide: int | None = None

    def decide(self, articles: Sequence[Article], *, source_may_pause: bool) -> None:
        """Count articles that were accepted; wait while the writer has much to do."""
        self._one.accepted += len(articles)
        while not self._stopping.is_set() and self._store.waiting() > MAX_WAITING:
            time.sleep(PAUSE_SECONDS)
        if self._stopping.is_set():
            raise _Stopped

    def finish(self) -> None:
        """Nothing is left to do: the writer decides."""


class _Stopped(Exception):
    pass


async def start_imports(imports: Imports, form: FormData) -> list[str]:
    """Keep the files of a form and have them read; return their names."""
    given = [one for one in form.getlist("file") if isinstance(one, UploadFile) and one.filename]
    if not given:
        raise HTTPException(422, "no file; choose one or more files of articles")
    if len(given) > MAX_FILES:
        raise HTTPException(422, f"{len(given)} files; choose at most {MAX_FILES} at a time")
    if lists := [one.filename for one in given if is_opml(str(one.filename))]:
        raise HTTPException(422, f"{lists[0]}: a list of feeds; import it as OPML")
    try:
        kept = [(str(one.filename), await run_in_threadpool(_keep, one)) for one in given]
    except OSError as error:
        full = error.errno == errno.ENOSPC
        reason = "no space left on the disk" if full else (error.strerror or str(error))
        raise HTTPException(507, f"the file cannot be kept: {reason}") from None
    for name, path in kept:
        imports.add(name[:200], path)
    return [name[:200] for name, _ in kept]


def _keep(given: UploadFile) -> Path:
    """Copy an upload to a file of its own, whose name says what it holds."""
    folder = Path(mkdtemp(prefix="scstory-import-"))
    safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in str(given.filename))
    path = folder / (safe[-100:].lstrip(".-") or "file")
    try:
        with path.open("wb") as file:
            shutil.copyfileobj(given.file, file)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path


def _shown(text: str, one: Import) -> str:
    """Return text for the page: with the name that the editor knows, on one line."""
    return " ".join(text.replace(str(one.path), one.name).split())[:300]
