"""``scstory correct``: merges, splits, renames, pins and hides stories, and moves articles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database, command_group, existing_store

if TYPE_CHECKING:
    from scstory.store.correction_records import CorrectionRow

app = command_group("Correct stories by hand. Every correction holds for good and can be undone.")
StoryNumber = Annotated[int, typer.Argument(metavar="STORY", help="The number of a story.")]
Target = Annotated[int, typer.Argument(metavar="TARGET", help="The story that they go to.")]
Articles = Annotated[list[str], typer.Argument(metavar="ARTICLE...", help="Ids of articles.")]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who corrects [default: the user].")
]


@app.command("merge")
def merge(
    story: StoryNumber,
    target: Target,
    by: By = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Make a story part of another one. Its address leads there from then on."""
    _correct(db, config, by, as_json, kind="merge", story=story, target=target)


@app.command("split")
def split(
    story: StoryNumber,
    articles: Articles,
    by: By = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Split articles out of a story, as a story of their own."""
    _correct(db, config, by, as_json, kind="split", story=story, articles=tuple(articles))


@app.command("move")
def move(
    target: Target,
    articles: Articles,
    by: By = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Move articles to another story."""
    _correct(db, config, by, as_json, kind="move", target=target, articles=tuple(articles))


@app.command("rename")
def rename(
    story: StoryNumber,
    title: Annotated[str, typer.Argument(help="The new title.")],
    by: By = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Give a story a title, which stays."""
    _correct(db, config, by, as_json, kind="rename", story=story, title=title)


def _mark(kind: str, about: str) -> None:
    def command(
        story: StoryNumber,
        by: By = None,
        db: Database = None,
        config: Config = None,
        as_json: AsJson = False,
    ) -> None:
        _correct(db, config, by, as_json, kind=kind, story=story)

    app.command(kind, help=about, short_help=about)(command)


_mark("pin", "Show a story first.")
_mark("unpin", "Show a story where it belongs again.")
_mark("hide", "Leave a story out of all lists. Its own page stays.")
_mark("show", "List a hidden story again.")


@app.command("undo")
def undo(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="The number of a correction.")],
    by: By = None,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Take a correction back."""
    _correct(db, config, by, as_json, kind="undo", undoes=number)


@app.command("list")
def list_(
    story: Annotated[
        int | None, typer.Argument(metavar="[STORY]", help="Only those about this story.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="The most corrections to show.")] = 20,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List corrections, the latest first."""
    from scstory.cli.show import dim, echo_json, safe

    with existing_store(db, config) as store:
        rows = store.corrections(story=story, limit=limit)
    for row in rows:
        if as_json:
            echo_json(_as_json(row))
        else:
            typer.echo(f"{row.number}  {safe(row.answer) or row.kind}")
            when = f"{row.asked:%Y-%m-%d %H:%M} UTC"
            typer.echo(dim(f"    {safe(row.editor)} · {when} · {row.status}"))
    if not rows and not as_json:
        typer.echo("No corrections.")


def _correct(
    db: str | None, config: str | None, by: str | None, as_json: bool, **what: Any
) -> None:
    from getpass import getuser

    from scstory.cli.show import dim, echo_json, safe
    from scstory.config import load_settings
    from scstory.runners.correct import correct
    from scstory.store.address import db_option
    from scstory.store.correction_records import CorrectionRequest

    settings = load_settings(config=config, db=db)
    with existing_store(db, config, write=True) as store:
        done = correct(
            store,
            settings,
            CorrectionRequest(editor=by or getuser(), **what),
            on_notice=lambda notice: typer.echo(notice, err=True),
        )
        again = db_option(store.name)
    if as_json:
        echo_json(_as_json(done))
        return
    typer.echo(f"correction {done.number}: {safe(done.answer)}")
    if done.kind != "undo":
        typer.echo(dim(f"Take it back: scstory correct undo {done.number}{again}"))


def _as_json(row: CorrectionRow) -> dict[str, Any]:
    return {
        "number": row.number,
        "kind": row.kind,
        "story": row.story,
        "target": row.target,
        "articles": list(row.articles),
        "title": row.title,
        "undoes": row.undoes,
        "founded": row.founded,
        "editor": row.editor,
        "asked": row.asked.isoformat(),
        "status": row.status,
        "answer": row.answer,
    }
