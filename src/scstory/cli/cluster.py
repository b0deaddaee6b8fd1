"""``scstory cluster``: machines that encode together. Each is a member until it is stopped."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import AsJson, RayAddress, command_group, parse_overrides

if TYPE_CHECKING:
    from scstory.runners.plan import Plan

app = command_group("Encode on several machines: start a cluster, join it, show its machines.")
Host = Annotated[
    str | None,
    typer.Option(
        "--host", metavar="ADDRESS", help="The address at which the others reach this machine."
    ),
]
CostList = Annotated[
    list[str] | None,
    typer.Option("--cost", metavar="NAME=VALUE", help="A cost measured on your machines."),
]
LargestWindow = Annotated[int, typer.Option(min=1, help="The most articles in a writer's window.")]
Burst = Annotated[int, typer.Option(min=0, help="Articles that arrive at once, at the peak.")]
Pause = Annotated[str, typer.Option(help="The longest wait when a slide closes, at midnight.")]
Gpus = Annotated[
    int | None, typer.Option("--gpus", min=0, help="GPUs for the cluster [default: all].")
]


@app.command("start")
def start(
    host: Host = None,
    port: Annotated[int, typer.Option(min=1, max=65535)] = 6379,
    cpus: Annotated[
        int | None, typer.Option(min=0, help="Cores for the cluster [default: all but one].")
    ] = None,
    gpus: Gpus = None,
) -> None:
    """Start a cluster with this machine as its first member, until stopped.

    The writer (scstory run --runner ray, or serve) runs here, on the remaining core.
    """
    from scstory.runners.cluster import hold, token_place

    def started(address: str) -> None:
        _say(
            f"cluster started at {address}:{port} with {cpus} of this machine's cores\n"
            f"on other machines, with the token of {token_place()}:\n"
            f"  scstory cluster join {address}:{port}\n"
            "on this one:\n"
            "  scstory run SOURCE --runner ray\n"
            "Ctrl-C ends the cluster."
        )

    if cpus is None:
        cpus = max(1, (os.cpu_count() or 2) - 1)
    hold(host=host, port=port, cpus=cpus, gpus=gpus, on_started=started)


@app.command("join")
def join(
    head: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The machine that started it.")],
    host: Host = None,
    cpus: Annotated[
        int | None, typer.Option(min=0, help="Cores for the cluster [default: all].")
    ] = None,
    gpus: Gpus = None,
) -> None:
    """Join a cluster with this machine, until stopped; work that gets lost is repeated."""
    from scstory.runners.cluster import hold

    hold(
        head=head,
        host=host,
        cpus=cpus,
        gpus=gpus,
        on_started=lambda address: _say(f"joined {head} as {address}; Ctrl-C leaves it"),
    )


@app.command("status")
def status(ray_address: RayAddress = None, as_json: AsJson = False) -> None:
    """Show the machines of a cluster with their cores and GPUs."""
    from scstory.config import load_settings
    from scstory.runners.cluster import connect, nodes

    disconnect = connect(load_settings(ray_address=ray_address).ray_address)
    try:
        found = nodes()
    finally:
        disconnect()
    if as_json:
        for node in found:
            line = {"address": node.address, "head": node.head, "cpus": node.cpus}
            sys.stdout.write(json.dumps({**line, "gpus": node.gpus}) + "\n")
        return
    sys.stdout.write(f"{'machine':<40} {'cores':>6} {'GPUs':>5}\n")
    for node in found:
        name = f"{node.address}{' (started here)' if node.head else ''}"
        sys.stdout.write(f"{name:<40} {node.cpus:>6} {node.gpus:>5}\n")


@app.command("plan")
def plan(
    articles: Annotated[
        int, typer.Option("--articles-per-day", min=1, help="Articles on an average day.")
    ],
    peak: Annotated[float, typer.Option(help="The peak rate divided by the mean.")] = 2.0,
    burst: Burst = 0,
    sentences: Annotated[
        float, typer.Option(min=1, max=50, help="Mean sentences per article.")
    ] = 20.0,
    window: Annotated[str, typer.Option(help="The window.")] = "7d",
    lag: Annotated[str, typer.Option(help="The longest wait of an article at the peak.")] = "5m",
    pause: Pause = "30m",
    cores: Annotated[int, typer.Option(min=1, help="Cores per machine.")] = 16,
    memory: Annotated[float, typer.Option(min=1, help="Memory per machine, in GB.")] = 64.0,
    largest_window: LargestWindow = 50_000,
    gpu: Annotated[bool, typer.Option("--gpu", help="Encode on GPUs.")] = False,
    costs: CostList = None,
    as_json: AsJson = False,
) -> None:
    """Simulate days of a stream; print the machines it needs and how long articles wait.

    The costs are those measured in docs/performance.md, except for those given with --cost.
    """
    from dataclasses import asdict

    from scstory.config import parse_duration
    from scstory.runners import plan as planning

    load = planning.Load(
        articles_per_day=articles,
        peak=peak,
        burst=burst,
        sentences=sentences,
        window_days=parse_duration(window, what="window").total_seconds() / 86_400,
    )
    measured = planning.override(planning.Costs(), parse_overrides(costs))
    found = planning.plan(
        load,
        measured,
        lag=parse_duration(lag, what="lag").total_seconds(),
        pause=parse_duration(pause, what="pause").total_seconds(),
        cores=cores,
        memory_gb=memory,
        largest_window=largest_window,
        gpus=gpu,
    )
    if as_json:
        line = {"load": asdict(load), "costs": asdict(measured), "plan": asdict(found)}
        sys.stdout.write(json.dumps(line) + "\n")
        return
    mean = articles / 86_400
    machine = f"{cores} cores and {memory:g} GB"
    rows = {
        "articles per second": f"{mean:,.1f} on average, {peak * mean:,.1f} at the peak",
        **_needed(found, machine),
    }
    for name, value in rows.items():
        sys.stdout.write(f"{name:<20} {value}\n")
    sys.stdout.write("This is a simulation with measured costs; see --cost and docs/scale.md.\n")


def _needed(found: Plan, machine: str) -> dict[str, str]:
    """Return what a plan needs, in words."""
    outcome = found.outcome
    encoding = f"{found.gpus:,} GPUs" if found.gpus else f"{found.encoder_cores:,} cores"
    rows = {
        "shards": f"{found.shards:,}, each with its own writer and database",
        "window of a shard": f"{found.window:,} articles, {found.writer_mb / 1000:,.1f} GB",
        "encoding": f"{encoding}, busy {outcome.encoders_busy:.0%} of the day",
        "writers": f"busy {outcome.writers_busy:.0%} of the day",
        "machines": f"{found.machines:,} of {machine}",
        "disk": f"{found.disk_gb_day:,.1f} GB per day",
        "wait": f"{outcome.lag:,.0f} s at the peak, {outcome.longest:,.0f} s when a slide closes",
    }
    if after := found.after_burst:
        rows["after the burst"] = f"{after.lag:,.0f} s, with at most {after.waiting:,} waiting"
    return rows


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
