"""Streams of all sizes simulated from the costs that the other parts have measured."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from benchmarks.page import kept
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
        costs, last = writer["costs"], list(writer["windows"].values())[-1]
        found["decide_ms"] = costs["decide_ms"]["fixed"]
        found["decide_us_window"] = 1000 * costs["decide_ms"]["per_window_article"]
        found["close_ms"] = costs["close_ms"]["fixed"]
        found["close_ms_window"] = costs["close_ms"]["per_window_article"]
        found["database_kb"] = last["kept_kb"]
        found["writer_mb"] = costs["megabytes"]["fixed"]
        found["writer_kb_window"] = 1000 * costs["megabytes"]["per_window_article"]
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
