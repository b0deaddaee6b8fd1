"""Embedding quality: are articles of one story close, and all others spread out?

    l_align   = E ‖f(x) − f(x⁺)‖²                 over pairs of one story
    l_uniform = log E exp(−2 ‖f(x) − f(y)‖²)      over random pairs

With f of unit length ‖f(x) − f(y)‖² = 2 − 2 cos, so both are means over cosines. Only pairs that
share a window are drawn: no others are ever compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.config import parse_duration
from scstory.discovery.slides import slide_index, slide_start
from scstory.discovery.window import Ints
from scstory.errors import UsageError
from scstory.evaluation.metrics import numbered
from scstory.evaluation.studies.embeddings import (
    Floats,
    cosines,
    sentence_mean,
    tfidf,
    trace_scstory,
    unit,
    whole_article,
    whole_text,
)
from scstory.evaluation.studies.output import BLUE, COLUMN, ORANGE, Cell, Outcome, Table
from scstory.evaluation.studies.setting import Setting
from scstory.evaluation.studies.transformer import TokenMean
from scstory.types import Vectors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAIRS = 20_000
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def alignment(positive: Floats) -> float:
    """Return l_align from the cosines of pairs of one story; lower is better.

    >>> alignment(np.array([1.0, 0.5]))
    0.5
    """
    return float(np.mean(2 - 2 * positive))


def uniformity(random: Floats) -> float:
    """Return l_uniform from the cosines of random pairs; lower is better.

    >>> uniformity(np.array([0.0, 0.0]))
    -4.0
    """
    return float(np.log(np.mean(np.exp(-2 * (2 - 2 * random)))))


def separation(positive: Floats, negative: Floats) -> float:
    """Return how often a pair of one story is closer than a pair of two (the AUC).

    >>> separation(np.array([0.9, 0.5]), np.array([0.1, 0.6]))
    0.75
    """
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([positive, negative]))[: len(positive)]
    wins = ranks.sum() - len(positive) * (len(positive) + 1) / 2
    return float(wins / (len(positive) * len(negative)))


def draw_pairs(
    times: NDArray[np.float64],
    since: NDArray[np.float64],
    groups: Ints,
    count: int,
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Draw pairs of items of one group that share a window, each at most once.

    An item shares a window with the earlier ones from `since` on. Pairs are numbered, not
    listed, so that a long stream needs no more memory than a short one.
    """
    if not len(times):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    order = np.lexsort((times, groups))
    starts = np.empty(len(order), dtype=np.int64)
    cuts = np.flatnonzero(np.diff(groups[order])) + 1
    for part in np.split(np.arange(len(order)), cuts):
        members = order[part]
        starts[part] = part[0] + np.searchsorted(times[members], since[members])
    partners = np.arange(len(order)) - starts
    ends = np.cumsum(partners)
    total = int(ends[-1])
    chosen = rng.choice(total, size=min(count, total), replace=False)
    later = np.searchsorted(ends, chosen, side="right")
    earlier = starts[later] + chosen - (ends[later] - partners[later])
    return order[earlier], order[later]


class Quality(NamedTuple):
    """How one way of embedding does."""

    name: str
    positive: Floats
    negative: Floats
    random: Floats

    def cells(self) -> list[Cell]:
        """Return its row in the table."""
        spread = [float(v) for c in (self.positive, self.negative) for v in (c.mean(), c.std())]
        auc = separation(self.positive, self.negative)
        return [self.name, alignment(self.positive), uniformity(self.random), *spread, auc]


def embedding_quality(setting: Setting, *, pairs: int = PAIRS) -> Outcome:
    """Embed the stream in every way there is, and compare pairs of articles."""
    stream = setting.stream
    texts = [whole_text(article) for article in stream.articles]
    ways: list[tuple[str, Vectors | csr_array]] = [("TF-IDF", tfidf(stream, setting.slide))]
    not_run: list[list[Cell]] = []

    def add_transformer(model: str | None, flag: str, kind: str) -> None:
        if model is None:
            not_run.append([f"{kind}, token mean", f"not run: name one with {flag}"])
        else:
            tokens = TokenMean(model)
            ways.append((f"{tokens.name}, token mean", unit(tokens.encode(texts))))

    add_transformer(setting.bert, "--bert", "BERT")
    ways.append(("PSE, whole article", whole_article(stream, setting.encoder)))
    ways.append(("PSE, sentence mean", sentence_mean(stream)))
    add_transformer(setting.longformer, "--longformer", "Longformer")
    trace = trace_scstory(setting)
    lacking = np.zeros(setting.encoder.dim, dtype=np.float32)
    learned = np.stack([trace.vectors.get(a.id, lacking) for a in stream.articles])
    ways.append((f"SCStory ({setting.one_preset})", unit(learned)))

    usable = [a.id in stream.truth and a.id in trace.vectors for a in stream.articles]
    drawn = _draw_all(setting, np.flatnonzero(usable), pairs)
    found = [
        Quality(name, *(cosines(rows, one, other) for one, other in drawn)) for name, rows in ways
    ]
    notes = [
        "Alignment and uniformity: lower is better. AUC: how often a positive pair (one story) is "
        "closer than a negative one (two stories).",
        f"{len(drawn[0][0]):,} positive, {len(drawn[1][0]):,} negative and {len(drawn[2][0]):,} "
        f"random pairs, all of articles that share a window of {setting.window}; the same pairs in "
        "every row.",
        f"PSE: {setting.encoder.name}. SCStory's vectors are those of the last slide an article "
        "was in the window, with seed 0.",
        *setting.centred,
    ]
    head = ("embedding", "alignment", "uniformity", "positive cos", "±", "negative cos", "±", "AUC")
    lines = [quality.cells() for quality in found]
    lines += [[*cells, *[None] * (len(head) - len(cells))] for cells in not_run]
    return Outcome(
        "Quality of article embeddings",
        Table(head, lines),
        lambda figure: _draw(figure, found),
        (COLUMN, 0.75 + 0.36 * len(found)),
        notes,
        records=_records(found),
    )


