"""The harness: one encoding pass, many systems and seeds, in parallel where cores allow."""

import json
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, count, pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from scstory.config import parse_duration
from scstory.discovery.describe import undescribed
from scstory.discovery.slides import cut_slides
from scstory.errors import ScstoryError, UsageError
from scstory.evaluation.finished_runs import FinishedRuns, digest
from scstory.evaluation.protocol import Result, evaluate
from scstory.evaluation.sentence_weights import Marks, mark_own
from scstory.evaluation.systems import make_system
from scstory.feeds import Item
from scstory.text import read
from scstory.text.sentences import MAX_SENTENCES
from scstory.types import Article, EncodedArticle, Reading, Vectors
from scstory.vectors import Encoder
from scstory.vectors.auto_encoder import served_languages

ENCODED_AT_ONCE = 64
"""Articles encoded together; progress is shown in between."""


@dataclass(frozen=True)
class LabelledStream:
    """Articles in order, read, with their true stories and the vectors of all their sentences."""

    articles: Sequence[Article]
    truth: Mapping[str, str]
    readings: Sequence[Reading]
    vectors: Vectors
    encode_seconds: float
    own_sentences: Mapping[str, Marks] = field(default_factory=dict)
    """Which sentences are the article's own, by its id, if others were put into the texts."""

    @property
    def ends(self) -> list[int]:
        """Where the sentences of each article start among all, and where the last ones end."""
        return [0, *accumulate(len(reading.sentences) for reading in self.readings)]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything in the stream that a score depends on, except for the encoder."""
        return digest(
            text
            for article, reading in zip(self.articles, self.readings, strict=True)
            for text in (
                article.published.isoformat(),
                json.dumps(self.truth.get(article.id)),
                json.dumps([*self.own_sentences.get(article.id, ())]),
                article.title,
                *reading.sentences,
            )
        )

    def counted(self) -> str:
        """Return how much of the stream is labelled, in words."""
        stories = len(set(self.truth.values()))
        return f"{len(self.truth):,} labelled articles of {stories:,} stories"

    def slides(self, slide: str) -> list[list[EncodedArticle]]:
        """Return the stream cut into slides."""
        encoded = {
            article.id: EncodedArticle(article, reading, self.vectors[start:end])
            for article, reading, (start, end) in zip(
                self.articles, self.readings, pairwise(self.ends), strict=True
            )
        }
        length = parse_duration(slide, what="slide")
        return [[encoded[a.id] for a in some] for some in cut_slides(self.articles, length)]


def load_stream(
    items: Sequence[Item],
    encoder: Encoder,
    *,
    own_texts: Mapping[str, str] | None = None,
    max_sentences: int = MAX_SENTENCES,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> LabelledStream:
    """Encode a labelled stream once, for all systems. The first of a duplicate id is kept.

    `own_texts` are given by article id if other sentences were put into the texts.
    """
    unique: dict[str, Item] = {}
    for item in items:
        if item.article is not None:
            unique.setdefault(item.article.id, item)
    articles = [item.article for item in unique.values() if item.article is not None]
    if not articles:
        raise UsageError("no usable articles in the data")
    truth = {i: item.label for i, item in unique.items() if item.label is not None}
    if not truth:
        raise UsageError("no article has a label: evaluating needs a field 'story' in the data")
    readings = [read(article, max_sentences=max_sentences) for article in articles]
    own = own_texts or {}
    marks = {
        article.id: mark_own(article, reading, own[article.id])
        for article, reading in zip(articles, readings, strict=True)
        if article.id in own
    }
    started = time.perf_counter()
    parts = []
    for start in range(0, len(articles), ENCODED_AT_ONCE):
        some = readings[start : start + ENCODED_AT_ONCE]
        parts.append(encoder.encode([s for reading in some for s in reading.sentences]))
        on_progress(min(start + ENCODED_AT_ONCE, len(articles)), len(articles))
    seconds = time.perf_counter() - started
    return LabelledStream(articles, truth, readings, np.concatenate(parts), seconds, marks)


@dataclass(frozen=True)
class Job:
    """One run of one system."""

    system: str
    preset: str = "default"
    seed: int = 0
    window: str = "7d"
    slide: str = "1d"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    """Where a learned system computes; the CPU if None."""


class FrozenEncoder:
    """Stands in for the encoder where all vectors are already there."""

    def __init__(self, name: str, dim: int, languages: Collection[str] | None = None) -> None:
        self.name, self.dim, self.languages = name, dim, languages

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Refuse: whoever calls this looks at something outside the stream."""
        raise UsageError("the vectors of this stream are given; nothing else can be encoded")


