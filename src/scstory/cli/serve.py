"""``scstory serve``: serves the stories as pages, an API and feeds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import (
    Config,
    Database,
    EncoderName,
    Overrides,
    Preset,
    RayAddress,
    Runner,
    parse_overrides,
)

if TYPE_CHECKING:
    from scstory.config import Settings


def command(
    db: Database = None,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on [default: 127.0.0.1].")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port [default: 8765; 0: any free].")
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Play the bundled sample at high speed; nothing is stored."),
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only show what another process decides.")
    ] = False,
    allow_hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="NAME", help="A host name under which the service is reached."
        ),
    ] = None,
    preset: Preset = None,
    encoder: EncoderName = None,
    overrides: Overrides = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads [default: all but one].")] = None,
    runner: Runner = None,
    ray_address: RayAddress = None,
    config: Config = None,
) -> None:
    """Serve the stories as pages, JSON and feeds, and decide articles as they arrive.

    Writing (POST /api/articles and webhooks) needs a token: SCSTORY_TOKEN, or the one printed.
    """
    from scstory.config import load_settings
    from scstory.errors import UsageError

    if demo and (read_only or db):
        raise UsageError("--demo uses its own database; leave out --db and --read-only")
    settings = load_settings(
        config=config,
        db=db,
        host=host,
        port=port,
        allow_hosts=allow_hosts,
        preset=preset,
        encoder=encoder,
        threads=threads,
        runner=runner,
        ray_address=ray_address,
        discovery=parse_overrides(overrides),
    )
    _serve(settings, read_only=read_only, demo=demo)


def _serve(settings: Settings, *, read_only: bool, demo: bool) -> None:
    import torch

    from scstory.cli.release_memory import release_memory_regularly
    from scstory.cli.show import program
    from scstory.serve.server import serve

    # One core is left to the web server: readers should not wait for decisions.
    threads = settings.threads or max(1, (os.cpu_count() or 2) - 1)
    torch.set_num_threads(threads)
    release_memory_regularly()
    if settings.runner == "local":
        settings = settings.model_copy(update={"threads": threads})
    serve(settings, read_only=read_only, demo=demo, program=program())
