"""``scstory sections``: lists the sections, or the stories of one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store.overview_queries import SectionRow


def command(
    section: Annotated[
        int | None, typer.Argument(min=1, help="The number of a section: list its stories.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many of its stories.")] = 50,
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the sections: topics that are found in the stream, with the number of their stories.

    With a number, list the stories of one section, the latest news first.
    """
    from scstory.cli.show import bold, counted, dim, echo_json, story_json, story_lines
    from scstory.store.address import db_option
    from scstory.store.records import StoryQuery

    with existing_store(db, config) as store:
        again, rows = db_option(store.name), store.sections()
        if section is not None:
            found = next((row for row in rows if row.id == section), None)
            if found is None:
                raise UsageError(
                    f"section {section}: does not exist; scstory sections{again} lists all"
                )
            stories, more = store.story_page(StoryQuery(section=section), limit=limit)
            for story in stories:
                if as_json:
                    echo_json(story_json(story))
                else:
                    typer.echo("\n".join(story_lines(story)) + "\n")
            if not as_json:
                left = "; there are more, see --limit" if more else ""
                typer.echo(dim(f"{_title(found)}: {counted(len(stories), 'story')} shown{left}."))
            return
    for row in rows:
        if as_json:
            echo_json(asdict(row) | {"name": list(row.name)})
            continue
        facts = f"{counted(row.active, 'active story')}, {row.stories:,} in all"
        typer.echo(f"{bold(f'#{row.id}  {_title(row)}')}\n{dim('     ' + facts)}")
    if not as_json:
        typer.echo(dim(f"{counted(len(rows), 'section')}. One of them: scstory sections ID{again}"))


def _title(section: SectionRow) -> str:
    from scstory.cli.show import safe

    return safe(", ".join(section.name)) or f"Section {section.id}"
