"""``scstory compact``: deletes the text of old articles; stories stay as they are."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from scstory.cli.options import Config, Database, existing_store


def command(
    older_than: Annotated[
        str, typer.Option(metavar="TIME", help="The age, as in 90d or 12w.")
    ] = "90d",
    db: Database = None,
    config: Config = None,
) -> None:
    """Delete the text of old articles and free the space.

    Stories, their summaries, and the id, title, date and story of every article stay. Articles in
    the window are not changed.
    """
    from scstory.cli.show import counted, safe
    from scstory.config import parse_duration
    from scstory.errors import ConfigError

    try:
        before = datetime.now(UTC) - parse_duration(older_than, what="--older-than")
    except OverflowError:
        raise ConfigError(
            f"--older-than {older_than}: too long; there are no dates that old"
        ) from None
    with existing_store(db, config, write=True) as store:
        size = store.size()
        count = store.compact(before)
        saved = max(size - store.size(), 0) / 1e6
    typer.echo(
        f"{safe(store.name)}: deleted the text of {counted(count, 'article')} from before "
        f"{before:%-d %B %Y}; freed {saved:,.1f} MB"
    )
