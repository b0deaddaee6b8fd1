"""``scstory follow``: stories, queries and outlets that are followed or muted."""

from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, command_group, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store.follows import Follow, FollowKind

app = command_group("Follow or mute stories, queries and outlets.")
Mute = Annotated[bool, typer.Option("--mute", help="Mute it instead.")]


@app.command("story")
def story(
    number: Annotated[int, typer.Argument(metavar="ID", help="The story's number.")],
    mute: Mute = False,
    db: Database = None,
    config: Config = None,
) -> None:
    """Follow a story, also when it becomes part of another."""
    _follow("story", str(number), mute, db, config)


@app.command("query")
def query(
    words: Annotated[
        str, typer.Argument(metavar="WORDS", help="A search, as in 'ferry AND strike'.")
    ],
    mute: Mute = False,
    db: Database = None,
    config: Config = None,
) -> None:
    """Follow the stories that a search finds."""
    _follow("query", words, mute, db, config)


@app.command("outlet")
def outlet(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name, or words of it.")],
    mute: Mute = False,
    db: Database = None,
    config: Config = None,
) -> None:
    """Follow the stories that an outlet reports; muted, those that no other one reports."""
    _follow("outlet", name, mute, db, config)


@app.command("list")
def list_(db: Database = None, config: Config = None, as_json: AsJson = False) -> None:
    """List what is followed and what is muted."""
    from scstory.cli.show import counted, dim, echo_json
    from scstory.store.address import db_option

    with existing_store(db, config) as store:
        follows, again = store.follows(), db_option(store.name)
    for one in follows:
        if as_json:
            echo_json(_as_json(one))
        else:
            typer.echo(f"#{one.number}  {_described(one)}")
    if not as_json:
        number = counted(len(follows), "follow")
        typer.echo(dim(f"{number}. Their stories: scstory follow stories{again}"))


@app.command("stories")
def stories(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Show at most this many.")] = 50,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the stories that are followed and not muted, the latest news first."""
    from scstory.cli.show import counted, dim, echo_json, story_json, story_lines

    with existing_store(db, config) as store:
        found = store.followed_stories(store.follows(), limit=limit)
    for row, because in found:
        if as_json:
            echo_json({**story_json(row), "because": [one.number for one in because]})
            continue
        reasons = dim("     " + "; ".join(_described(one) for one in because))
        typer.echo("\n".join([*story_lines(row), reasons]) + "\n")
    if not as_json:
        typer.echo(dim(f"{counted(len(found), 'story')}."))


@app.command("remove")
def remove(
    number: Annotated[int, typer.Argument(min=1, help="The number, as `follow list` shows it.")],
    db: Database = None,
    config: Config = None,
) -> None:
    """Neither follow nor mute something any longer."""
    with existing_store(db, config, write=True) as store:
        if not store.unfollow(number):
            raise UsageError(f"follow {number}: does not exist; scstory follow list shows all")
    typer.echo(f"removed #{number}")


def _follow(
    kind: "FollowKind", target: str, mute: bool, db: str | None, config: str | None
) -> None:
    with existing_store(db, config, write=True) as store:
        made = store.follow(kind, target, muted=mute)
    typer.echo(f"{'muted' if mute else 'following'} #{made.number}  {_described(made)}")


def _described(follow: "Follow") -> str:
    from scstory.cli.show import safe

    muted = "muted " if follow.muted else ""
    return safe(f"{muted}{follow.kind} {follow.target}")


def _as_json(follow: "Follow") -> dict[str, object]:
    return {
        "number": follow.number,
        "kind": follow.kind,
        "target": follow.target,
        "muted": follow.muted,
        "created": follow.created.isoformat(),
    }
