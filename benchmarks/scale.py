"""Streams of all sizes simulated from the costs that the other parts have measured."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from benchmarks.page import kept
from benchmarks.window import AT_ONCE
from benchmarks.writer import line
from scstory.runners.plan import Costs, Load, plan

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
BURST = 100_000


def measure() -> dict[str, Any]:
    """Return what was measured, and a plan for each size."""
    costs = _costs()
    plans = {}
    for size in SIZES:
        found = plan(Load(size, burst=min(size, BURST)), costs)
        plans[str(size)] = asdict(found)
    return {"costs": asdict(costs), "plans": plans}


def _costs() -> Costs:
    """Return the defaults, with what was measured on this machine in their place."""
    found: dict[str, float] = {}
    if encoder := kept("encoder"):
        found["sentence_ms"] = encoder["contenders"]["minilm-int8 (ONNX Runtime, 8 bits)"][
            "processor_ms"
        ]
    if writer := kept("writer"):
        found["database_kb"] = list(writer["windows"].values())[-1]["kept_kb"]
    if (window := kept("window")) and len(window["windows"]) > 1:
        rows = list(window["windows"].values())
        articles = [row["articles"] for row in rows]
        committing = max(1000 * row["commit_s"] / AT_ONCE for row in rows if "commit_s" in row)
        costs = {
            "decide": [1000 / row["decided_per_second"] + committing for row in rows],
            "close": [1000 * row["close_s"] for row in rows],
            "memory": [row["resident_megabytes"] for row in rows],
        }
        lines = {what: line(articles, values) for what, values in costs.items()}
        found["decide_ms"] = lines["decide"]["fixed"]
        found["decide_us_window"] = 1000 * lines["decide"]["per_window_article"]
        found["close_ms"] = lines["close"]["fixed"]
        found["close_ms_window"] = lines["close"]["per_window_article"]
        found["writer_mb"] = lines["memory"]["fixed"]
        found["writer_kb_window"] = 1000 * lines["memory"]["per_window_article"]
    return Costs(**{name: round(value, 3) for name, value in found.items()})


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    costs = result["costs"]
    lines = ["| cost | measured |", "|---|---:|"]
    lines += [f"| `{field.name}` | {costs[field.name]:,g} |" for field in fields(Costs)]
    lines += [
        "",
        "| articles per day | shards | window of each | GB per writer | encoder cores | "
        "machines | disk, GB per day | wait, busy hours | slide closing | after a burst |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size, found in result["plans"].items():
        went, after = found["outcome"], found["after_burst"]
        lines.append(
            f"| {int(size):,} | {found['shards']:,} | {found['window']:,} | "
            f"{found['writer_mb'] / 1000:,.1f} | "
            f"{found['encoder_cores']:,} | {found['machines']:,} | {found['disk_gb_day']:,.1f} | "
            f"{_seconds(went['lag'])} | {_seconds(went['longest'])} | {_seconds(after['lag'])} |"
        )
    return "\n".join(lines)


def _seconds(value: float) -> str:
    if value < 10:
        return "under 10 s"
    return f"{value:,.0f} s" if value < 600 else f"{value / 60:,.0f} min"
