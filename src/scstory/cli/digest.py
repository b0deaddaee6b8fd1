"""``scstory digest``: writes the stories of a day as Markdown or HTML, ready to be mailed."""

import sys
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store
from scstory.errors import UsageError


def command(
    day: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="A day of UTC [default: that of the newest article]."),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Write HTML and not Markdown.")] = False,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The address of the service, to link to its pages."),
    ] = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write the stories of a day: what is followed first, then the largest; muted ones not."""
    from datetime import date

    base = _base(url)
    if html and as_json:
        raise UsageError("--html and --json: give one of them")
    try:
        chosen = date.fromisoformat(day) if day is not None else None
    except ValueError:
        raise UsageError(f"--day {day}: write a date like 2026-03-03") from None
    if chosen and not 1 < chosen.year < 9998:
        raise UsageError(f"--day {day}: give a year from 2 to 9997")
    with existing_store(db, config) as store:
        newest = store.now()
        if chosen is None and newest is None:
            raise UsageError(f"{store.name}: has no articles yet")
        from scstory.serve.digest import as_html, as_markdown, make_digest

        made = make_digest(store, chosen or newest.date())  # type: ignore[union-attr]
    if as_json:
        from scstory.serve.digest_models import DigestOut

        count = made.count
        out = DigestOut.from_row(made, articles=count.articles, stories=count.stories)
        sys.stdout.write(out.model_dump_json() + "\n")
        return
    sys.stdout.write(as_html(made, base) if html else as_markdown(made, base))


def _base(url: str | None) -> str:
    from scstory.errors import FetchError
    from scstory.feeds.public_address import parse_url

    if url is None:
        return ""
    try:
        return str(parse_url(url)).rstrip("/")
    except FetchError as error:
        raise UsageError(f"--url {url}: {error}") from None
