"""Put the tables and pictures of `scstory study all` into the pages of the documentation.

A page marks where a study goes, and everything between the two marks is replaced:

    <!-- study: emergent/overall -->
    <!-- end of study -->

The mark `study: summary` stands for one table of all systems on all streams, and `study: made with`
for the command, the versions and the state of the code. `make results` runs this after the studies,
so all marked parts of the documentation are of one state. The text around them is written by hand
and has to be read again after each run.
"""

import csv
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

BLOCK = re.compile(r"(<!-- study: ([^>]+?) -->\n).*?(<!-- end of study -->)", re.DOTALL)
PICTURE = re.compile(r"!\[(.*?)\]\((.*?\.png)\)")


class NotThere(Exception):
    """A page asks for a study that was not made."""


def main(folder: str, docs: str = "docs") -> None:
    """Rewrite the marked parts of all pages from a folder of studies."""
    studies, pages = Path(folder), Path(docs)
    for page in sorted(pages.glob("*.md")):
        text = page.read_text("utf-8")
        filled = BLOCK.sub(lambda found: _filled(found, studies, pages), text)
        if filled != text:
            page.write_text(filled, "utf-8")
            sys.stderr.write(f"wrote {page}\n")


def _filled(found: re.Match[str], studies: Path, docs: Path) -> str:
    start, name, end = found.groups()
    if name == "summary":
        body = summary(studies)
    elif name == "made with":
        body = made_with(studies)
    else:
        body = one_study(studies, name, docs)
    return f"{start}{body}\n{end}"


def one_study(studies: Path, name: str, docs: Path) -> str:
    """Return a study's page without its title, its picture beside those of the documentation."""
    page = studies / f"{name}.md"
    if not page.is_file():
        raise NotThere(f"{page} is not there: run the study {name} first")
    _, _, body = page.read_text("utf-8").partition("\n")
    body = re.sub(r"^(#+ )", r"##\1", body.strip(), flags=re.MULTILINE)

    def copied(picture: re.Match[str]) -> str:
        target = f"pictures/{name.replace('/', '-')}.png"
        (docs / "pictures").mkdir(exist_ok=True)
        shutil.copyfile(page.parent / picture[2], docs / target)
        return f"![{picture[1]}]({target})"

    return PICTURE.sub(copied, body)


def summary(studies: Path) -> str:
    """Return windowed / whole-stream B³-F1 of every system, as it comes, a column per stream."""
    files = sorted(studies.glob("*/overall.csv"))
    if not files:
        raise NotThere(f"{studies}: no stream has the study overall; run it first")
    cells: dict[str, dict[str, str]] = {}
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            for record in csv.DictReader(lines):
                if record["tuned"] == "no" and "memory" not in record["parameters"]:
                    name = record["system"] + (f" ({p})" if (p := record["preset"]) else "")
                    cells.setdefault(name, {})[file.parent.name] = _cell(record)
    streams = [file.parent.name for file in files]
    rows = [[name, *(own.get(s, "not run") for s in streams)] for name, own in cells.items()]
    return _table([["system", *streams], *rows])


def _cell(record: dict[str, str]) -> str:
    windowed, stream = float(record["b3_f1"]), float(record["stream_b3_f1"])
    spread = f" ± {float(record['b3_f1_sd']):.3f}" if int(record["seeds"]) > 1 else ""
    return f"{windowed:.3f}{spread} / {stream:.3f}"


def made_with(studies: Path) -> str:
    """Return the command that made the studies, and the sentence on what it ran with."""
    parts = (studies / "README.md").read_text("utf-8").strip().split("\n\n")
    return "\n\n".join([next(part for part in parts if part.startswith("```")), parts[-1]])


def _table(rows: Sequence[Sequence[str]]) -> str:
    header, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|---|" + "---:|" * (len(rows[0]) - 1)
    return "\n".join([header, rule, *body])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (NotThere, FileNotFoundError) as error:
        sys.exit(str(error))
