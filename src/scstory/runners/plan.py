"""How many machines a stream needs: a simulation of its days from the measured cost of an article.

Articles flow in as a day's curve with a peak, and a burst on top of it; wait for one of the
encoders, which all serve one queue; then for the writer of their shard, which decides in order and
pauses once a day to close the slide. Queues are counted in articles, in steps of some seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from scstory.errors import ConfigError

DAY = 86_400
STEP_SECONDS = 10
DAYS = 3
"""Simulated; the last one counts."""
PEAK = 15 * 3600
"""When most articles come in, in seconds from midnight."""
LARGEST_WINDOW = 200_000
"""Articles in a writer's window up to which costs are taken to go on as measured."""
MAX_PLANNED = 1_000_000
"""Cores or shards beyond which there is no plan."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What things cost, as measured (docs/performance.md says where). Override what differs."""

    sentence_ms: float = 2.106
    """Of a core, to encode a sentence (`minilm-int8`)."""
    gpu_sentences: float = 6600.0
    """That a GPU encodes a second (`minilm`, NVIDIA H200, batches as they come)."""
    decide_ms: float = 14.0
    """Of the writer, to decide on an article, describe its story and commit, with an empty
    window."""
    decide_us_window: float = 0.005
    """The same, more for each article in the window."""
    close_ms: float = 0.0
    """Of the writer, to close a slide, with an empty window."""
    close_ms_window: float = 0.7
    """The same, more for each article in the window."""
    database_kb: float = 7.867
    """In the database, an article, for good."""
    writer_mb: float = 670.0
    """Of memory, a writer with an empty window."""
    writer_kb_window: float = 12.3
    """Of memory, more for each article in the window."""
    encoder_mb: float = 250.0
    """Of memory, an encoder."""


@dataclass(frozen=True, slots=True)
class Load:
    """What comes in: articles a day, the busiest moment over the mean, a burst on top of it."""

    articles_per_day: int
    peak: float = 2.0
    burst: int = 0
    sentences: float = 20.0
    window_days: float = 7.0

    def __post_init__(self) -> None:
        if self.articles_per_day < 1 or self.burst < 0:
            raise ConfigError("a plan needs at least 1 article a day, and a burst of 0 or more")
        if not 1 <= self.peak <= 20:
            raise ConfigError(f"peak of {self.peak:g}: must be from 1 (no peak) to 20; set --peak")

    def window(self, shards: int) -> float:
        """Return how many articles are in the window of a shard."""
        return self.articles_per_day * self.window_days / shards


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a simulated day went.

    `lag` is the longest an article waited in the afternoon, when most come in, `longest` all day
    long, in seconds; `waiting` the most that waited at a time.
    """

    lag: float
    longest: float
    waiting: int
    encoders_busy: float
    writers_busy: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What is needed, and how the day goes with it."""

    shards: int
    encoder_cores: int
    gpus: int
    machines: int
    window: int
    writer_mb: float
    memory_gb: float
    disk_gb_day: float
    outcome: Outcome
    after_burst: Outcome | None


def simulate(load: Load, costs: Costs, *, cores: int, shards: int) -> Outcome:
    """Let days pass with so many encoder cores and writers; tell how the last one went."""
    times = np.arange(0, DAYS * DAY, STEP_SECONDS, dtype=float)
    arrived = np.cumsum(_arrivals(load, times))
    encoded = _served(
        arrived, np.full(len(times), STEP_SECONDS * cores / _encode_seconds(load, costs))
    )
    seconds, pause = _writer_seconds(load, costs, shards)
    free = STEP_SECONDS * np.ones(len(times))
    free[(times % DAY) < min(pause, DAY)] = 0  # the slide of the day before is being closed
    decided = _served(encoded, shards * free / seconds)
    last = times >= (DAYS - 1) * DAY
    # When what is decided now came in: the same number of articles, on the curve of arrivals.
    lag = times - np.interp(decided, arrived, times)
    afternoon = last & (np.abs(times % DAY - PEAK) < 3 * 3600)
    mean = load.articles_per_day / DAY
    return Outcome(
        lag=float(np.max(lag[afternoon])),
        longest=float(np.max(lag[last])),
        waiting=int(np.max((arrived - decided)[last])),
        encoders_busy=mean * _encode_seconds(load, costs) / cores,
        writers_busy=mean / shards * seconds + pause / DAY,
    )


