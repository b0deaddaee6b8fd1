"""Pictures of stories for notebooks: when they were reported, and which are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scstory.discovery.history import Placed
from scstory.discovery.places import place
from scstory.errors import UsageError
from scstory.extras import load_extra
from scstory.types import Story, Vectors
from scstory.vectors import Encoder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE_LENGTH = 60
LEAST_DOT, DOT_PER_ARTICLE = 12.0, 22.0
"""Areas of a dot, in square points: of the smallest, and what each article adds."""
LABELLED = 12
"""Stories on the map with their title beside them, the largest ones."""


def plot_timeline(stories: Sequence[Story], placed: Sequence[Placed], ax: Axes | None) -> Axes:
    """Draw a line per story from its first article to its last, with a dot for each day."""
    _refuse_nothing(stories)
    axes = ax if ax is not None else _new_axes(height=1.2 + 0.36 * len(stories))
    days: dict[int, Counter[Any]] = {story.id: Counter() for story in stories}
    for one in placed:
        if one.story in days:
            days[one.story][one.article.published.date()] += 1
    for row, story in enumerate(stories):
        colour = f"C{row % 10}"
        axes.hlines(row, story.first_seen, story.last_seen, color=colour, alpha=0.35)  # type: ignore[arg-type]
        counts = days[story.id]
        sizes = [LEAST_DOT + DOT_PER_ARTICLE * count for count in counts.values()]
        noons = [np.datetime64(day, "h") + 12 for day in counts]
        axes.scatter(noons, [row] * len(noons), s=sizes, color=colour, zorder=2)
    axes.set_yticks(range(len(stories)), [_label(story) for story in stories])
    axes.set_ylim(len(stories) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    axes.set_title("A dot is a day; the larger, the more articles", loc="left", fontsize="medium")
    dates: Any = load_extra("matplotlib.dates", extra="notebook", purpose="a picture")
    locator = dates.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    return axes


def plot_map(stories: Sequence[Story], encoder: Encoder, ax: Axes | None) -> Axes:
    """Draw stories as circles, alike ones near each other, the largest with their titles."""
    _refuse_nothing(stories)
    axes = ax if ax is not None else _new_axes(height=6.5)
    points = place(story_vectors(stories, encoder))
    sizes = [LEAST_DOT + DOT_PER_ARTICLE * story.size for story in stories]
    colours = [f"C{row % 10}" for row in range(len(stories))]
    axes.scatter(points[:, 0], points[:, 1], s=sizes, c=colours, alpha=0.7)
    for story, (x, y) in list(zip(stories, points.tolist(), strict=True))[:LABELLED]:
        side, offset = ("right", -6) if x > 0.4 else ("left", 6)
        axes.annotate(
            _label(story, 36),
            (x, y),
            (offset, 4),
            textcoords="offset points",
            ha=side,
            fontsize="small",
        )
    axes.margins(0.15)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_title("Stories near each other are alike", loc="left", fontsize="medium")
    return axes


def story_vectors(stories: Sequence[Story], encoder: Encoder) -> Vectors:
    """Return a vector for each story: the mean of those of its title and its key sentences.

    A story that ended has no article in the window any more, but it still has these sentences.
    """
    texts = [[story.title, *(key.text for key in story.key_sentences)] for story in stories]
    vectors = encoder.encode([sentence for some in texts for sentence in some])
    ends = np.cumsum([len(some) for some in texts])
    means = [part.mean(axis=0) for part in np.split(vectors, ends[:-1])]
    centred: Vectors = np.stack(means) - np.mean(means, axis=0)
    return centred


def _new_axes(*, height: float) -> Axes:
    pyplot: Any = load_extra("matplotlib.pyplot", extra="notebook", purpose="a picture")
    _, axes = pyplot.subplots(figsize=(10, height), layout="constrained")
    made: Axes = axes
    return made


def _refuse_nothing(stories: Sequence[Story]) -> None:
    if not stories:
        raise UsageError("no stories to draw; call discover with articles first")


def _label(story: Story, length: int = TITLE_LENGTH) -> str:
    # A dollar sign would start a formula.
    title = " ".join(story.title.split()).replace("$", r"\$")
    return title if len(title) <= length else f"{title[: length - 1].rstrip()}…"
