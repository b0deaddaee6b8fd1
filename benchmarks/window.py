"""What the size of the window costs: memory, the rate of deciding, closing a slide, a commit.

Deciding a million articles takes hours. So the window is filled with articles that are already
decided, each in its true story, and only the last few hundred of the open slide are decided. That
is fair for the costs at this size; it says nothing about accuracy, for which there are labels.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from benchmarks.data import SENTENCES, Given
from benchmarks.lifelike import Lifelike
from scstory.discovery import Engine, make_engine, make_settings
from scstory.discovery.calibrated.large_window import LargeWindow
from scstory.store import open_store
from scstory.text.extract import Extract, extract_of
from scstory.types import Assignment, EncodedArticle, Story

WINDOWS = [int(w) for w in os.environ.get("BENCH_WINDOWS", "3000 10000 30000").split()]
DECIDED = int(os.environ.get("BENCH_DECIDED", 512))
"""Articles of the open slide that are decided; the others are filled in, too."""
STORED = int(os.environ.get("BENCH_STORED", 30_000))
"""The largest window that is also committed to a database and read from it again."""
AT_ONCE = 256
AHEAD = 40
"""Batches of articles that are made before they are needed."""
T = TypeVar("T")
Made = tuple[EncodedArticle, int, Extract | None]
"""An article, its story, and what a description takes from it if the open slide touches it."""


def measure() -> dict[str, Any]:
    """Return the costs of windows of all sizes, each measured in a process of its own."""
    rows = {}
    for window in WINDOWS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            rows[str(window)] = process.submit(one, window).result()
    return {"windows": rows, "decided": DECIDED, "sentences": SENTENCES}


def one(window: int) -> dict[str, float]:
    """Fill a window of this many articles, decide some more, close the slide, and commit."""
    stream = Lifelike(window // 7, days=9)
    with ProcessPoolExecutor(
        max_workers=os.cpu_count(),
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(window // 7,),
    ) as makers:
        return _one(window, stream, makers)


_stream: Lifelike
_touched: set[int]


def _begin(a_day: int) -> None:
    """Prepare a process that makes articles."""
    global _stream, _touched
    _stream = Lifelike(a_day, days=9)
    _touched = _stream.stories_since(7)


def _make(numbers: range) -> list[Made]:
    """Make articles; search those that will be described for what a description takes from them."""
    found = []
    for number in numbers:
        member, story = _stream.article(number)
        about = member.article, member.sentences, member.reading.language
        found.append((member, story, extract_of(*about) if story in _touched else None))
    return found


def _made(makers: Executor, numbers: range) -> Iterator[Made]:
    """Yield articles that other processes make, a few thousand ahead."""
    parts = [numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE)]
    waiting = deque(makers.submit(_make, part) for part in parts[:AHEAD])
    for part in (*parts[AHEAD:], *[None] * len(waiting)):
        yield from waiting.popleft().result()
        if part is not None:
            waiting.append(makers.submit(_make, part))


def _one(window: int, stream: Lifelike, makers: Executor) -> dict[str, float]:
    torch.set_num_threads(1)
    engine = make_engine(make_settings(), Given())
    bare = _resident()
    for day in range(7):
        _fill(engine, _made(makers, stream.numbers(day)), slide=day)
    # As if seventy days had come before: the stream hardly grows by another one.
    statistics, method = engine.scope.statistics, engine.method
    documents, used, counts = statistics.state()
    statistics.restore(10 * documents, used, 10 * counts)
    for code, total in method._norms.means._totals.items():
        total *= 10
        method._norms.means._counts[code] *= 10
    method._norms.means._known.clear()
    method._stories = method._choose_stories(engine.scope)
    _rate(engine)
    engine._advance(engine.current_slide + 1)
    known = len(engine.scope.window)
    decided = min(DECIDED, stream.count(7) // 2)
    share = 1 - decided / stream.count(7)
    begun = _made(makers, stream.numbers(7, end=share))
    _fill(engine, begun, slide=7, open_slide=True)
    waiting = [member for member, _ in stream.day(7, start=share)]
    filled = _resident()

    began = time.process_time()
    engine.decide(waiting[:1])
    opened = time.process_time()
    for some in _batched(waiting[1:], AT_ONCE):
        engine.decide(some)
    deciding = time.process_time() - opened
    found: dict[str, float] = {
        "articles": len(engine.scope.window),
        "stories": len(np.unique(engine.scope.window.story)),
        "slide": len(engine.scope.window) - known,
        "kb_per_article": (filled - bare) / len(engine.scope.window) / 1000,
        "first_s": opened - began,
        "decided_per_second": (len(waiting) - 1) / deciding,
    }
    # The writer has described the stories of the open slide before, with each of its commits.
    engine.changed_stories()
    processor = time.process_time()
    engine.close()
    found["close_s"] = time.process_time() - processor
    found["resident_megabytes"] = _resident() / 1e6
    found["most_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    if window <= STORED:
        later = [member for member, _ in islice(stream.day(8), AT_ONCE)]
        found |= _stored(engine, [_a_day_earlier(member) for member in later])
    return found


def _rate(engine: Engine) -> None:
    """Set the confidence of each article as if it had been rated when its slide was closed."""
    window = engine.scope.window
    sums = LargeWindow.of(engine.method._evidence, engine.scope).sums
    sums.rate(window, list(window.rows_of))


def _fill(
    engine: Engine, articles: Iterable[Made], *, slide: int, open_slide: bool = False
) -> None:
    """Put articles into the window as if they had been decided, each into its true story."""
    scope, method = engine.scope, engine.method
    day = scope.settings.slide_length.total_seconds()
    catalogue = engine._catalogue
    count = 0
    for some in _batched(articles, AT_ONCE):
        members = [member for member, *_ in some]
        if scope.slide is None or not open_slide:
            scope.slide = int(members[0].article.published.timestamp() // day)
            scope.first_slide = scope.first_slide or scope.slide
        new = scope.window.append(members, not_before=-np.inf)
        story = np.array([number + 1 for _, number, _ in some])
        known = {member.article.id: extract for member, _, extract in some if extract}
        scope.window.members._extracts.update(known)
        scope.window.story[new] = story
        scope.window.confidence[new] = 0.99
        scope.window["embedded_in"][new] = scope.slide
        _embed(engine, members, new)
        scope.next_story = max(scope.next_story, int(story.max()) + 1)
        for number, row in zip(story.tolist(), new.tolist(), strict=True):
            if number not in catalogue._ongoing:
                first = scope.window.members[row].article
                catalogue._ongoing[number] = Story(
                    number, first.title, (), (), first.published, first.published, (), 0, 0.0
                )
            catalogue._sizes[number] += 1
        if not open_slide:
            weights = np.ones(len(new)) / np.array([catalogue._sizes[n] for n in story.tolist()])
            scope.statistics.update(scope.window.terms[new], weights)
            languages = scope.window["language"][new]
            method._norms.documents.add(languages, weights)
            for member, language in zip(members, languages.tolist(), strict=True):
                method._norms.means.update(member.vectors, language)
        count += len(new)
    method._stories.forget_slide()
    if open_slide and isinstance(method._stories, LargeWindow):
        method._stories.sums.build(scope.window)
    if open_slide:
        engine.open_articles += count


def _embed(engine: Engine, members: list[EncodedArticle], new: np.ndarray) -> None:
    """Set what M makes of articles at its start: the means of their centred sentences."""
    window, means = engine.scope.window, engine.method._norms.means
    for member, i in zip(members, new.tolist(), strict=True):
        mean = means.value(int(window["language"][i]))
        window["vectors"][i] = (member.vectors - mean).mean(axis=0)
        window["openings"][i, 0] = member.vectors[0]
        window["openings"][i, 1] = member.vectors[:5].mean(axis=0)
    own = window.sentence_rows(new)
    window["weights"][own] = window["pooling"][own] = 1 / SENTENCES


def _stored(engine: Engine, later: list[EncodedArticle]) -> dict[str, float]:
    """Commit everything, then a step, and read it again; return bytes written and seconds."""
    with tempfile.TemporaryDirectory(prefix="scstory-bench-") as folder:
        path = str(Path(folder) / "window.db")
        store = open_store(path)
        store.claim()
        window = engine.scope.window
        stories = [*engine.stories(), *engine.ended()]
        for rows in _batched(range(len(window)), 5000):
            articles = [window.members[i].article for i in rows]
            for some in _batched(articles, 1000):
                store.accept(some)
            placed = zip(rows, articles, strict=True)
            decided = [
                Assignment(article.id, int(window.story[i]), float(window.confidence[i]), False)
                for i, article in placed
            ]
            state = engine.state()
            known = replace(state, members=state.members[: rows[-1] + 1])
            store.commit(articles, decided, stories, known)
            stories = []
        engine.ended().clear()
        store.accept([member.article for member in later])
        engine.changed_stories()
        found = engine.decide(later)
        written, processor = _written(), time.process_time()
        stories = [*engine.changed_stories(), *engine.ended()]
        store.commit([member.article for member in later], found, stories, engine.state())
        costs = {
            "commit_s": time.process_time() - processor,
            "commit_megabytes": (_written() - written) / 1e6,
        }
        processor = time.process_time()
        state = store.state()
        assert state is not None
        make_engine(make_settings(), Given()).restore(state)
        costs["restart_s"] = time.process_time() - processor
        store.close()
        return costs


def _batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _a_day_earlier(member: EncodedArticle) -> EncodedArticle:
    article = member.article
    earlier = replace(article, published=article.published - timedelta(days=1))
    return EncodedArticle(earlier, member.reading, member.vectors)


def _written() -> int:
    """Return how many bytes this process has written to files."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["wchar"])


def _resident() -> float:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    lines = [
        "| articles in the window | stories | KB per article | first article of a slide, s | "
        "articles/s | new in the slide | s to close it | s per commit | MB per commit | "
        "restart, s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in result["windows"].values():
        cells = [
            f"{row['articles']:,}",
            f"{row['stories']:,}",
            f"{row['kb_per_article']:,.0f}",
            f"{row['first_s']:,.1f}",
            f"{row['decided_per_second']:,.0f}",
            f"{row['slide']:,}",
            f"{row['close_s']:,.1f}",
            *(
                f"{row[name]:,.1f}" if name in row else "–"
                for name in ("commit_s", "commit_megabytes", "restart_s")
            ),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(
        [
            *lines,
            "",
            f"The benchmark fills the window with made-up articles of {result['sentences']} "
            "sentences that are already decided, a tenth of them in four giant stories and half "
            "of the others' stories with one article each. It decides the last "
            f"{result['decided']} articles of the open slide with `default` and closes the slide. "
            "Times are processor time of one thread. A commit is that of 256 articles with "
            "SQLite.",
        ]
    )
