"""The picture of the case study: two maps, the sentences of two articles as bars, and below them
what each system found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Ints
from scstory.evaluation.metrics import score
from scstory.evaluation.studies.output import MARKERS, PALETTE, label_panel, short
from scstory.types import Article

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SENTENCES = 8
"""Sentences of a boundary article in the picture: those with the highest weights."""


@dataclass(frozen=True)
class Boundary:
    """An article that the sentence encoder puts nearer to another story than most, if not nearer
    than to its own, and that SCStory still placed with its own.
    """

    letter: str
    article: Article
    row: int
    """Its place among the articles on the map."""
    own: int
    other: int
    before: tuple[float, float]
    """Cosine to its own story and to the other one, by mean sentence vectors."""
    after: tuple[float, float]
    """The same, by SCStory's vectors."""
    sentences: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class View:
    """What a system found of the articles on the map."""

    system: str
    found: Ints
    matched: Ints
    """The true story to which most articles belong that were found together with each one."""
    main: NDArray[np.bool_]
    """Whether an article is in the largest of the stories that its true one was found as."""
    b3_f1: float


def view_of(system: str, story: Ints, found: Ints) -> View:
    """Return what a system found, given the true story of each article."""
    matched, main = np.empty_like(story), np.zeros(len(story), dtype=bool)
    for number in np.unique(found):
        together = found == number
        matched[together] = np.bincount(story[together]).argmax()
    for number in np.unique(story):
        own = story == number
        (largest, _), *_ = Counter(found[own].tolist()).most_common(1)
        main |= own & (found == largest)
    return View(system, found, matched, main, score(story.tolist(), found.tolist()).b3_f1)


@dataclass(frozen=True)
class Scene:
    """The articles on the map and where they stand."""

    articles: Sequence[Article]
    story: Ints
    names: Sequence[str]
    """What each story is about, in a few keywords."""
    shade: NDArray[np.float64]
    """0 for the oldest article of a story, 1 for the newest."""
    before: NDArray[np.float32]
    after: NDArray[np.float32]
    boundary: Sequence[Boundary]
    views: Sequence[View] = ()


def draw_case_study(figure: Figure, scene: Scene) -> None:
    """Draw the maps to the left, the articles to the right, the systems below."""
    columns = 6 * len(scene.views)
    grid = figure.add_gridspec(3, columns, height_ratios=(1.3, 1.3, 1))
    middle = 2 * columns // 5
    for row, (places, letter, text) in enumerate(
        (
            (scene.before, "a", "mean sentence vectors; darker is newer"),
            (scene.after, "b", "SCStory"),
        )
    ):
        axes = figure.add_subplot(grid[row, :middle])
        _draw_map(axes, scene, places)
        label_panel(axes, letter, text)
    for row, (case, letter) in enumerate(zip(scene.boundary, "cd", strict=False)):
        axes = figure.add_subplot(grid[row, middle:])
        _draw_case(axes, case, scene.names)
        label_panel(axes, letter, f"article {case.letter}: {short(case.article.title, 48)}")
    for number, (view, letter) in enumerate(zip(scene.views, "efghi", strict=True)):
        axes = figure.add_subplot(grid[2, 6 * number : 6 * (number + 1)])
        _draw_view(axes, scene, view)
        label_panel(axes, letter, view.system)
        axes.set_xlabel(f"B³-F1 {view.b3_f1:.3f}")
    _legend(figure, scene.names)


def _draw_map(axes: Axes, scene: Scene, places: NDArray[np.float32]) -> None:
    from matplotlib.patheffects import withStroke

    for number in range(len(scene.names)):
        own = np.flatnonzero(scene.story == number)
        axes.scatter(
            places[own, 0],
            places[own, 1],
            s=13,
            c=[_shaded(PALETTE[number], scene.shade[i]) for i in own],
            marker=MARKERS[number],
            linewidths=0.25,
            edgecolors="white",
        )
    for case, (right, up) in zip(scene.boundary, _sides(scene, places), strict=True):
        x, y = places[case.row].tolist()
        axes.scatter(x, y, s=60, facecolors="none", edgecolors="black", linewidths=1)
        axes.annotate(
            case.letter,
            (x, y),
            xytext=(9 * right, 10 * up),
            textcoords="offset points",
            ha="center",
            va="center_baseline",
            fontsize=9,
            fontweight="bold",
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(True)
    axes.margins(0.1)


def _draw_view(axes: Axes, scene: Scene, view: View) -> None:
    """Draw the map of mean sentence vectors in the colours of what a system found."""
    places, right = scene.before, view.matched == scene.story
    for number in range(len(scene.names)):
        for main, filled in ((True, PALETTE[number]), (False, "none")):
            own = right & (scene.story == number) & (view.main == main)
            axes.scatter(
                places[own, 0],
                places[own, 1],
                s=9,
                facecolors=filled,
                edgecolors=PALETTE[number],
                marker=MARKERS[number],
                linewidths=0.6,
            )
        wrong = ~right & (view.matched == number)
        axes.scatter(
            places[wrong, 0],
            places[wrong, 1],
            s=16,
            color=PALETTE[number],
            marker="x",
            linewidths=1.2,
        )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(True)
    axes.margins(0.1)


def _sides(scene: Scene, places: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return on which side of its ring each letter covers least: right or left, up or down."""
    extent = np.maximum(np.ptp(places, axis=0), 1e-9)
    points = (places - places.min(axis=0)) / extent
    chosen = []
    for case in scene.boundary:
        others = np.delete(points, case.row, axis=0)
        room = {
            side: np.linalg.norm(others - (points[case.row] + 0.07 * np.array(side)), axis=1)
            for side in ((0, 1), (0, -1), (1, 0), (-1, 0))
        }
        chosen.append(max(room, key=lambda side: room[side].min(initial=np.inf)))
    return chosen


def _shaded(colour: str, shade: float) -> tuple[float, float, float]:
    """Return a colour paler (0) to darker (1)."""
    from matplotlib.colors import to_rgb

    pale, dark = 0.62 * (1 - shade), 0.35 * max(shade - 0.5, 0) * 2
    red, green, blue = ((part + (1 - part) * pale) * (1 - dark) for part in to_rgb(colour))
    return red, green, blue


def _draw_case(axes: Axes, case: Boundary, names: Sequence[str]) -> None:
    """Draw sentences as text upon bars as long as their weights."""
    heaviest = sorted(range(len(case.sentences)), key=lambda i: -case.sentences[i][1])
    chosen = sorted(heaviest[:SENTENCES])
    weights = [case.sentences[i][1] for i in chosen]
    places = range(len(chosen))
    axes.barh(places, weights, 0.86, color=_shaded(PALETTE[case.own], 0))
    for place, i in enumerate(chosen):
        axes.text(
            0.008,
            place,
            short(case.sentences[i][0], 62),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=7,
            clip_on=True,
        )
    axes.set_yticks(places, [f"{weight:.3f}" for weight in weights])
    axes.set_ylim(len(chosen) - 0.5, -0.5)
    axes.set_xlim(0, max(weights) * 1.02)
    even = 1 / len(case.sentences)
    axes.axvline(even, color="#404040", linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    own, other = (names[number].split(", ")[0] for number in (case.own, case.other))
    label = f"own story: {short(own, 18)}; nearest other: {short(other, 18)}; dashed: equal"
    axes.set_xlabel(label, fontsize=7, loc="left")


def _legend(figure: Figure, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, label=short(name, 42))
        for name, colour, marker in zip(names, PALETTE, MARKERS, strict=False)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, columnspacing=1.5)
