"""``scstory init``: writes a file of settings to start from."""

from pathlib import Path
from typing import Annotated

import typer

from scstory.cli.options import Preset


def command(
    path: Annotated[Path, typer.Argument(help="The file to write, or its folder.")] = Path(
        "scstory.toml"
    ),
    preset: Preset = None,
    every: Annotated[
        bool, typer.Option("--all", help="Include every parameter of the method.")
    ] = False,
) -> None:
    """Write a commented scstory.toml: each setting with its default and its meaning.

    A file that exists is not overwritten.
    """
    from scstory.cli.settings_file import settings_file
    from scstory.cli.show import program
    from scstory.config import SETTINGS_FILE
    from scstory.discovery.presets import make_settings
    from scstory.errors import UsageError

    if preset is not None:
        make_settings(preset)
    target = path / SETTINGS_FILE if path.is_dir() else path
    text = settings_file(preset, every=every)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{target}: exists and is not overwritten; name another file, or remove it first"
        ) from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror})") from error
    read_by_itself = target.resolve() == Path(SETTINGS_FILE).resolve()
    option = "" if read_by_itself else f" --config {target}"
    typer.echo(f"{target} is written: every setting with its default, commented out.")
    typer.echo(f"Next: {program()} run FILE.jsonl{option}")
