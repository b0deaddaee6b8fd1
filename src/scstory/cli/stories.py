"""``scstory stories``: lists the stories."""

from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store


def command(
    db: Database = None,
    every: Annotated[bool, typer.Option("--all", help="Include ended stories.")] = False,
    at_least: Annotated[
        int,
        typer.Option("--min-size", min=1, help="Only stories with at least this many articles."),
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many.")] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the active stories, those with the latest news first."""
    from scstory.cli.show import counted, dim, echo_json, story_json, story_lines
    from scstory.store.address import db_option

    with existing_store(db, config) as store:
        found = store.stories(active=None if every else True)
        again = db_option(store.name)
        waiting = not found and not every and store.counts().articles > 0
    large = [story for story in found if story.size >= at_least]
    shown = large[:limit]
    if as_json:
        for story in shown:
            echo_json(story_json(story))
        return
    for story in shown:
        typer.echo("\n".join(story_lines(story)) + "\n")
    if waiting:
        typer.echo("No story is active: no article arrived within the window. See --all.")
        return
    kind = "story" if every else "active story"
    left = f"; {counted(len(found) - len(shown), 'more')[:-1]} not shown" if found != shown else ""
    typer.echo(dim(f"{counted(len(shown), kind)}{left}. One of them: scstory story ID{again}"))
