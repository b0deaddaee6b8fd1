"""``scstory feeds``: lists, adds, checks and removes the feeds that are followed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database, command_group, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.config import Settings
    from scstory.feeds.reader import Reading
    from scstory.feeds.schedule import Subscription

app = command_group("Manage the feeds that `scstory run --follow` and `scstory serve` follow.")
Addresses = Annotated[list[str], typer.Argument(metavar="URL...", help="Feeds or pages.")]


@app.command("add")
def add(
    addresses: Addresses,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Do not fetch it first; it must be a feed.")
    ] = False,
    section: Annotated[
        str, typer.Option(metavar="NAME", help="List them in this section, as in 'News / Local'.")
    ] = "",
    db: Database = None,
    config: Config = None,
) -> None:
    """Follow feeds, or the feeds that pages link to; newsapi:QUERY is a feed too."""
    from scstory.cli.show import safe
    from scstory.config import load_settings
    from scstory.feeds.registry import check_web, is_web, with_scheme
    from scstory.store import open_store

    settings = load_settings(config=config, db=db)
    for address in addresses:
        if not is_web(with_scheme(address)):
            raise UsageError(
                f"{address}: not a web address; write it like https://example.com/feed"
            )
    urls = [check_web(with_scheme(address)) for address in addresses]
    found = [(url, "", "") for url in urls] if unchecked else []
    failed = False
    for address, result in [] if unchecked else _fetch(addresses, settings):
        if isinstance(result, str):
            failed = True
            _say(f"{address}: {result}; not added (--unchecked adds it without fetching)")
        else:
            found.append(result)
    with closing(open_store(settings.db)) as store:
        for url, title, about in found:
            new = store.subscribe(url, title, section)
            typer.echo(safe(f"{'added' if new else 'already followed:'} {url}{about}"))
    if failed:
        raise typer.Exit(1)


@app.command("remove")
def remove(addresses: Addresses, db: Database = None, config: Config = None) -> None:
    """Stop following feeds. Their articles stay."""
    from scstory.cli.show import safe

    with existing_store(db, config, write=True) as store:
        unknown = [
            url
            for url in addresses
            if not store.unsubscribe(url) and not store.unsubscribe(_normal(url))
        ]
    for url in addresses:
        if url not in unknown:
            typer.echo(safe(f"removed {url}"))
    if unknown:
        raise UsageError(f"{unknown[0]}: is not followed; scstory feeds list shows those that are")


@app.command("list")
def list_(db: Database = None, config: Config = None, as_json: AsJson = False) -> None:
    """List the feeds that are followed and the state of their polling."""
    from scstory.cli.show import counted, dim, echo_json, safe
    from scstory.config import load_settings
    from scstory.store.address import database_name, db_option

    feeds = _followed(db, config)
    for feed in feeds:
        if as_json:
            echo_json(_as_json(feed))
        else:
            typer.echo(f"{safe(feed.title) or '(no title yet)'}  {safe(feed.url)}")
            section = f"in {feed.section}; " if feed.section else ""
            typer.echo(dim(f"    {safe(section + _state(feed))}"))
    if not as_json:
        next_step = "Check them: scstory feeds check" if feeds else "Add one: scstory feeds add URL"
        again = db_option(database_name(load_settings(config=config, db=db).db))
        typer.echo(dim(f"{counted(len(feeds), 'feed')}. {next_step}{again}"))


@app.command("check")
def check(
    addresses: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL...]", help="Feeds [default: all that are followed]."),
    ] = None,
    db: Database = None,
    config: Config = None,
) -> None:
    """Fetch feeds and show what they contain. Nothing is stored."""
    from scstory.cli.show import safe
    from scstory.config import load_settings
    from scstory.feeds.registry import check_web

    settings = load_settings(config=config, db=db)
    given = addresses or [feed.url for feed in _followed(db, config)]
    chosen = [check_web(address) for address in given]
    failed = False
    for address, result in _fetch(chosen, settings, sample=True):
        if isinstance(result, str):
            failed = True
            typer.echo(safe(f"FAILS {address}: {result}"))
        else:
            typer.echo(safe(f"ok {address}{result[2]}"))
    if failed:
        raise typer.Exit(1)


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A list of feeds in OPML.")],
    db: Database = None,
    config: Config = None,
) -> None:
    """Follow the feeds of an OPML file, as feed readers export it."""
    from scstory.cli.show import counted
    from scstory.config import load_settings
    from scstory.feeds.opml import load_opml
    from scstory.store import open_store

    settings = load_settings(config=config, db=db)
    outlines, problems = load_opml(file)
    for problem in problems:
        _say(f"{problem.place}: {problem.problem}")
    if not outlines:
        raise typer.Exit(1)
    with closing(open_store(settings.db)) as store:
        added = sum(store.subscribe(one.url, one.title, one.section) for one in outlines)
    known = len(outlines) - added
    typer.echo(f"{counted(added, 'feed')} added{f', {known:,} already followed' if known else ''}")


@app.command("export")
def export(db: Database = None, config: Config = None) -> None:
    """Print the feeds that are followed as OPML."""
    from scstory.feeds.opml import Outline, write_opml

    sys.stdout.write(write_opml(Outline(f.url, f.title, f.section) for f in _followed(db, config)))


def _followed(db: str | None, config: str | None) -> list[Subscription]:
    from scstory.config import load_settings
    from scstory.errors import NoDatabase
    from scstory.store import open_store
    from scstory.store.address import db_option

    named = load_settings(config=config, db=db).db
    try:
        store = open_store(named, create=False)
    except NoDatabase:
        raise NoDatabase(
            f"{named}: no such database, so no feeds; start with: scstory feeds add URL"
            + db_option(named)
        ) from None
    with closing(store):
        return store.subscriptions()


def _fetch(
    addresses: Iterable[str], settings: Settings, *, sample: bool = False
) -> list[tuple[str, str | tuple[str, str, str]]]:
    """Return for every address why it fails, or its feed's address, title and description."""
    import asyncio

    from scstory.errors import BadItem, FetchError
    from scstory.feeds.reader import Reader, find_feed

    async def fetch(reader: Reader, address: str) -> str | tuple[str, str, str]:
        try:
            return await _about(reader, *await find_feed(reader, address), sample)
        except (FetchError, BadItem) as error:
            return str(error)

    async def all_of_them() -> list[str | tuple[str, str, str]]:
        reader = Reader(settings.feeds, max_characters=settings.max_characters)
        return await asyncio.gather(*(fetch(reader, address) for address in addresses))

    return list(zip(addresses, asyncio.run(all_of_them()), strict=True))


