"""Compares systems on a stream: seeds for the learned ones, tuning on request."""

from collections.abc import Callable, Sequence
from itertools import groupby

from scstory.baselines import PSE
from scstory.evaluation.harness import Job, LabelledStream, run_jobs
from scstory.evaluation.report import Row
from scstory.evaluation.systems import LEARNED_SYSTEMS, tuning_grid
from scstory.vectors import Encoder


def compare_systems(
    systems: Sequence[tuple[str, str | None]],
    stream: LabelledStream,
    encoder: Encoder,
    *,
    seeds: int = 1,
    tune: bool = False,
    window: str = "7d",
    slide: str = "1d",
    workers: int | None = None,
    on_slide: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Return a row of results per system; each is given with its preset (None for all but SCStory).

    Learned systems run once per seed. With `tune` every compared system also runs over its grid;
    the setting with the best windowed B³-F1 is a second row, marked as tuned on labels.
    """
    plan: list[tuple[int, bool, Job]] = []  # row number, whether a trial of tuning, job
    for number, (name, preset) in enumerate(systems):
        learned = name.removesuffix(PSE) in LEARNED_SYSTEMS
        for seed in range(seeds if learned else 1):
            job = Job(name, preset or "default", seed, window, slide)
            plan.append((number, False, job))
        trials = tuning_grid(name) if tune else []
        plan += [(number, True, Job(name, "default", 0, window, slide, t)) for t in trials]
    jobs = [job for _, _, job in plan]
    results = run_jobs(jobs, stream, encoder, workers=workers, on_slide=on_slide)
    rows = []
    done = zip(plan, results, strict=True)
    for (number, trial), group in groupby(done, key=lambda item: item[0][:2]):
        name, preset = systems[number]
        entries = [(job, result) for (_, _, job), result in group]
        if trial:
            job, result = max(entries, key=lambda entry: entry[1].windowed.b3_f1)
            rows.append(Row(name, preset, [result], tuned=True, parameters=job.parameters))
        else:
            rows.append(Row(name, preset, [result for _, result in entries]))
    return rows
