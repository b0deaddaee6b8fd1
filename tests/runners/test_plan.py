"""The simulation: nothing is lost or served early in it, and a plan does what it promises."""

import numpy as np
import pytest

from scstory.errors import ConfigError
from scstory.runners.plan import (
    DAY,
    DAYS,
    STEP_SECONDS,
    Costs,
    Load,
    _arrivals,
    _served,
    override,
    plan,
    simulate,
)

COSTS = Costs()


@pytest.mark.parametrize("peak", [1.0, 2.0, 5.0])
def test_a_day_has_its_articles_and_its_peak(peak):
    load = Load(86_400, peak=peak)
    coming = _arrivals(load, np.arange(0, DAYS * DAY, STEP_SECONDS, dtype=float))
    assert coming.sum() == pytest.approx(DAYS * 86_400)
    assert coming.max() / coming.mean() == pytest.approx(peak, rel=0.01)
    assert coming.argmax() * STEP_SECONDS % DAY == pytest.approx(
        15 * 3600, abs=DAY if peak == 1 else STEP_SECONDS
    )


def test_a_queue_serves_what_came_no_more_and_no_sooner():
    arrived = np.cumsum([5.0, 0, 0, 9, 0, 0])
    assert list(_served(arrived, np.full(6, 3.0))) == [3, 5, 5, 8, 11, 14]
    assert list(_served(arrived, np.array([0.0, 0, 10, 10, 10, 10]))) == [0, 0, 5, 14, 14, 14]


def test_a_burst_waits_as_long_as_the_rest_of_the_capacity_takes():
    # 10 articles a second come, one core encodes 50: 4,000 on top take 100 s.
    load = Load(864_000, peak=1.0, burst=4_000, sentences=1)
    costs = Costs(sentence_ms=20, decide_ms=0, decide_us_window=0, close_ms=0, close_ms_window=0)
    went = simulate(load, costs, cores=1, shards=1)
    assert went.lag == pytest.approx(4_000 / 50, abs=2 * STEP_SECONDS)
    assert went.encoders_busy == pytest.approx(0.2)


def test_closing_a_slide_holds_up_its_shard():
    load = Load(10_000, peak=1.0)
    costs = Costs(sentence_ms=0.01, decide_ms=1, decide_us_window=0, close_ms=0, close_ms_window=10)
    assert simulate(load, costs, cores=1, shards=1).longest == pytest.approx(
        700, abs=2 * STEP_SECONDS
    )
    assert simulate(load, costs, cores=1, shards=2).longest == pytest.approx(
        350, abs=2 * STEP_SECONDS
    )


@pytest.mark.parametrize("articles", [2_000, 1_000_000])
def test_a_plan_keeps_its_limits_and_less_does_not(articles):
    load = Load(articles, peak=3.0)
    room = {"memory_gb": 10**6, "largest_window": 10**9}
    found = plan(load, COSTS, lag=300, pause=900, cores=16, **room)
    assert found.outcome.lag <= 300
    assert found.outcome.longest <= 900 + STEP_SECONDS
    assert found.disk_gb_day == pytest.approx(articles * COSTS.database_kb / 1e6)
    cores, shards = found.encoder_cores, found.shards
    if cores > 1:
        assert simulate(load, COSTS, cores=cores - 1, shards=shards).lag > 300
    if shards > 1:
        fewer = simulate(load, COSTS, cores=100 * cores, shards=shards - 1)
        assert fewer.lag > 150 or fewer.longest > 900
    assert found.machines * 16 >= cores + shards


def test_windows_fit_into_memory_and_into_what_was_measured():
    load = Load(1_000_000)
    found = plan(load, COSTS, memory_gb=8, largest_window=10**9)
    assert found.writer_mb <= 8_000
    assert found.machines * 8 >= found.memory_gb
    assert plan(load, COSTS, largest_window=5_000).window <= 5_000


def test_gpus_instead_of_cores():
    load, costs = Load(10_000_000), Costs(gpu_sentences=1000)
    found = plan(load, costs, gpus=True)
    assert found.encoder_cores == 0
    assert found.gpus >= 10_000_000 * 2 * 20 / DAY / 1000


def test_what_cannot_be():
    for options in ({"articles_per_day": 0}, {"articles_per_day": 1, "peak": 0.5}):
        with pytest.raises(ConfigError):
            Load(**options)
    with pytest.raises(ConfigError, match="cost nonsense: there are sentence_ms"):
        override(COSTS, {"nonsense": "1"})
    with pytest.raises(ConfigError, match="cost decide_ms of much: must be a number"):
        override(COSTS, {"decide_ms": "much"})
    with pytest.raises(ConfigError, match="not even 1,000,000 shards"):
        plan(Load(10**9), override(COSTS, {"decide_ms": "1e9"}))
