"""Puts results into docs/performance.md, between marks, and draws its picture."""

from __future__ import annotations

import json
import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
SCALE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "performance.svg"
RESULTS = Path(__file__).parent / "results"


def keep(name: str, result: dict[str, Any]) -> None:
    """Write a result down, with where and when it was measured."""
    result = {
        **result,
        "machine": _machine(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "load": os.getloadavg()[2],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def kept(name: str) -> dict[str, Any] | None:
    """Return a result that was written down, if there is one."""
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return None
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def fill(name: str, markdown: str, page: Path = PAGE) -> None:
    """Replace what stands between the page's marks for `name`."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    filled, times = pattern.subn(lambda _: f"{begin}\n{markdown}\n{end}", text)
    if times != 1:
        raise SystemExit(f"{page}: no place for {name!r}; put {begin} and {end} where it belongs")
    page.write_text(filled, encoding="utf-8")


def source(result: dict[str, Any]) -> str:
    """Return where and when, as a line of Markdown."""
    cores = os.cpu_count() or 1
    busy = "" if result["load"] < cores + 1 else "; the machine was busy with other work"
    return f"*{result['machine']}, {result['date']}{busy}.*"


def draw() -> None:
    """Draw all results there are into one picture."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "scstory"
    import matplotlib.pyplot as plt

    panels = [(name, drawn) for name, drawn in PANELS.items() if kept(name)]
    figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.4), squeeze=False)
    for axis, (name, drawn) in zip(axes[0], panels, strict=True):
        drawn(axis, kept(name))
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


def _encoder(axis: Any, result: dict[str, Any]) -> None:
    names = list(result["contenders"])
    rates = [1000 / result["contenders"][name]["processor_ms"] for name in names]
    limit = rates[-1] / result["share_of_peak_processor"]
    labels = [name.split(" (")[0].split(",")[0] for name in names] + ["8-bit peak"]
    bars = axis.barh(labels, [*rates, limit], color=["#9aa5b1", "#5b8db8", "#1f5f99", "#e0e4e8"])
    axis.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=9)
    axis.invert_yaxis()
    axis.set_xlim(0, limit * 1.18)
    axis.set_title("Sentences per second of one core's time", fontsize=10)


def _slides(axis: Any, result: dict[str, Any]) -> None:
    for name, row in result["seconds"].items():
        ours = name.startswith("scstory")
        style = {"linewidth": 2.2} if ours else {"linewidth": 0.9, "color": "#9aa5b1"}
        windows = [int(window) for window in row]
        axis.loglog(windows, list(row.values()), label=name if ours else None, **style)
    axis.legend(frameon=False, fontsize=8)
    axis.set_xlabel("articles in the window", fontsize=9)
    axis.set_title(f"Seconds per slide of {result['new']} articles (grey: others)", fontsize=10)


def _memory(axis: Any, result: dict[str, Any]) -> None:
    seen = [(n + 1) * result["a_day"] for n in range(len(result["megabytes"]))]
    axis.plot(seen, result["megabytes"], color="#1f5f99")
    axis.set_ylim(bottom=0)
    axis.set_xlabel("articles so far", fontsize=9)
    axis.set_title("Resident memory, MB", fontsize=10)


def _soak(axis: Any, result: dict[str, Any]) -> None:
    told = result["megabytes"]
    axis.plot(told["times"], told["resident"], color="#1f5f99")
    axis.set_ylim(bottom=0)
    axis.set_xlabel("minutes", fontsize=9)
    axis.set_title("Resident memory of the service in the soak, MB", fontsize=10)


PANELS = {"encoder": _encoder, "slides": _slides, "memory": _memory, "soak": _soak}


def _machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        models = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE)
        if models:
            cpu = f"{len(models)} cores of {models[0].strip()}"
    return cpu
