"""``scstory articles``: lists the articles, or those that fit."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store.records import ArticleRow

PAGE = 200
"""How many rows are read at a time."""


def command(
    search: Annotated[
        str,
        typer.Option("--search", "-s", metavar="WORDS", help="Only articles with these words."),
    ] = "",
    story: Annotated[int | None, typer.Option(metavar="ID", help="Only of this story.")] = None,
    outlet: Annotated[str, typer.Option(metavar="NAME", help="Only of this outlet.")] = "",
    language: Annotated[str, typer.Option(metavar="TAG", help="Only in this language.")] = "",
    since: Annotated[str, typer.Option(metavar="DATE", help="Only from this day on.")] = "",
    until: Annotated[str, typer.Option(metavar="DATE", help="Only until the end of it.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many.")] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="text, csv, json or markdown.")
    ] = "text",
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List articles, the latest first: all, or those that fit every option."""
    from itertools import islice

    from scstory.cli.show import counted, dim
    from scstory.store.article_list import ArticleQuery
    from scstory.store.search.query import period

    if form not in ("text", "csv", "json", "markdown"):
        raise UsageError(f"--format {form}: there are text, csv, json and markdown")
    query = ArticleQuery(
        " ".join(search.split()),
        outlet,
        story,
        language,
        period("since", since)[0] if since else None,
        period("until", until)[1] if until else None,
    )
    with existing_store(db, config) as store:

        def rows() -> "Iterator[ArticleRow]":
            after = None
            while True:
                page, after = store.article_list(query, after=after, limit=PAGE)
                yield from page
                if after is None:
                    return

        chosen = islice(rows(), limit)
        if form in ("csv", "markdown"):
            _write(form, chosen)
            return
        shown = _print(chosen, as_json=as_json or form == "json")
        if not as_json and form == "text":
            total = store.article_count(query)
            typer.echo(dim(f"{counted(shown, 'article')} of {total:,}."))


def _print(rows: "Iterator[ArticleRow]", *, as_json: bool) -> int:
    """Print articles; return how many there are."""
    from scstory.cli.show import dim, echo_json, safe
    from scstory.serve.tables import article_record

    shown = 0
    for row in rows:
        shown += 1
        if as_json:
            echo_json(article_record(row))
            continue
        place = f"story {row.story}" if row.story else "not decided"
        facts = safe(f"{row.published:%Y-%m-%d %H:%M} · {row.source or 'no outlet'} · {place}")
        typer.echo(f"{safe(row.title) or '(no title)'}\n{dim('     ' + facts)}")
    return shown


def _write(form: str, rows: "Iterator[ArticleRow]") -> None:
    from scstory.serve.tables import article_record, table_lines

    records = (article_record(row) for row in rows)
    for piece in table_lines("articles", "csv" if form == "csv" else "md", records):
        sys.stdout.write(piece)
