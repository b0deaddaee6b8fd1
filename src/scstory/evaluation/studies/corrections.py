"""Corrections by people: do the other articles gain, if a few wrong ones are put right?

Some wrong articles are corrected after each slide (`evaluation/correcting.py`). Then all articles
that were never corrected are scored, against the same stream without corrections.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from scstory.evaluation.correcting import CorrectedJob, Run, run_corrected
from scstory.evaluation.studies.output import GREY, PAGE, PALETTE, Cell, Outcome, Table
from scstory.evaluation.studies.setting import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.05
"""The probability that a wrong article is corrected when a slide closes."""
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "respected only": {"correction_weight": 0, "correction_draws": 0},
    "evidence in the fit": {"correction_draws": 0},
    "learned by M as well": {},
}
"""What the method does with corrections, step by step."""


def corrections(setting: Setting, *, share: float = SHARE) -> Outcome:
    """Run the default method with and without corrections of a random share of wrong articles."""
    stream, rows = setting.stream, list[list[Cell]]()
    total, done = 1 + len(VARIANTS) * setting.seeds, 1
    plain = run(setting, {}, share=0.0, seed=0)
    setting.on_progress(done, total)
    for name, changes in VARIANTS.items():
        gains, numbers = [], []
        for seed in range(setting.seeds):
            found = run(setting, changes, share=share, seed=seed)
            others = found.corrected
            gains.append(found.f1(stream.truth, others) - plain.f1(stream.truth, others))
            numbers.append(len(others))
            done += 1
            setting.on_progress(done, total)
        spread = float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0
        rows.append(
            [name, float(np.mean(numbers)), float(np.mean(gains)), spread, min(gains), max(gains)]
        )
    base = plain.f1(stream.truth, set())
    return Outcome(
        "Corrections of some wrong articles, and the others",
        Table(("corrections are", "corrected", "gain of the others", "sd", "least", "most"), rows),
        lambda figure: _draw(figure, rows),
        (PAGE, 2.4),
        [
            f"{setting.scope} B³-F1 of the whole stream without corrections: {base:.3f}. A wrong "
            f"article is corrected with a probability of {share:.0%} when a slide closes. The gain "
            f"is that in B³-F1 of the articles that were not corrected; mean of {setting.seeds} "
            "choices.",
        ],
    )


def run(setting: Setting, changes: Mapping[str, object], *, share: float, seed: int) -> Run:
    """Run the default method in a setting, with corrections of a random share."""
    own = {**setting.known_to("scstory", "default"), **changes}
    job = CorrectedJob(own, share, seed, setting.window, setting.slide, setting.device)
    return run_corrected(job, setting.stream, setting.encoder, finished=setting.finished)


def _draw(figure: Figure, rows: list[list[Cell]]) -> None:
    panel = figure.subplots()
    gains, spread = ([float(row[place] or 0) for row in rows] for place in (2, 3))
    panel.set_yticks(range(len(rows)), [str(row[0]) for row in rows])
    panel.errorbar(gains, range(len(rows)), xerr=spread, fmt="o", color=PALETTE[0], capsize=3)
    panel.axvline(0, color=GREY, linewidth=0.7)
    panel.set_xlabel("gain in B³-F1 of the articles that were not corrected")
    panel.margins(y=0.3)