def plan(
    load: Load,
    costs: Costs,
    *,
    lag: float = 300,
    pause: float = 1800,
    cores: int = 16,
    memory_gb: float = 64,
    largest_window: int = LARGEST_WINDOW,
    gpus: bool = False,
) -> Plan:
    """Return the fewest shards, then the fewest encoders, with which articles wait no longer.

    In the busy hours they wait at most `lag` seconds, and at most `pause` when a slide closes.
    Machines have so many cores and so much memory; each writer has a core of its own, and no more
    articles in its window than costs may be trusted for.
    """
    ample = ceil(10 * load.peak * load.articles_per_day / DAY * _encode_seconds(load, costs)) + 1
    quiet = replace(load, burst=0)  # for what comes now and then it is enough to catch up

    def shards_do(shards: int) -> bool:
        too_large = _writer_mb(load, costs, shards) > 1000 * memory_gb
        if too_large or load.window(shards) > largest_window:
            return False
        went = simulate(quiet, costs, cores=ample, shards=shards)
        return went.lag <= lag / 2 and went.longest <= pause

    def cores_do(number: int) -> bool:
        return simulate(quiet, costs, cores=number, shards=shards).lag <= lag

    shards = _fewest(shards_do, "shards")
    enough = _fewest(cores_do, "encoder cores")
    per_second = enough / _encode_seconds(load, costs) * load.sentences
    encoders = 0 if gpus else enough
    per_writer = _writer_mb(load, costs, shards)
    memory = (shards * per_writer + encoders * costs.encoder_mb) / 1000
    return Plan(
        shards=shards,
        encoder_cores=encoders,
        gpus=ceil(per_second / costs.gpu_sentences) if gpus else 0,
        machines=max(ceil((shards + encoders) / cores), ceil(memory / memory_gb)),
        window=ceil(load.window(shards)),
        writer_mb=per_writer,
        memory_gb=memory,
        disk_gb_day=load.articles_per_day * costs.database_kb / 1e6,
        outcome=simulate(quiet, costs, cores=enough, shards=shards),
        after_burst=simulate(load, costs, cores=enough, shards=shards) if load.burst else None,
    )


def override(costs: Costs, given: dict[str, str]) -> Costs:
    """Return the costs with some of them changed."""
    for name, value in given.items():
        if name not in Costs.__dataclass_fields__:
            raise ConfigError(f"cost {name}: there are {', '.join(Costs.__dataclass_fields__)}")
        try:
            number = float(value)
        except ValueError:
            number = -1
        if not 0 <= number < 1e12:
            raise ConfigError(f"cost {name} of {value}: must be a number of 0 or more")
        costs = replace(costs, **{name: number})
    return costs


def _fewest(enough: Callable[[int], bool], what: str) -> int:
    """Return the smallest number that is enough, if more is never worse."""
    high = 1
    while not enough(high):
        high *= 2
        if high > MAX_PLANNED:
            raise ConfigError(
                f"not even {MAX_PLANNED:,} {what} are enough; allow a longer --lag or --pause"
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _arrivals(load: Load, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the articles that come in each step: most of them in the afternoon."""
    angle = 2 * np.pi * (times - PEAK) / DAY
    low, high = 0.0, 500.0
    for _ in range(60):  # how pointed the curve must be for its peak
        sharp = (low + high) / 2
        curve = np.exp(sharp * (np.cos(angle) - 1))
        low, high = (low, sharp) if 1 / curve.mean() > load.peak else (sharp, high)
    coming: NDArray[np.float64] = load.articles_per_day * STEP_SECONDS / DAY * curve / curve.mean()
    coming[int(((DAYS - 1) * DAY + PEAK) // STEP_SECONDS)] += load.burst
    return coming


def _served(arrived: NDArray[np.float64], capacity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many have been served by each step: never more than came or could be."""
    could: NDArray[np.float64] = np.cumsum(capacity)
    idle: NDArray[np.float64] = np.maximum.accumulate(np.maximum(could - arrived, 0))
    served: NDArray[np.float64] = could - idle
    return served


def _encode_seconds(load: Load, costs: Costs) -> float:
    return max(1e-9, load.sentences * costs.sentence_ms / 1000)


def _writer_seconds(load: Load, costs: Costs, shards: int) -> tuple[float, float]:
    """Return the seconds an article takes a writer, and those a slide takes to close."""
    window = load.window(shards)
    decide = (costs.decide_ms + costs.decide_us_window * window / 1000) / 1000
    return max(1e-9, decide), (costs.close_ms + costs.close_ms_window * window) / 1000


def _writer_mb(load: Load, costs: Costs, shards: int) -> float:
    return costs.writer_mb + costs.writer_kb_window * load.window(shards) / 1000
