"""``scstory stories``: lists the stories."""

import json
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database


def command(
    db: Database = None,
    every: Annotated[bool, typer.Option("--all", help="Include ended stories.")] = False,
    at_least: Annotated[
        int,
        typer.Option("--min-size", min=1, help="Only stories with at least this many articles."),
    ] = 1,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Show at most this many.")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the active stories, those with the latest news first."""
    from scstory.cli.show import counted, dim, story_json, story_lines
    from scstory.config import load_settings
    from scstory.store import open_store

    settings = load_settings(config=config, db=db)
    store = open_store(settings.db, create=False)
    try:
        found = store.stories(active=None if every else True)
        waiting = not found and not every and store.counts().articles > 0
    finally:
        store.close()
    large = [story for story in found if story.size >= at_least]
    shown = large[:limit]
    if as_json:
        for story in shown:
            typer.echo(json.dumps(story_json(story), ensure_ascii=False))
        return
    for story in shown:
        typer.echo("\n".join(story_lines(story)) + "\n")
    if waiting:
        typer.echo("No story is active: no article arrived within the window. See --all.")
        return
    kind = "story" if every else "active story"
    left = f"; {counted(len(found) - len(shown), 'more')[:-1]} not shown" if found != shown else ""
    typer.echo(dim(f"{counted(len(shown), kind)}{left}. One of them: scstory story ID"))
