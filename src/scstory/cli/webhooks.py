"""``scstory webhooks``: addresses that a service tells of events, of all stories or of some."""

import sys
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, command_group, existing_store
from scstory.errors import FetchError, UsageError

app = command_group("Manage the webhooks that `scstory serve` delivers events to.")
MAX_WEBHOOKS = 100


@app.command("add")
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where events are posted.")],
    story: Annotated[int | None, typer.Option(metavar="ID", help="Only of this story.")] = None,
    query: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Only of stories that this search finds.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only events of this kind: new, grew …"),
    ] = None,
    db: Database = None,
    config: Config = None,
) -> None:
    """Register an address from now on, and print the secret that signs deliveries, once."""
    import secrets
    from contextlib import closing
    from typing import get_args

    from scstory.config import load_settings
    from scstory.feeds.public_address import parse_url
    from scstory.serve.models import EventKind
    from scstory.store.search.query import parse
    from scstory.store.webhooks import Webhooks

    known = list(get_args(EventKind))
    wrong = [kind for kind in kinds or [] if kind not in known]
    if wrong:
        raise UsageError(f"--kind {wrong[0]}: there are {', '.join(known)}")
    try:
        address = str(parse_url(url))
    except FetchError as error:
        raise UsageError(f"{url}: {error}") from None
    words = None if query is None else " ".join(query.split())
    if words is not None and parse(words) is None:
        raise UsageError("--query: empty; leave it out for the events of all stories")
    with existing_store(db, config) as store:
        if story is not None and store.story(story) is None:
            raise UsageError(f"--story {story}: does not exist; scstory stories --all lists all")
        last = store.last_event()
    named = load_settings(config=config, db=db).db
    with closing(Webhooks(named)) as hooks:
        if len(hooks.all()) >= MAX_WEBHOOKS:
            raise UsageError(f"{MAX_WEBHOOKS} webhooks are registered; remove one first")
        secret = secrets.token_urlsafe(32)
        made = hooks.add(address, secret, kinds or known, after=last, story=story, query=words)
    typer.echo(f"#{made.number}  {address}")
    typer.echo(f"secret, shown once: {secret}")


@app.command("list")
def list_(db: Database = None, config: Config = None, as_json: AsJson = False) -> None:
    """List the webhooks and the state of their deliveries, without their secrets."""
    from contextlib import closing

    from scstory.cli.show import counted, dim, safe
    from scstory.config import load_settings
    from scstory.serve.following_models import WebhookOut
    from scstory.store.webhooks import Webhooks

    with existing_store(db, config):
        pass  # a missing database is named as such
    with closing(Webhooks(load_settings(config=config, db=db).db)) as hooks:
        found = hooks.all()
    for hook in found:
        if as_json:
            sys.stdout.write(WebhookOut.model_validate(hook).model_dump_json() + "\n")
            continue
        of = f"story {hook.story}" if hook.story else hook.query or "all stories"
        state = (
            f"failing: {hook.problem}" if hook.problem else f"delivered to event {hook.delivered}"
        )
        typer.echo(f"#{hook.number}  {safe(hook.url)}")
        typer.echo(dim(safe(f"    {of}; {', '.join(hook.kinds)}; {state}")))
    if not as_json:
        typer.echo(dim(f"{counted(len(found), 'webhook')}."))


@app.command("remove")
def remove(
    number: Annotated[int, typer.Argument(min=1, help="The number, as `list` shows it.")],
    db: Database = None,
    config: Config = None,
) -> None:
    """Remove a webhook."""
    from contextlib import closing

    from scstory.config import load_settings
    from scstory.store.webhooks import Webhooks

    with existing_store(db, config):
        pass  # a missing database is named as such
    with closing(Webhooks(load_settings(config=config, db=db).db)) as hooks:
        if not hooks.remove(number):
            raise UsageError(f"webhook {number}: does not exist; scstory webhooks list shows all")
    typer.echo(f"removed #{number}")
