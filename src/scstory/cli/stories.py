"""``scstory stories``: lists the stories, or those that a search finds."""

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, Language, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store import Store
    from scstory.store.records import StoryQuery, StoryRow

_MOST = 1_000_000
"""More stories than a terminal shows."""


def command(
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            "-s",
            metavar="WORDS",
            help='Only stories with these words, ended ones included; also "a phrase", OR, -word, '
            "word*, outlet:NAME, since:DATE and until:DATE.",
        ),
    ] = None,
    db: Database = None,
    every: Annotated[bool, typer.Option("--all", help="Include ended stories.")] = False,
    at_least: Annotated[
        int,
        typer.Option("--min-size", min=1, help="Only stories with at least this many articles."),
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many.")] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="text, csv, json or markdown.")
    ] = "text",
    language: Language = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the active stories, those with the latest news first, or what a search finds."""
    from scstory.cli.show import counted, dim, echo_json, story_json, story_lines
    from scstory.store.address import db_option

    if form not in ("text", "csv", "json", "markdown"):
        raise UsageError(f"--format {form}: there are text, csv, json and markdown")
    as_json = as_json or form == "json"
    with existing_store(db, config, language=language) as store:
        if form in ("csv", "markdown"):
            _write_table(store, search or "", every, at_least, limit, form)
            return
        if search is not None and search.strip():
            _search(store, search, at_least, limit, as_json)
            return
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


def _write_table(
    store: "Store", search: str, every: bool, at_least: int, limit: int | None, form: str
) -> None:
    """Print the same stories as a table."""
    from scstory.serve.tables import story_record, table_lines

    if search.strip():
        rows, _ = store.story_page(_query(search, at_least), limit=limit or _MOST)
    else:
        found = store.stories(active=None if every else True)
        rows = [story for story in found if story.size >= at_least][:limit]
    for piece in table_lines(
        "stories", "csv" if form == "csv" else "md", (story_record(row) for row in rows)
    ):
        sys.stdout.write(piece)


def _query(text: str, at_least: int) -> "StoryQuery":
    from scstory.store.records import Sort, StoryQuery
    from scstory.store.search.query import parse, terms

    text = " ".join(text.split())
    sort: Sort = "relevance" if terms(parse(text)) else "latest"
    return StoryQuery(text, min_size=at_least, sort=sort)


def _search(store: "Store", text: str, at_least: int, limit: int | None, as_json: bool) -> None:
    """Print the stories that a search finds, the most relevant first."""
    from scstory.cli.show import counted, dim, echo_json, story_json, story_lines, wrapped
    from scstory.store.address import db_option

    query, again = _query(text, at_least), db_option(store.name)
    found, more = store.story_page(query, limit=limit or _MOST)
    snippets = store.snippets(query, found)

    def plain(story: "StoryRow") -> str:
        return "".join(piece for piece, _ in snippets.get(story.id, []))

    for story in found:
        if as_json:
            echo_json({**story_json(story), "snippet": plain(story) or None})
            continue
        lines = story_lines(story)
        if story.id in snippets:
            lines.append(wrapped(plain(story), "     "))
        typer.echo("\n".join(lines) + "\n")
    if not found:
        meant, reason = store.advice(query)
        typer.echo(f"No story found. {reason or ''}".strip(), err=as_json)
        if meant:
            typer.echo(
                f"Did you mean: scstory stories --search {shlex.quote(meant)}{again}", err=as_json
            )
    elif not as_json:
        left = "; there are more, see --limit" if more else ""
        typer.echo(
            dim(f"{counted(len(found), 'story')} found{left}. One of them: scstory story ID{again}")
        )
