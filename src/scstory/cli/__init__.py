"""The command line, with one file per command. Importing it imports nothing heavy."""

import os
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from traceback import extract_tb

import typer
from typer.exceptions import TyperException

from scstory.cli.options import command_group
from scstory.errors import ScstoryError

INTERRUPTED = 130
DAILY_COMMANDS = (
    "init",
    "run",
    "serve",
    "mcp",
    "stories",
    "story",
    "sections",
    "threads",
    "articles",
    "explain",
    "digest",
    "doctor",
    "backup",
    "export",
    "import",
    "compact",
)
RESEARCH_COMMANDS = ("evaluate", "data", "study", "encoder", "demo")

app = command_group("Groups a stream of news articles into stories, live and without labels.")
for name in (*DAILY_COMMANDS, *RESEARCH_COMMANDS):
    module = f"{name}_" if iskeyword(name) else name
    app.command(name)(import_module(f"scstory.cli.{module}").command)
for name in ("correct", "feeds", "follow", "webhooks", "cluster"):
    app.add_typer(import_module(f"scstory.cli.{name}").app, name=name)


@app.callback(invoke_without_command=True)
def _options(version: bool = typer.Option(False, "--version", help="Show the version.")) -> None:
    if version:
        from scstory import __version__

        typer.echo(f"scstory {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; turn every error into one line on standard error and an exit code."""
    # Waiting threads must not occupy a core: M learns while sentences are encoded. The threads of
    # NumPy spin while they wait, and its products are small, so it gets one thread.
    for name, value in (("OMP_WAIT_POLICY", "PASSIVE"), ("OPENBLAS_NUM_THREADS", "1")):
        os.environ.setdefault(name, value)
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="scstory", standalone_mode=False)
    except ScstoryError as error:
        _fail(str(error), error.exit_code)
    except TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "scstory"
        message = error.format_message()
        if message.startswith("Usage:"):  # a group of commands without a command
            sys.stderr.write(f"{message}\n")
            sys.exit(2)
        _fail(f"{message.rstrip('.')}; see {command} --help", 2)
    except OSError as error:
        _fail(f"{error.filename or 'output'}: {error.strerror or error}", 1)
    except MemoryError:
        _fail("out of memory; decided articles are stored, the same command continues", 1)
    except Exception as error:
        _fail(f"internal error, please report it: {_described(error)}", 1)
    else:
        if code == INTERRUPTED:
            _fail("stopped; decided articles are stored, the same command continues", code)
        sys.exit(code or 0)


def _described(error: Exception) -> str:
    """Return an error's message and its places, the innermost first."""
    frames = extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    return f"{type(error).__name__}: {error} (at {' < '.join(places[:-6:-1])})"


def _fail(message: str, code: int) -> None:
    shown = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    sys.stderr.write(f"scstory: {shown}\n")
    sys.exit(code)