def run_jobs(
    jobs: Sequence[Job],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    workers: int | None = None,
    finished: FinishedRuns | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Run all jobs on a stream; return their results in order.

    Of a job that has `finished` before, the result is taken from there, and that of every other one
    is added as soon as it is known.
    """
    results: dict[int, Result] = {}
    for n, job in enumerate(jobs):
        if finished and (known := finished.find(job, stream, encoder.name)):
            results[n] = known
    missing = {n: job for n, job in enumerate(jobs) if n not in results}

    def on_result(n: int, result: Result) -> None:
        results[n] = result
        if finished:
            finished.add(jobs[n], stream, encoder.name, result)

    _run_all(missing, stream, encoder, workers=workers, on_slide=on_slide, on_result=on_result)
    return [results[n] for n in range(len(jobs))]


def _run_all(
    jobs: Mapping[int, Job],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    workers: int | None,
    on_slide: Callable[[int, int], None],
    on_result: Callable[[int, Result], None],
) -> None:
    """Run jobs; pass on the number and the result of each one as it ends."""
    workers = min(workers or os.cpu_count() or 1, len(jobs))
    total = sum(len(stream.slides(job.slide)) for job in jobs.values())
    if workers <= 1:
        done, frozen = count(1), FrozenEncoder(encoder.name, encoder.dim, served_languages(encoder))
        for n, job in jobs.items():
            on_result(n, _run(job, stream, frozen, lambda: on_slide(next(done), total)))
        return
    context = multiprocessing.get_context("spawn")
    counter = context.Value("q", 0)
    lifeline, hold = context.Pipe(duplex=False)
    with (
        hold,
        _shared(stream) as folder,
        ProcessPoolExecutor(
            workers,
            mp_context=context,
            initializer=_start_worker,
            initargs=(folder, encoder.name, served_languages(encoder), counter, lifeline),
        ) as pool,
    ):
        try:
            with _signals_held_back():
                numbers: dict[Future[Result], int] = {
                    pool.submit(_run_in_worker, job): n for n, job in jobs.items()
                }
            running = set(numbers)
            while running:
                ended, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in ended:
                    on_result(numbers[future], future.result())
                on_slide(counter.value, total)
        except BrokenProcessPool:
            raise ScstoryError(
                f"one of {workers} workers was killed, perhaps for memory; set --threads 1"
            ) from None
        except BaseException:
            hold.close()  # or the pool would wait for the jobs under way
            raise


def _run(
    job: Job, stream: LabelledStream, encoder: Encoder, on_slide: Callable[[], None]
) -> Result:
    system = make_system(
        job.system,
        encoder,
        preset=job.preset,
        seed=job.seed,
        window=job.window,
        slide=job.slide,
        parameters=job.parameters,
        device=job.device,
    )
    system.describe_with(undescribed)
    return evaluate(
        system,
        stream.slides(job.slide),
        stream.truth,
        window=parse_duration(job.window, what="window"),
        slide=parse_duration(job.slide, what="slide"),
        own_sentences=stream.own_sentences,
        on_slide=on_slide,
    )


# -- worker processes: the stream is in files, and its vectors are mapped, not copied ------------

SIGNALS = {signal.SIGINT, signal.SIGTERM}
_worker: dict[str, Any] = {}


@contextmanager
def _shared(stream: LabelledStream) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="scstory-") as name:
        folder = Path(name)
        np.save(folder / "vectors.npy", stream.vectors)
        bare = replace(stream, vectors=np.empty((0, stream.vectors.shape[1]), np.float32))
        (folder / "stream.pickle").write_bytes(pickle.dumps(bare))
        yield folder


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Start workers undisturbed: Ctrl-C is for the parent to answer, and afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(
    folder: Path,
    encoder: str,
    languages: Collection[str] | None,
    counter: Any,
    lifeline: Connection,
) -> None:
    import torch

    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    torch.set_num_threads(1)
    bare = pickle.loads((folder / "stream.pickle").read_bytes())
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    _worker["stream"] = replace(bare, vectors=vectors)
    _worker["encoder"] = FrozenEncoder(encoder, vectors.shape[1], languages)
    _worker["counter"] = counter


def _end_with_parent(lifeline: Connection) -> None:
    """Wait until the parent closes its end, however it ends; then exit at once."""
    lifeline.poll(None)
    os._exit(1)


def _run_in_worker(job: Job) -> Result:
    counter = _worker["counter"]

    def tick() -> None:
        with counter.get_lock():
            counter.value += 1

    return _run(job, _worker["stream"], _worker["encoder"], tick)
