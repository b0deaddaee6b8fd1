"""Compares systems on a stream: seeds for the learned ones, tuning on request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from scstory.baselines import PSE
from scstory.evaluation.harness import Job, LabelledStream, run_jobs
from scstory.evaluation.report import Row
from scstory.evaluation.systems import LEARNED_SYSTEMS, tuning_grid
from scstory.vectors import Encoder


def run_rows(
    jobs: Sequence[Job],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    seeds: int = 1,
    workers: int | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Run jobs, those of learned systems for `seeds` seeds from their own; return a row per job."""
    counts = [seeds if job.system.removesuffix(PSE) in LEARNED_SYSTEMS else 1 for job in jobs]
    pairs = list(zip(jobs, counts, strict=True))
    plan = [replace(job, seed=job.seed + n) for job, count in pairs for n in range(count)]
    results = iter(run_jobs(plan, stream, encoder, workers=workers, on_slide=on_slide))
    rows = []
    for job, count in pairs:
        preset = job.preset if job.system == "scstory" else None
        own = list(islice(results, count))
        rows.append(Row(job.system, preset, own, parameters=job.parameters))
    return rows


def compare_systems(
    systems: Sequence[tuple[str, str | None]],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    seeds: int = 1,
    tune: bool = False,
    window: str = "7d",
    slide: str = "1d",
    seed: int = 0,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    device: str | None = None,
    workers: int | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Return a row of results per system; each is given with its preset (None for all but SCStory).

    Learned systems run once per seed, from `seed` on. `parameters` are what is set otherwise than
    by default, for each system that has such. With `tune` every compared system also runs over its
    grid; the setting with the best windowed B³-F1 is a second row, marked as tuned on labels.
    """
    plan = []
    for name, preset in systems:
        own = (parameters or {}).get(name, {})
        job = Job(name, preset or "default", seed, window, slide, own, device)
        grid = tuning_grid(name) if tune else []
        plan.append([job, *(replace(job, parameters=values) for values in grid)])
    jobs = [job for runs in plan for job in runs]
    found = iter(run_rows(jobs, stream, encoder, seeds=seeds, workers=workers, on_slide=on_slide))
    rows = []
    for runs in plan:
        untuned, *trials = islice(found, len(runs))
        rows.append(untuned)
        if trials:
            best = max(trials, key=lambda row: row.windowed.b3_f1)
            rows.append(replace(best, tuned=True))
    return rows
