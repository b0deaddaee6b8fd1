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


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
