"""``scstory cluster``: machines that encode together. Each takes part until it is stopped."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from scstory.cli.options import AsJson, RayAddress

app = typer.Typer(
    help="Machines that encode for one keeper: start a cluster, join it, look at it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Host = Annotated[
    str | None,
    typer.Option("--host", metavar="ADDRESS", help="What the others reach this machine by."),
]
Gpus = Annotated[int | None, typer.Option("--gpus", min=0, help="GPUs to give [default: all].")]


@app.command("start")
def start(
    host: Host = None,
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 6379,
    cpus: Annotated[
        int | None, typer.Option("--cpus", min=0, help="Cores to give [default: all but one].")
    ] = None,
    gpus: Gpus = None,
) -> None:
    """Start a cluster with this machine, and take part in it until stopped.

    The keeper (scstory run --runner ray, or serve) runs here, on the core that is left.
    """
    from scstory.runners.cluster import hold, token_place

    def started(address: str) -> None:
        _say(f"cluster started at {address}:{port} with {cpus} of this machine's cores")
        _say(f"on other machines, with the token of {token_place()}:")
        _say(f"  scstory cluster join {address}:{port}")
        _say("on this one:")
        _say("  scstory run SOURCE --runner ray")
        _say("Ctrl-C ends the cluster.")

    if cpus is None:
        cpus = max(1, (os.cpu_count() or 2) - 1)
    hold(host=host, port=port, cpus=cpus, gpus=gpus, on_started=started)


@app.command("join")
def join(
    head: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Where it was started.")],
    host: Host = None,
    cpus: Annotated[
        int | None, typer.Option("--cpus", min=0, help="Cores to give [default: all].")
    ] = None,
    gpus: Gpus = None,
) -> None:
    """Take part in a cluster with this machine, until stopped; work that is lost is done again."""
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
    """Show the machines of a cluster and what they give."""
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
    articles: Annotated[int, typer.Option("--articles-per-day", min=1, help="On an average day.")],
    peak: Annotated[float, typer.Option("--peak", help="The busiest moment over the mean.")] = 2.0,
    burst: Annotated[
        int, typer.Option("--burst", min=0, help="Articles that come at once, at that moment.")
    ] = 0,
    sentences: Annotated[
        float, typer.Option("--sentences", min=1, max=50, help="Of an article, on average.")
    ] = 20.0,
    window: Annotated[str, typer.Option("--window", help="The window.")] = "7d",
    lag: Annotated[
        str, typer.Option("--lag", help="How long an article may wait when most come in.")
    ] = "5m",
    pause: Annotated[
        str, typer.Option("--pause", help="How long it may wait when a slide closes, at midnight.")
    ] = "30m",
    cores: Annotated[int, typer.Option("--cores", min=1, help="Of a machine.")] = 16,
    memory: Annotated[float, typer.Option("--memory", min=1, help="Of a machine, in GB.")] = 64.0,
    largest_window: Annotated[
        int, typer.Option("--largest-window", min=1, help="Articles in a keeper's window, at most.")
    ] = 50_000,
    gpu: Annotated[bool, typer.Option("--gpu", help="Encode on GPUs.")] = False,
    costs: Annotated[
        list[str] | None,
        typer.Option("--cost", metavar="NAME=VALUE", help="A cost measured on your machines."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate days of a stream; say how many machines it needs and how long articles wait.

    The costs are those measured in docs/performance.md unless --cost says otherwise.
    """
    from dataclasses import asdict

    from scstory.cli.options import parse_overrides
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
    went = found.outcome
    encoding = f"{found.gpus:,} GPUs" if gpu else f"{found.encoder_cores:,} cores"
    mean = articles / 86_400
    rows = {
        "articles a second": f"{mean:,.1f} on average, {peak * mean:,.1f} at the busiest moment",
        "shards": f"{found.shards:,}, each with its own keeper and database",
        "window of a shard": f"{found.window:,} articles, {found.keeper_mb / 1000:,.1f} GB",
        "encoding": f"{encoding}, busy {went.encoders_busy:.0%} of the day",
        "keepers": f"busy {went.keepers_busy:.0%} of the day",
        "machines": f"{found.machines:,} of {cores} cores and {memory:g} GB",
        "disk": f"{found.disk_gb_day:,.1f} GB a day",
        "wait": f"{went.lag:,.0f} s in the busy hours, {went.longest:,.0f} s when a slide closes",
    }
    if after := found.after_burst:
        rows["after the burst"] = f"{after.lag:,.0f} s, with {after.waiting:,} waiting at most"
    for name, value in rows.items():
        sys.stdout.write(f"{name:<20} {value}\n")
    sys.stdout.write("Simulated, from measured costs; see --cost, and docs/scale.md.\n")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
