"""What a study hands back, and how it is written: Markdown, CSV, and a picture as PNG and SVG."""

from __future__ import annotations

import csv
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scstory.errors import UsageError
from scstory.evaluation.report import markdown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Cell = str | int | float | None

COLUMN, PAGE = 3.4, 7.0
"""Widths in inches of a column and of both columns of a paper; text keeps its size in print."""

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
PALETTE = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#5A5A5A")
"""Colours that colour-blind readers can distinguish (after Okabe and Ito)."""
MARKERS = ("o", "s", "^", "D", "v", "P")
SKY, GREY = "#7FBCE6", "#B3B3B3"

STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "hatch.linewidth": 0.6,
    "savefig.dpi": 300,
    "svg.hashsalt": "scstory",
}


@dataclass(frozen=True)
class Table:
    """A header and rows below it."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Outcome:
    """What a study found: a table, a picture, and what a reader must know of them."""

    title: str
    table: Table
    draw: Callable[[Figure], None]
    size: tuple[float, float]
    """Width and height of the picture in inches."""
    notes: Sequence[str] = ()
    body: str = ""
    """Markdown below the table and its notes."""
    records: Table | None = None
    """What goes into the CSV where that is more than the table."""


def make_folder(folder: Path) -> None:
    """Make a folder to write to; say so at once where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".scstory-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); set --out") from error


def write_outcome(
    outcome: Outcome, folder: Path, name: str, *, command: str, about: str, made_with: str = ""
) -> list[Path]:
    """Write a study's four files; return where they are."""
    make_folder(folder)
    page, data, png, svg = (folder / f"{name}.{kind}" for kind in ("md", "csv", "png", "svg"))
    parts = [
        f"# {outcome.title}",
        about,
        f"![{outcome.title}]({png.name})",
        markdown([[escaped(cell) for cell in line] for line in as_text(outcome.table)]),
        "\n".join(f"- {note}" for note in outcome.notes),
        outcome.body.strip(),
        f"Made by:\n\n```console\n$ {command}\n```",
        made_with,
    ]
    page.write_text("\n\n".join(part for part in parts if part) + "\n", "utf-8")
    table = outcome.records or outcome.table
    with data.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.header)
        writer.writerows(table.rows)
    _write_picture(outcome, png, svg)
    return [page, data, png, svg]


def as_text(table: Table) -> list[tuple[str, ...]]:
    """Return a table as text, the header first."""
    return [tuple(table.header), *(tuple(shown(cell) for cell in row) for row in table.rows)]


def shown(cell: Cell) -> str:
    """Return a cell as a reader sees it.

    >>> shown(0.87654), shown(0.00001), shown(16136), shown(None)
    ('0.877', '1e-05', '16,136', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.3f}" if not cell or abs(cell) >= 0.001 else f"{cell:.3g}"
    return cell if isinstance(cell, str) else f"{cell:,}"


def escaped(text: str) -> str:
    r"""Return text from outside so that Markdown leaves it as it is.

    >>> print(escaped("a|b *c*"))
    a\|b \*c\*
    """
    one_line = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in one_line)


def short(text: str, width: int) -> str:
    r"""Return text from outside, cut to a width and safe to put into a picture.

    >>> print(short("A $1 bill and a $2 bill were found", 22))
    A \$1 bill and a \$2 …
    """
    line = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    cut = textwrap.shorten(line, width, placeholder=" …")
    if len(cut) <= 2 < len(line):  # one long word
        cut = line[: width - 1] + "…"
    return cut.replace("$", r"\$")  # a pair of $ would be read as mathematics


def label_panel(axes: Axes, letter: str, text: str) -> None:
    """Put a panel's letter and name above it, flush left."""
    axes.set_title(f"({letter}) {text}", loc="left", pad=4)


def _write_picture(outcome: Outcome, png: Path, svg: Path) -> None:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(STYLE), warnings.catch_warnings():
        # Scripts that the font lacks appear as boxes; the Markdown has the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=outcome.size, layout="constrained")
        FigureCanvasAgg(figure)
        outcome.draw(figure)
        _settle(figure)
        figure.savefig(png)
        figure.savefig(svg, metadata={"Date": None})


def _settle(figure: Figure) -> None:
    """Lay a figure out, and round where its axes are: the solver's last digits are not the same
    in every run."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, low, width, height = (round(float(v), 4) for v in axes.get_position().bounds)
        axes.set_position((left, low, width, height))
