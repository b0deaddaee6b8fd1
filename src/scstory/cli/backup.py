"""``scstory backup``: copies a database, even while it is written to."""

from pathlib import Path
from typing import Annotated

import typer

from scstory.cli.options import Config, Database, existing_store
from scstory.errors import UsageError


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to write.")],
    db: Database = None,
    config: Config = None,
) -> None:
    """Copy a consistent state of a database to a new file, even while a run writes to it."""
    from scstory.cli.show import counted, safe

    if Path(path).exists():
        raise UsageError(f"{path}: exists already; name a new file")
    if not Path(path).absolute().parent.is_dir():
        raise UsageError(f"{path}: its folder does not exist; create it first")
    with existing_store(db, config) as store:
        store.backup(path)
    with existing_store(path, config) as copy:
        counts = copy.counts()
    typer.echo(
        f"{safe(path)}: {counted(counts.articles, 'article')} of {counted(counts.stories, 'story')}"
    )
