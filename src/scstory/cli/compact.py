"""``scstory compact``: let old articles' text go; stories stay as they were told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from scstory.cli.options import Config, Database


def command(
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="TIME", help="As in 90d, 12w.")
    ] = "90d",
    db: Database = None,
    config: Config = None,
) -> None:
    """Let the text of old articles go and give the space back.

    Stories, their summaries, and every article's id, title, date and story stay. Articles in the
    window are left alone.
    """
    from scstory.cli.show import counted, safe
    from scstory.config import load_settings, parse_duration
    from scstory.errors import ConfigError
    from scstory.store import open_store

    settings = load_settings(config=config, db=db)
    try:
        before = datetime.now(UTC) - parse_duration(older_than, what="--older-than")
    except OverflowError:
        raise ConfigError(f"--older-than {older_than}: longer than there are dates") from None
    store = open_store(settings.db, create=False, write=True)
    try:
        size = store.size()
        count = store.compact(before)
        saved = size - store.size()
    finally:
        store.close()
    typer.echo(
        f"{safe(store.name)}: {counted(count, 'article')} from before {before:%-d %B %Y} without "
        f"their text now; {max(saved, 0) / 1e6:,.1f} MB less"
    )
