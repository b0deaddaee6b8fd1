"""Results of finished runs in a folder, so that an interrupted study goes on where it stopped.

A result is found again only for the same run of the same code on the same stream: the name of its
file is a digest of all three. So no table can mix results of different states of the code. Files
may be copied from a larger machine: each says which versions and machine it was made with.
"""

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple
from functools import cache
from importlib.metadata import PackageNotFoundError, version
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
LIBRARIES = ("numpy", "scipy", "torch", "onnxruntime", "scikit-learn", "river", "igraph")


class FinishedRuns:
    """A folder with the result of each finished run."""

    def __init__(self, folder: Path, *, reuse: bool = True, code: str | None = None) -> None:
        """Use a folder. Without `reuse`, only results that this object was given are found."""
        self._folder = folder
        self._reuse, self._own = reuse, set[Path]()
        self._code = code or state_of_code()
        self.machines: dict[str, None] = {}
        """What the results were made with that were found or added since this was last cleared."""

    def find(self, job: "Job", stream: "LabelledStream", encoder: str) -> Result | None:
        """Return the result of a job if it is there and readable."""
        try:
            return _to_result(self.find_values(_described(job), stream, encoder))
        except (ValueError, TypeError, KeyError):
            return None

    def add(self, job: "Job", stream: "LabelledStream", encoder: str, result: Result) -> None:
        """Write the result of a job down."""
        self.add_values(_described(job), stream, encoder, asdict(result))

    def find_values(self, run: Mapping[str, Any], stream: "LabelledStream", encoder: str) -> Any:
        """Return what was found by a run, None if it is not there or not readable."""
        path = self._path(run, stream, encoder)
        if not self._reuse and path not in self._own:
            return None
        try:
            values = json.loads(path.read_text("utf-8"))
            machine, result = str(values["machine"]), values["result"]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        self.machines[machine] = None
        return result

    def add_values(
        self, run: Mapping[str, Any], stream: "LabelledStream", encoder: str, values: Any
    ) -> None:
        """Write down what was found by a run; it is there as a whole or not at all."""
        path = self._path(run, stream, encoder)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"run": {**run, "encoder": encoder}, "machine": machine(), "result": values}
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(content, ensure_ascii=False) + "\n", "utf-8")
        partial.replace(path)
        self._own.add(path)
        self.machines[machine()] = None

    def _path(self, run: Mapping[str, Any], stream: "LabelledStream", encoder: str) -> Path:
        described = json.dumps({**run, "encoder": encoder}, sort_keys=True)
        name = digest([self._code, stream.fingerprint, described])
        return self._folder / f"{name}.json"


def _described(job: "Job") -> dict[str, Any]:
    return {**asdict(job), "parameters": dict(job.parameters)}


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
def machine() -> str:
    """Return what runs are made with in this process: versions, and the number of processors."""
    found = [f"{name} {known}" for name in LIBRARIES if (known := _version(name))]
    return (
        f"Python {platform.python_version()}, {', '.join(found)}, on a machine with "
        f"{os.cpu_count()} processors"
    )


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


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
