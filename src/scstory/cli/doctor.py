"""``scstory doctor``: whether a database is consistent, and what waits in it."""

from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store


def command(
    db: Database = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Put parked articles back into the inbox.")
    ] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Check a database: is it consistent, what does it hold, which articles are parked.

    An article is parked if it could not be decided. The command exits with 1 if something is wrong.
    """
    from scstory.cli.show import counted, dim, echo_json, safe
    from scstory.store.address import db_option
    from scstory.text.phrases import by_words_alone
    from scstory.vectors.registry import SERVED

    with existing_store(db, config, write=retry) as store:
        again = store.retry([parked.article.id for parked in store.parked()]) if retry else 0
        found, parked = store.check(), store.parked()
        encoder = str((store.engine() or {}).get("encoder"))
        spoken = store.languages() if encoder in SERVED else {}
    unserved = {name: n for name, n in spoken.items() if name not in SERVED[encoder]}
    if as_json:
        value = {
            "schema": found.schema,
            "bytes": found.bytes,
            "articles": found.articles,
            "stories": found.stories,
            "inbox": found.inbox,
            "parked": [{"article": p.article.id, "reason": p.reason} for p in parked],
            "retried": again,
            "unserved": unserved,
            "problems": list(found.problems),
        }
        echo_json(value)
    else:
        typer.echo(
            f"{safe(store.name)}: {counted(found.articles, 'article')} of "
            f"{counted(found.stories, 'story')}, {found.bytes / 1e6:,.1f} MB, "
            f"schema {found.schema}"
        )
        if unserved:
            typer.echo(safe(by_words_alone(unserved, f"the encoder {encoder}")))
        if again:
            typer.echo(f"{counted(again, 'article')} put back into the inbox for the next run")
        if found.inbox:
            typer.echo(f"{counted(found.inbox, 'article')} in the inbox, to be decided")
        for one in parked:
            typer.echo(f"parked: {safe(one.article.id)}: {safe(one.reason)}")
        if parked:
            typer.echo(dim(f"Try again with: scstory doctor --retry{db_option(store.name)}"))
        for problem in found.problems:
            typer.echo(f"wrong: {safe(problem)}")
        if not found.problems:
            typer.echo("The database is consistent.")
    if found.problems or parked:
        raise typer.Exit(1)
