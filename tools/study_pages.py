"""Make the studies that the documentation shows, and put their tables and pictures into its pages.

A page marks where a study goes, of which stream, with how many seeds and perhaps of which preset.
Everything between the two marks is replaced:

    <!-- study: emergent/overall, 5 seeds -->
    <!-- study: gva/ablation, 3 seeds, preset default -->
    <!-- study: summary of emergent gva, 5 seeds -->
    <!-- end of study -->

The last one stands for a table of several streams: `summary` (all systems as they come), `tuned`
(those that were tuned on labels), `parts` (the default preset without its parts) or `untidy` (both
presets on scraped pages and moved dates). `made with` stands for versions, machine and state of the
code.

    python tools/study_pages.py FOLDER DATA…    # makes the studies first: this is `make results`
    python tools/study_pages.py FOLDER          # takes them as they are

So all marked parts of the documentation are of one state of the code. The text around them is
written by hand and has to be read again after each run.
"""

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"(<!-- study: ([^>]+?) -->\n).*?(<!-- end of study -->)", re.DOTALL)
PICTURE = re.compile(r"!\[(.*?)\]\((.*?\.png)\)")
MARK = re.compile(
    r"(?P<stream>[\w-]+)/(?P<study>[\w-]+), (?P<seeds>\d+) seeds?(, preset (?P<preset>\w+))?"
)
SEVERAL = re.compile(r"(?P<table>\w+) of (?P<streams>[\w -]+), (?P<seeds>\d+) seeds?")
FORMATS = re.compile(r"\.(jsonl|json|csv)(\.(gz|xz))?$")


MADE_WITH = "made with"


class NotThere(Exception):
    """A page asks for a study that was not made, or that cannot be made."""


class Mark(NamedTuple):
    """A study that a page shows."""

    stream: str
    study: str
    seeds: int
    preset: str | None

    @property
    def folder(self) -> str:
        """The folder of its files: the studies of a given preset are apart."""
        return f"{self.stream}-{self.preset}" if self.preset else self.stream


def main(folder: str, *data: str, docs: str = "docs") -> None:
    """Make the studies that the pages show, if data are given; rewrite their marked parts."""
    studies, pages = Path(folder), Path(docs)
    if data:
        make(studies, data, marks(pages))
    for page in sorted(pages.glob("*.md")):
        text = page.read_text("utf-8")
        filled = BLOCK.sub(lambda found: _filled(found, studies, pages), text)
        if filled != text:
            page.write_text(filled, "utf-8")
            sys.stderr.write(f"wrote {page}\n")


def marks(docs: Path) -> list[Mark]:
    """Return the studies that the pages show, each once."""
    found: dict[str, Mark] = {}
    for page in sorted(docs.glob("*.md")):
        for _, name, _ in BLOCK.findall(page.read_text("utf-8")):
            for mark in marks_of(name):
                first = found.setdefault(f"{mark.folder}/{mark.study}", mark)
                if first != mark:
                    raise NotThere(f"{mark.folder}/{mark.study}: shown with different seeds")
    return list(found.values())


def marks_of(name: str) -> list[Mark]:
    """Return the studies that a mark needs."""
    if name == MADE_WITH:
        return []
    if parts := MARK.fullmatch(name):
        return [Mark(parts["stream"], parts["study"], int(parts["seeds"]), parts["preset"])]
    parts = SEVERAL.fullmatch(name)
    if not parts or parts["table"] not in TABLES:
        raise NotThere(
            f"study: {name}: write STREAM/STUDY, N seeds; or one of {', '.join(TABLES)} as in "
            f"summary of STREAM STREAM, N seeds; or {MADE_WITH}"
        )
    study, preset, _ = TABLES[parts["table"]]
    streams = parts["streams"].split()
    return [Mark(stream, study, int(parts["seeds"]), preset) for stream in streams]


def make(studies: Path, data: Sequence[str], wanted: Sequence[Mark]) -> None:
    """Make studies by the command; the results of runs that have finished are found again."""
    paths = {FORMATS.sub("", Path(path).name): path for path in data}
    if missing := {mark.stream for mark in wanted} - paths.keys():
        raise NotThere(f"{', '.join(sorted(missing))}: the pages show this stream; name its file")
    for mark in wanted:
        command = ["study", mark.study, paths[mark.stream], "--out", str(studies / mark.folder)]
        command += ["--preset", mark.preset] if mark.preset else []
        command += ["--seeds", str(mark.seeds)] if mark.seeds > 1 else []
        sys.stderr.write(f"scstory {' '.join(command)}\n")
        done = subprocess.run(
            [sys.executable, "-m", "scstory", *command], stdout=subprocess.DEVNULL
        )
        if done.returncode:
            raise NotThere(f"the study {mark.study} of {mark.stream} failed, see above")


def _filled(found: re.Match[str], studies: Path, docs: Path) -> str:
    start, name, end = found.groups()
    wanted = marks_of(name)
    if name == MADE_WITH:
        body = made_with(studies)
    elif "/" in name:
        body = one_study(studies, *wanted, docs)
    else:
        _, _, table = TABLES[name.partition(" ")[0]]
        body = table({mark.stream: records_of(studies, mark) for mark in wanted})
    return f"{start}{body}\n{end}"


