"""Results of finished runs in a folder, so that an interrupted study goes on where it stopped.

A result is found again only for the same run of the same code on the same stream: the name of its
file is a digest of all three. So no table can mix results of different states of the code.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, astuple
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scstory
from scstory.evaluation.languages import LanguageScores
from scstory.evaluation.metrics import Scores
from scstory.evaluation.protocol import Result

if TYPE_CHECKING:
    from scstory.evaluation.harness import Job, LabelledStream

CODE = ("types.py", "text", "vectors", "discovery", "baselines", "evaluation/*.py")
"""What a result depends on, in the folder of the package."""


class FinishedRuns:
    """A folder with the result of each finished run."""

    def __init__(self, folder: Path, *, reuse: bool = True, code: str | None = None) -> None:
        """Use a folder. Without `reuse`, only results that this object was given are found."""
        self._folder = folder
        self._reuse, self._own = reuse, set[Path]()
        self._code = code or state_of_code()

    def find(self, job: "Job", stream: "LabelledStream", encoder: str) -> Result | None:
        """Return the result of a run if it is there and readable."""
        path = self._path(job, stream, encoder)
        if not self._reuse and path not in self._own:
            return None
        try:
            values = json.loads(path.read_text("utf-8"))
            return _to_result(values["result"])
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def add(self, job: "Job", stream: "LabelledStream", encoder: str, result: Result) -> None:
        """Write a result down; it is there as a whole or not at all."""
        path = self._path(job, stream, encoder)
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {"run": _described(job, encoder), "result": asdict(result)}
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(values, ensure_ascii=False) + "\n", "utf-8")
        partial.replace(path)
        self._own.add(path)

    def _path(self, job: "Job", stream: "LabelledStream", encoder: str) -> Path:
        run = json.dumps(_described(job, encoder), sort_keys=True)
        name = digest([self._code, stream.fingerprint, run])
        return self._folder / f"{name}.json"


def _described(job: "Job", encoder: str) -> dict[str, Any]:
    return {**asdict(job), "parameters": dict(job.parameters), "encoder": encoder}


def _to_result(values: dict[str, Any]) -> Result:
    groups: dict[str, Any] = {
        name: Scores(**values[name]) for name in ("stream", "first", "first_stream")
    }
    windows = tuple(Scores(**scores) for scores in values["by_window"])
    spoken = values.get("languages")
    groups["languages"] = LanguageScores(**spoken) if spoken else None
    result = Result(**{**values, **groups, "by_window": windows})
    if not all(isinstance(v, float) for scores in windows for v in astuple(scores)):
        raise ValueError("a score is no number")
    return result


@cache
def state_of_code() -> str:
    """Return a digest of the code that results depend on."""
    package = Path(scstory.__file__).parent
    files = [path for name in CODE for path in package.glob(name)]
    files += [path for folder in files if folder.is_dir() for path in folder.rglob("*.py")]
    sources = sorted(path for path in files if path.is_file())
    return digest(f"{path.relative_to(package)}\n{path.read_text('utf-8')}" for path in sources)


def digest(texts: Iterable[str]) -> str:
    """Return a digest of texts; where one ends and the next begins counts as well."""
    found = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:24]