def _draw_all(setting: Setting, usable: Ints, count: int) -> list[tuple[Ints, Ints]]:
    """Return positive, negative and random pairs, as row numbers of the stream."""
    slide = parse_duration(setting.slide, what="slide")
    window = parse_duration(setting.window, what="window")
    articles = [setting.stream.articles[i] for i in usable]
    times = np.array([article.published.timestamp() for article in articles])
    ends = [slide_start(slide_index(a.published, slide) + 1, slide) for a in articles]
    since = np.array([(end - window).timestamp() for end in ends])
    labels = [setting.stream.truth[article.id] for article in articles]
    story = numbered(labels)
    rng = np.random.default_rng(0)
    positive = draw_pairs(times, since, story, count, rng)
    everything = np.zeros_like(story)
    random = draw_pairs(times, since, everything, count, rng)
    first, second = draw_pairs(times, since, everything, 4 * count, rng)
    different = story[first] != story[second]
    negative = first[different][:count], second[different][:count]
    if not len(positive[0]) or not len(negative[0]):
        raise UsageError(
            f"no pairs to compare: within {setting.window} there must be two articles of one "
            "story and two of different stories; set --window"
        )
    return [(usable[one], usable[other]) for one, other in (positive, negative, random)]


def _records(found: Sequence[Quality]) -> Table:
    kinds = ("positive", "negative")
    header = ["embedding", "alignment", "uniformity"]
    header += [f"{kind}_{name}" for kind in kinds for name in ("mean", "sd")]
    header += ["auc", *(f"{kind}_q{round(100 * q):02d}" for kind in kinds for q in QUANTILES)]
    rows: list[list[Cell]] = []
    for quality in found:
        cosines_of = (quality.positive, quality.negative)
        quantiles = [q for values in cosines_of for q in np.quantile(values, QUANTILES).tolist()]
        rows.append([*quality.cells(), *quantiles])
    return Table(header, rows)


def _draw(figure: Figure, found: Sequence[Quality]) -> None:
    panels = figure.subplots(1, 3, sharey=True, width_ratios=(1, 1, 1.8))
    places = np.arange(len(found))
    for axes, text, values in (
        (panels[0], "alignment ↓", [alignment(q.positive) for q in found]),
        (panels[1], "uniformity ↓", [uniformity(q.random) for q in found]),
    ):
        axes.hlines(places, 0, values, color="#9E9E9E", linewidth=1)
        axes.plot(values, places, "o", color=BLUE, clip_on=False)
        axes.axvline(0, color="black", linewidth=0.6)
        far = 1.1 * max(values, key=abs)
        axes.set_xlim(min(far, 0), max(far, 0))
        axes.set_xlabel(text, fontsize=7)
        axes.locator_params(axis="x", nbins=2)
    _half_violins(panels[2], [q.positive for q in found], places, BLUE, "low")
    _half_violins(panels[2], [q.negative for q in found], places, ORANGE, "high")
    panels[2].set_xlabel("cosine of pairs", fontsize=7)
    panels[2].set_xlim(right=1)
    panels[0].set_yticks(places, [quality.name.replace(", ", ",\n") for quality in found])
    panels[0].set_ylim(len(found) - 0.45, -0.55)
    panels[0].get_yticklabels()[-1].set_fontweight("bold")
    for axes in panels:
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
    _legend(figure)


def _half_violins(
    axes: Axes, values: Sequence[Floats], places: NDArray[Any], colour: str, side: Any
) -> None:
    drawn: Any = axes.violinplot(
        list(values),
        places,
        orientation="horizontal",
        widths=0.85,
        side=side,
        showextrema=False,
        points=200,
    )
    for body in drawn["bodies"]:
        body.set(facecolor=colour, edgecolor=colour, alpha=0.65, linewidth=0.5)


def _legend(figure: Figure) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=BLUE, alpha=0.65, label="one story"),
        Patch(facecolor=ORANGE, alpha=0.65, label="two stories"),
    ]
    figure.legend(handles=handles, loc="outside lower right", ncols=2)
