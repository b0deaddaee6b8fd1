"""Corrections by people: do the other articles gain, if a few wrong ones are put right?

When a slide closes, each article of the window that stands in a story of another label's majority
is corrected with some probability: it is moved to the story that has most articles of its label,
or split out if there is none. The corrections go the way that those of editors go. Then all
articles that were never corrected are scored, against the same stream without corrections.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scstory.discovery import Engine
from scstory.discovery.corrections import Correction
from scstory.discovery.describe import undescribed
from scstory.discovery.presets import make_engine, make_settings
from scstory.discovery.slides import by_slide
from scstory.evaluation.harness import LabelledStream
from scstory.evaluation.metrics import b_cubed
from scstory.evaluation.studies.output import GREY, PAGE, PALETTE, Cell, Outcome, Table
from scstory.evaluation.studies.setting import Setting
from scstory.types import Assignment, EncodedArticle

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


@dataclass
class Run:
    """The last story of each article, and those that were corrected."""

    found: dict[str, int] = field(default_factory=dict)
    corrected: set[str] = field(default_factory=set)

    def follow(self, decided: list[Assignment]) -> None:
        """Take note of decisions."""
        self.found.update((one.article, one.story) for one in decided)

    def f1(self, truth: Mapping[str, str], without: set[str]) -> float:
        """Return the B³-F1 of the articles with a label, but for some."""
        some = [a for a in self.found if a in truth and a not in without]
        return b_cubed([truth[a] for a in some], [self.found[a] for a in some])[2]


def corrections(setting: Setting, *, share: float = SHARE) -> Outcome:
    """Run the default method with and without corrections of a random share of wrong articles."""
    stream, rows = setting.stream, list[list[Cell]]()
    total, done = 1 + len(VARIANTS) * setting.seeds, 1
    plain = run(setting, stream, {}, share=0.0, seed=0)
    setting.on_progress(done, total)
    for name, changes in VARIANTS.items():
        gains, numbers = [], []
        for seed in range(setting.seeds):
            found = run(setting, stream, changes, share=share, seed=seed)
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


def run(
    setting: Setting,
    stream: LabelledStream,
    changes: Mapping[str, object],
    *,
    share: float,
    seed: int,
) -> Run:
    """Run the default method over a stream, and correct some wrong articles after each slide."""
    own = setting.known_to("scstory", "default")
    given = {**own, **changes, "window": setting.window, "slide": setting.slide}
    engine = make_engine(make_settings("default", given), setting.encoder, device=setting.device)
    engine.describe_with(undescribed)
    rng, found = np.random.default_rng(seed), Run()
    length = engine.settings.slide_length
    encoded = _encoded(engine, stream)
    for _, some in by_slide(encoded, lambda one: one.article.published, length, None):
        found.follow(engine.decide(some))
        found.follow(engine.close())
        if share:
            _correct(engine, stream.truth, found, rng, share)
    found.follow(engine.finish())
    return found


def _encoded(engine: Engine, stream: LabelledStream) -> list[EncodedArticle]:
    ends = pairwise(stream.ends)
    return engine.encode(
        EncodedArticle(article, reading, stream.vectors[start:end])
        for article, reading, (start, end) in zip(
            stream.articles, stream.readings, ends, strict=True
        )
    )


def _draw(figure: Figure, rows: list[list[Cell]]) -> None:
    panel = figure.subplots()
    gains, spread = ([float(row[place] or 0) for row in rows] for place in (2, 3))
    panel.set_yticks(range(len(rows)), [str(row[0]) for row in rows])
    panel.errorbar(gains, range(len(rows)), xerr=spread, fmt="o", color=PALETTE[0], capsize=3)
    panel.axvline(0, color=GREY, linewidth=0.7)
    panel.set_xlabel("gain in B³-F1 of the articles that were not corrected")
    panel.margins(y=0.3)


def _correct(
    engine: Engine, truth: Mapping[str, str], found: Run, rng: np.random.Generator, share: float
) -> None:
    """Correct a random share of the articles of the window that are in a story of others."""
    window = engine.scope.window
    story = dict(zip(window.members.ids, window.story.tolist(), strict=True))
    labels: dict[int, Counter[str]] = defaultdict(Counter)
    for article, number in story.items():
        if article in truth:
            labels[number][truth[article]] += 1
    majority = {number: some.most_common(1)[0][0] for number, some in labels.items()}
    wrong = [a for a in story if a in truth and majority[story[a]] != truth[a]]
    for article in [a for a in wrong if rng.random() < share]:
        label, left = truth[article], story[article]
        own = [number for number, name in majority.items() if name == label]
        to = max(own, key=lambda number: (labels[number][label], -number), default=None)
        number = len(found.corrected) + 1
        split = to is None
        if to is None:
            to = engine.new_story()
            majority[to] = label
        correction = Correction(
            number=number,
            moves={article: to},
            holds=(article,),
            barred={a: to for a, s in story.items() if s == left and a != article} if split else {},
            apart=((left, to),),
        )
        found.follow(engine.correct(correction))
        labels[left][label] -= 1
        labels[to][label] += 1
        story[article] = to
        found.corrected.add(article)
