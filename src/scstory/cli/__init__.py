"""The command line, with one file per command. Importing it imports nothing heavy."""

import os
import sys
from pathlib import Path

import typer
from typer.exceptions import TyperException

from scstory.cli import (
    backup,
    cluster,
    compact,
    data,
    demo,
    doctor,
    evaluate,
    explain,
    feeds,
    run,
    serve,
    stories,
    story,
    study,
)
from scstory.errors import ScstoryError

INTERRUPTED = 130

app = typer.Typer(
    help="Groups a stream of news articles into stories, live and without labels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    run,
    serve,
    stories,
    story,
    explain,
    doctor,
    backup,
    compact,
    evaluate,
    data,
    study,
    demo,
):
    app.command(module.__name__.rpartition(".")[2])(module.command)
app.add_typer(feeds.app, name="feeds")
app.add_typer(cluster.app, name="cluster")


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
    places, trace = [], error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} (at {' < '.join(places[:-6:-1])})"


def _fail(message: str, code: int) -> None:
    shown = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    sys.stderr.write(f"scstory: {shown}\n")
    sys.exit(code)
