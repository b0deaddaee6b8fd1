"""``scstory threads``: lists the threads, or the stories of one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store.overview_queries import ThreadRow

SHOWN = 50


def command(
    thread: Annotated[
        int | None,
        typer.Argument(min=1, help="The number of a thread, or of a story: show its thread."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many.")] = SHOWN,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the threads: stories that belong to one longer affair, the latest news first.

    With a number, list the stories of one thread. Threads are found from the stream and change no
    story.
    """
    from scstory.cli.show import (
        bold,
        counted,
        dim,
        echo_json,
        safe,
        story_json,
        story_lines,
        wrapped,
    )
    from scstory.store.address import db_option

    with existing_store(db, config) as store:
        again = db_option(store.name)
        if thread is not None:
            found = store.thread(thread)
            if found is None:
                raise UsageError(
                    f"thread {thread}: does not exist; scstory threads{again} lists all"
                )
            stories = store.thread_stories(found.id, limit=limit)
            if as_json:
                echo_json(_json(found) | {"members": [story_json(story) for story in stories]})
                return
            typer.echo(bold(wrapped(_title(found), "")) + "\n")
            for story in stories:
                typer.echo("\n".join(story_lines(story)) + "\n")
            typer.echo(dim(f"{_facts(found)}. One story: scstory story ID{again}"))
            return
        rows, more = store.threads(limit=limit)
    for row in rows:
        if as_json:
            echo_json(_json(row))
            continue
        typer.echo(bold(f"#{row.id}  {safe(_title(row))}"))
        typer.echo(wrapped(row.title, "     "))
        typer.echo(dim(wrapped(_facts(row), "     ")) + "\n")
    if not as_json:
        left = "; there are more, see --limit" if more else ""
        typer.echo(
            dim(f"{counted(len(rows), 'thread')}{left}. One of them: scstory threads ID{again}")
        )


def _title(thread: ThreadRow) -> str:
    return ", ".join(thread.name) or thread.title


def _facts(thread: ThreadRow) -> str:
    from scstory.cli.show import counted, span

    return (
        f"{counted(thread.stories, 'story')} · {counted(thread.articles, 'article')} · "
        f"{span(thread.first_seen, thread.last_seen)}"
    )


def _json(thread: ThreadRow) -> dict[str, Any]:
    return asdict(thread) | {
        "name": list(thread.name),
        "first_seen": thread.first_seen.isoformat(),
        "last_seen": thread.last_seen.isoformat(),
    }
