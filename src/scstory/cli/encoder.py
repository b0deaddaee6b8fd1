"""``scstory encoder``: saves the article encoder that a database has learned."""

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
    """Save the article encoder M that a database has learned with --preset paper.

    Another stream starts from it with --preset paper --set pretrained=PATH: its first window is
    then embedded by this M, which is not trained on the clusters of that window.
    """
    from scstory.cli.show import safe
    from scstory.discovery.paper.saved_encoder import save_encoder

    if Path(path).exists():
        raise UsageError(f"{path}: exists already; name a new file")
    with existing_store(db, config) as store:
        state = store.state()
        if state is None:
            raise UsageError(f"{store.name}: has decided no articles; run some into it first")
        save_encoder(state, path)
    typer.echo(
        f"{safe(path)}: start another stream from it with --preset paper "
        f"--set pretrained={safe(path)} --encoder {safe(str(state.meta['encoder']))}"
    )
