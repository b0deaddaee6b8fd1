"""All studies of some streams in one folder, in one state of the code, and a page that lists them.

Every result is written down when its run ends. Repeating the command after an interruption runs
only what is missing; after a change of the code everything runs again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from scstory.evaluation.finished_runs import state_of_code
from scstory.evaluation.report import markdown
from scstory.evaluation.studies.output import Outcome, escaped

ALL = "all"
"""The name under which all studies are run."""


@dataclass(frozen=True)
class Entry:
    """A study of a stream, and where its page is."""

    stream: str
    about: str
    outcome: Outcome
    page: Path


def write_index(
    folder: Path, entries: Sequence[Entry], *, command: str, machines: Iterable[str]
) -> Path:
    """Write the page that lists the studies and says what they were made with; return its path."""
    page = folder / "README.md"
    lines = [("stream", "study", "table, picture and command")]
    for entry in entries:
        link = f"[{entry.page.stem}]({entry.page.relative_to(folder).as_posix()})"
        lines.append((escaped(entry.stream), entry.outcome.title, link))
    parts = [
        "# All studies",
        "All tables and pictures below were made by one command, in one state of the code.",
        f"```console\n$ {command}\n```",
        "\n".join(f"- {line}" for line in dict.fromkeys(entry.about for entry in entries)),
        markdown(lines),
        made_with(machines),
    ]
    page.write_text("\n\n".join(parts) + "\n", "utf-8")
    return page


def made_with(machines: Iterable[str]) -> str:
    """Return a sentence on the versions and the machines that results were made with."""
    found = "; ".join(dict.fromkeys(machines))
    return f"Made with scstory {version('scstory')} (state of the code {state_of_code()}): {found}."
