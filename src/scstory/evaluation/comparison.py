"""Compares systems on a stream: seeds for the learned ones, tuning on request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from scstory.baselines import PSE
from scstory.evaluation.finished_runs import FinishedRuns
from scstory.evaluation.harness import Job, LabelledStream, run_jobs
from scstory.evaluation.report import Row
from scstory.evaluation.systems import LEARNED_SYSTEMS, describe_system, grid_edges, tuning_grid
from scstory.vectors import Encoder


def run_rows(
    jobs: Sequence[Job],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    seeds: int = 1,
    workers: int | None = None,
    finished: FinishedRuns | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Run jobs, those of learned systems for `seeds` seeds from their own; return a row per job."""
    counts = [seeds if job.system.removesuffix(PSE) in LEARNED_SYSTEMS else 1 for job in jobs]
    pairs = list(zip(jobs, counts, strict=True))
    plan = [replace(job, seed=job.seed + n) for job, count in pairs for n in range(count)]
    results = iter(
        run_jobs(plan, stream, encoder, workers=workers, finished=finished, on_slide=on_slide)
    )
    rows = []
    for job, count in pairs:
        preset = job.preset if job.system == "scstory" else None
        own = list(islice(results, count))
        described = describe_system(job.system, job.parameters)
        rows.append(Row(job.system, preset, own, job.parameters, description=described))
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
    finished: FinishedRuns | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Return a row of results per system; each is given with its preset (None for all but SCStory).

    Learned systems run once per seed, from `seed` on. `parameters` are what is set otherwise than
    by default, for each system that has such. With `tune` every compared system also runs over its
    grid; the settings with the best B³-F1, over windows and over the whole stream, are further
    rows, marked as tuned on labels.
    """
    plan = []
    for name, preset in systems:
        own = (parameters or {}).get(name, {})
        job = Job(name, preset or "default", seed, window, slide, own, device)
        grid = tuning_grid(name) if tune else []
        plan.append([job, *(replace(job, parameters={**own, **values}) for values in grid)])
    jobs = [job for runs in plan for job in runs]
    found = iter(
        run_rows(
            jobs,
            stream,
            encoder,
            seeds=seeds,
            workers=workers,
            finished=finished,
            on_slide=on_slide,
        )
    )
    rows = []
    for runs in plan:
        untuned, *trials = islice(found, len(runs))
        rows.append(untuned)
        rows += tuned_rows(trials) if trials else []
    return rows


def tuned_rows(trials: Sequence[Row]) -> list[Row]:
    """Return the trial that is best by windowed B³-F1 and the one by that of the whole stream.

    It is one row if both are the same. Among trials that score the same, the one that is better by
    the other score is chosen, then one inside the grid.
    """
    edges = {id(row): grid_edges(row.system, row.parameters) for row in trials}

    def best(*scores: str) -> Row:
        return max(
            trials,
            key=lambda row: (*(getattr(row, s).b3_f1 for s in scores), -len(edges[id(row)])),
        )

    chosen = {"windowed": best("windowed", "stream"), "stream": best("stream", "windowed")}
    rows = list({id(row): row for row in chosen.values()}.values())
    return [
        replace(
            row,
            tuned_by=tuple(score for score, found in chosen.items() if found is row),
            edges=tuple(edges[id(row)]),
        )
        for row in rows
    ]