async def _about(reader: Any, url: str, reading: Reading, sample: bool) -> tuple[str, str, str]:
    from scstory.cli.show import counted
    from scstory.errors import BadItem

    listing = reading.listing
    assert listing is not None  # the request was not conditional
    facts = [counted(len(listing.entries), "item")]
    if reading.moved:
        facts.append(f"moved permanently to {reading.moved}")
    if listing.problems:
        facts.append(f"{counted(len(listing.problems), 'problem')} ({listing.problems[0].problem})")
    if sample and listing.entries:
        entry = listing.entries[0]
        try:
            article = await reader.article(entry)
            where = "the feed" if article.text == entry.text else "its page"
            facts.append(f"the first has {len(article.text):,} characters from {where}")
            facts.append(f"dated {article.published:%Y-%m-%d %H:%M}")
        except BadItem as error:
            facts.append(f"the first is unusable: {error}")
    title = f"{listing.title}, " if listing.title else ""
    return url, listing.title, f" ({title}{', '.join(facts)})"


def _state(feed: Subscription) -> str:
    if feed.error:
        return f"failed {feed.errors} times in a row: {feed.error}; next poll {_time(feed.due)}"
    if feed.fetched is None:
        return "not polled yet"
    return (
        f"last poll {_time(feed.fetched)}, last news {_time(feed.found)}, "
        f"about every {feed.interval / 60:.0f} minutes, next {_time(feed.due)}"
    )


def _time(value: datetime | None) -> str:
    return "never" if value is None else f"{value:%Y-%m-%d %H:%M}"


def _as_json(feed: Subscription) -> dict[str, Any]:
    values = {k: v for k, v in asdict(feed).items() if k not in ("etag", "modified")}
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}


def _normal(url: str) -> str:
    """Return an address in its normal form, in which it was added."""
    from scstory.errors import SourceError
    from scstory.feeds.registry import check_web

    try:
        return check_web(url)
    except SourceError:
        return url


def _say(text: str) -> None:
    from scstory.cli.show import safe

    sys.stderr.write(safe(text) + "\n")