def made(studies: Path, mark: Mark, kind: str) -> Path:
    """Return a file of a study that was made."""
    file = studies / mark.folder / f"{mark.study}.{kind}"
    if not file.is_file():
        raise NotThere(f"{file} is not there: run the study {mark.study} of {mark.stream} first")
    return file


def one_study(studies: Path, mark: Mark, docs: Path) -> str:
    """Return a study's page without its title, its picture beside those of the documentation."""
    page = made(studies, mark, "md")
    _, _, text = page.read_text("utf-8").partition("\n")
    body, _, _ = text.strip().rpartition("\n\n")  # without what it was made with, told once
    body = re.sub(r"^(#+ )", r"##\1", body, flags=re.MULTILINE)

    def copied(picture: re.Match[str]) -> str:
        target = f"pictures/{mark.folder}-{mark.study}.png"
        (docs / "pictures").mkdir(exist_ok=True)
        shutil.copyfile(page.parent / picture[2], docs / target)
        return f"![{picture[1]}]({target})"

    return PICTURE.sub(copied, body)


# -- tables of several streams -------------------------------------------------------------------

Record = Mapping[str, str]
Records = Mapping[str, Sequence[Record]]
"""The records of a study by stream."""


def records_of(studies: Path, mark: Mark) -> list[Record]:
    """Return the records of a study."""
    with made(studies, mark, "csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def summary(found: Records) -> str:
    """Return windowed / whole-stream B³-F1 of every system, as it comes, a column per stream."""

    def row(record: Record) -> str | None:
        if record["tuned"] != "no" or "memory" in record["parameters"]:
            return None
        return record["system"] + (f" ({preset})" if (preset := record["preset"]) else "")

    return _by_stream(found, "system", row, _cell)


def tuned(found: Records) -> str:
    """Return the same of the settings that are best on the labels, by the windows."""

    def cell(record: Record) -> str:
        return f"{_cell(record)} ({record['parameters']})"

    def row(record: Record) -> str | None:
        return record["system"] if "windowed" in record["tuned"] else None

    return _by_stream(found, "system, tuned on the labels", row, cell)


def parts(found: Records) -> str:
    """Return the same of the default preset and of it without its parts."""
    return _by_stream(found, "variant", lambda record: record["variant"], _cell)


def untidy(found: Records) -> str:
    """Return the same of each preset by the inserted sentences, and how well these are told."""
    rows = [["stream", "preset", "inserted sentences", "B³-F1", "AUC of the sentence weights"]]
    for stream, records in found.items():
        for record in records:
            if record["system"] == "scstory":
                auc = record["weights_auc"] and f"{float(record['weights_auc']):.3f}"
                share = f"{float(record['foreign_share']):g}"
                rows.append([stream, record["preset"], share, _cell(record), auc])
    return _table(rows)


def _by_stream(
    found: Records,
    corner: str,
    row: Callable[[Record], str | None],
    cell: Callable[[Record], str],
) -> str:
    """Return a table with a column per stream; records without a row are left out."""
    cells: dict[str, dict[str, str]] = {}
    for stream, records in found.items():
        for record in records:
            if name := row(record):
                cells.setdefault(name, {})[stream] = cell(record)
    rows = [[name, *(own.get(s, "not run") for s in found)] for name, own in cells.items()]
    return _table([[corner, *found], *rows])


def _cell(record: Record) -> str:
    windowed, stream = float(record["b3_f1"]), float(record["stream_b3_f1"])
    spread = f" ± {float(record['b3_f1_sd']):.3f}" if int(record["seeds"]) > 1 else ""
    return f"{windowed:.3f}{spread} / {stream:.3f}"


def made_with(studies: Path) -> str:
    """Return what the studies were made with: each state of the code with its machines, once."""
    pages = sorted(studies.glob("*/*.md"))
    found: dict[str, dict[str, None]] = {}
    for page in pages:
        last = page.read_text("utf-8").strip().rpartition("\n\n")[2]
        state, _, machines = last.rstrip(".").partition(": ")
        found.setdefault(state, {}).update(dict.fromkeys(machines.split("; ")))
    if not found:
        raise NotThere(f"{studies}: there is no study; run them first")
    return "\n\n".join(f"{state}: {'; '.join(machines)}." for state, machines in found.items())


TABLES: Mapping[str, tuple[str, str | None, Callable[[Records], str]]] = {
    "summary": ("overall", None, summary),
    "tuned": ("overall", None, tuned),
    "parts": ("ablation", "default", parts),
    "untidy": ("noise", None, untidy),
}
"""The tables of several streams: the study and the preset that each is made of."""


def _table(rows: Sequence[Sequence[str]]) -> str:
    header, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|---|" + "---:|" * (len(rows[0]) - 1)
    return "\n".join([header, rule, *body])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (NotThere, FileNotFoundError) as error:
        sys.exit(str(error))
