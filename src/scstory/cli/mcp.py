"""``scstory mcp``: serves the stories to assistants by the Model Context Protocol."""

from functools import partial
from typing import Annotated

import typer

from scstory.cli.options import Config, Database, existing_store
from scstory.errors import UsageError


def command(
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this service [default: read the database]."),
    ] = None,
    db: Database = None,
    config: Config = None,
) -> None:
    """Serve the stories to an assistant over standard input and output (MCP). It only reads."""
    from scstory.config import load_settings
    from scstory.errors import FetchError
    from scstory.extras import load_extra

    if url is not None and db is not None:
        raise UsageError("--url and --db: give one of them")
    load_extra("mcp.server", extra="mcp", purpose="scstory mcp")
    from scstory.mcp_server import make_server, of_database, of_service

    if url is None:
        with existing_store(db, config):
            pass  # fails now if it is missing or of another schema
        opened = partial(of_database, db=load_settings(config=config, db=db).db)
    else:
        from scstory.feeds.public_address import parse_url

        try:
            opened = partial(of_service, url=str(parse_url(url)))
        except FetchError as error:
            raise UsageError(f"--url {url}: {error}") from None
    make_server(opened).run("stdio")
