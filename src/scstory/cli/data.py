"""``scstory data``: shows the data sets of the paper and where to get them, and checks them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson

if TYPE_CHECKING:
    from scstory.evaluation.datasets import DatasetInfo

MAX_PROBLEMS = 5
"""The most problems that are shown one by one."""


def command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One data set.")] = None,
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="A file or folder to check.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the data sets and where to get them; with a PATH, check your copy.

    The check counts articles and stories after the paper's filters and compares them with the
    paper's numbers. It fails (exit 1) where they differ.
    """
    from scstory.cli.show import echo_json
    from scstory.errors import ConfigError
    from scstory.evaluation.datasets import CATALOGUE

    if name is not None and name.lower() not in CATALOGUE:
        raise ConfigError(f"no data set {name!r}; there are {', '.join(CATALOGUE)}")
    entries = list(CATALOGUE.values()) if name is None else [CATALOGUE[name.lower()]]
    if path is not None:
        _check(entries[0], path, as_json=as_json)
        return
    for entry in entries:
        if as_json:
            echo_json(_as_json(entry))
        else:
            _show(entry)
    if not as_json:
        typer.echo("Check your copy: scstory data NAME PATH")


def _show(entry: DatasetInfo) -> None:
    from scstory.cli.show import bold, wrapped

    typer.echo(bold(entry.name))
    typer.echo(wrapped(entry.what, "  "))
    rows = [("used", entry.used)]
    if paper := _paper(entry):
        rows.append(("paper", _size(**paper)))
    for label, lines in (("get it", entry.obtain), ("layout", entry.layout)):
        rows += zip_longest((label,), lines, fillvalue="")
    rows.append(("use it", f"scstory evaluate {entry.spec}"))
    for label, text in rows:  # not wrapped, so that commands and addresses can be copied
        typer.echo(f"  {label:<8}{text}")
    typer.echo()


def _check(entry: DatasetInfo, path: str, *, as_json: bool) -> None:
    """Read a data set to its end, count, and compare with the paper."""
    from scstory.cli.show import counted, echo_json, safe, span
    from scstory.errors import ScstoryError
    from scstory.evaluation.datasets import open_dataset

    spec = path if entry.name == "file" else f"{entry.name}:{path}"
    stories: set[str] = set()
    articles = problems = unlabelled = 0
    first = last = None
    for item in open_dataset(spec):
        if item.article is None:
            problems += 1
            if problems <= MAX_PROBLEMS:
                typer.echo(safe(f"{item.place}: {item.problem}"), err=True)
            continue
        articles += 1
        if item.label is None:
            unlabelled += 1
        else:
            stories.add(item.label)
        first, last = first or item.article.published, item.article.published
    if problems > MAX_PROBLEMS:
        typer.echo(f"… and {problems - MAX_PROBLEMS:,} more", err=True)
    skipped = f"; {counted(problems, 'record')} could not be used" if problems else ""
    if first is None or last is None:
        raise ScstoryError(f"{path}: contains nothing of {entry.name} ({entry.used}){skipped}")
    same = (articles, len(stories)) == (entry.articles, entry.stories)
    if as_json:
        found = {
            "data": entry.name,
            "articles": articles,
            "stories": len(stories),
            "first": first.isoformat(),
            "last": last.isoformat(),
            "unlabelled": unlabelled,
            "skipped": problems,
            "paper": _paper(entry),
            "same": same if entry.published else None,
        }
        echo_json(found)
    else:
        typer.echo(
            f"{entry.name}: {_size(articles, len(stories))}, {span(first, last)} ({entry.used})"
            + (f"; {counted(unlabelled, 'article')} without a story" if unlabelled else "")
            + skipped
        )
        if entry.published:
            typer.echo(_comparison(entry, articles, len(stories)))
        typer.echo(f"Use it: scstory evaluate {spec}")
    if entry.published and not same:
        raise typer.Exit(1)


def _comparison(entry: DatasetInfo, articles: int, stories: int) -> str:
    from scstory.cli.show import counted

    paper = _paper(entry)
    if paper is None:
        return ""
    differences = [
        f"{counted(abs(here - there), noun)} {'more' if here > there else 'fewer'}"
        for here, there, noun in (
            (articles, paper["articles"], "article"),
            (stories, paper["stories"], "story"),
        )
        if here != there
    ]
    verdict = f"here are {' and '.join(differences)}" if differences else "the same"
    return f"The paper has {_size(**paper)}: {verdict}."


def _size(articles: int, stories: int) -> str:
    from scstory.cli.show import counted

    return f"{counted(articles, 'article')} of {counted(stories, 'story')}"


def _as_json(entry: DatasetInfo) -> dict[str, Any]:
    names = ("name", "what", "used", "obtain", "layout", "spec")
    return {**{name: getattr(entry, name) for name in names}, "paper": _paper(entry)}


def _paper(entry: DatasetInfo) -> dict[str, int] | None:
    if entry.articles is None or entry.stories is None:
        return None
    return {"articles": entry.articles, "stories": entry.stories}
