"""Contenders timed in short alternating rounds, so that a busy machine is unfair to all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Timing:
    """What a contender's rounds took: on the clock, and on all of the process's threads."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def seconds(self) -> float:
        """Return the median round on the clock."""
        return median(self.wall)

    def processor_seconds(self) -> float:
        """Return the median round's processor time."""
        return median(self.processor)


def alternate(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int = 7
) -> dict[str, Timing]:
    """Run every contender once unmeasured, then all of them in turn, `rounds` times."""
    timings = {name: Timing() for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name, run in contenders.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            timings[name].wall.append(time.perf_counter() - wall)
            timings[name].processor.append(time.process_time() - processor)
    return timings
