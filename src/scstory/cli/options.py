"""What several commands share: options, and the database that they name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from scstory.errors import ConfigError

if TYPE_CHECKING:
    from scstory.store import Store

Database = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="The database: a file, or postgresql://USER@HOST/NAME [default: scstory.db].",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Config = Annotated[
    str | None, typer.Option(metavar="FILE", help="A file of settings [default: scstory.toml].")
]
Preset = Annotated[
    str | None, typer.Option(metavar="NAME", help="default, or paper: the method as published.")
]
EncoderName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="auto (default: by the languages), minilm-int8, minilm (32 bits), use-multilingual "
        "(16 languages), hashing, or the name or folder of a sentence-transformers model.",
    ),
]
Device = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The device of the models: cpu (default) or cuda."),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", help="CPU threads [default: all]; with ray, threads per encoder [default: 1]."
    ),
]
Runner = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Where to encode: local (default), or ray for a cluster."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="auto (default) is this machine's cluster; HOST:PORT another one; local starts Ray on "
        "this machine for this command only.",
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        metavar="CODE",
        help="Titles and summaries in this language, where a story has articles in it, as in de.",
    ),
]
Seeds = Annotated[int, typer.Option(min=1, help="Runs of each learned system.")]
Window = Annotated[str, typer.Option(help="The length of the window.")]
Slide = Annotated[str, typer.Option(help="The length of a slide.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter, as in --set delta=0.3 --set window=3d.",
    ),
]


Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        help="Which column or field of the files is id, date, title, text, url, source, language, "
        "as in --map title=Headline; --map date=now takes the time of reading.",
    ),
]
DayFirst = Annotated[
    bool,
    typer.Option("--day-first", help="Read 03/04/2026 as 3 April where nothing else says so."),
]


def parse_overrides(pairs: list[str] | None) -> dict[str, Any]:
    """Return ``NAME=VALUE`` pairs as a dictionary."""
    table = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--set {pair}: write NAME=VALUE, as in --set delta=0.3")
        table[name.strip()] = value.strip()
    return table


class _Group(TyperGroup):
    """A group of commands whose help is never cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the first sentence of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [(n, c.get_short_help_str(10_000)) for n, c in commands.items() if c is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def command_group(about: str) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(
        help=about,
        cls=_Group,
        short_help=about,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


@contextmanager
def existing_store(
    db: str | None, config: str | None, *, write: bool = False, language: str | None = None
) -> Iterator["Store"]:
    """Open the database that options and settings name, which must exist."""
    from scstory.config import load_settings
    from scstory.store import open_store
    from scstory.text.language import primary

    settings = load_settings(config=config, db=db, language=language)
    with closing(open_store(settings.db, create=False, write=write)) as store:
        yield store.told_in([primary(settings.language)]) if settings.language else store
