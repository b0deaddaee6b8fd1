"""Seconds per slide of the paper's public implementation, and ours, on the same articles.

    BENCH_REFERENCE=FOLDER make bench ONLY=reference

FOLDER is a clone of it (github.com/cliveyn/SCStory). Its script is run as it is, except that what
it would put on a GPU stays here, that it does not score itself, and that k-means for its first
window, which is not timed, is ours. It needs pandas before version 3, and tqdm.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.data import DIM, START, MadeUp
from benchmarks.slides import NEW, THREADS, one
from scstory.discovery.paper.cold_start import spherical_kmeans

WINDOWS = (100, 300, 1_000)
ROUNDS = 3
SENTENCES = 50
"""The rows it pads every article to."""
PUBLIC = "public implementation"


def measure() -> dict[str, Any]:
    """Return seconds per slide by system and window, in rounds."""
    folder = os.environ.get("BENCH_REFERENCE")
    if not folder:
        raise SystemExit(__doc__)
    torch.set_num_threads(THREADS)
    seconds: dict[str, dict[str, list[float]]] = {}
    for window in WINDOWS:
        for _ in range(ROUNDS):
            taken = {
                PUBLIC: _public(folder, window),
                "scstory, paper": one("scstory", "paper", window)[0],
                "scstory, default": one("scstory", "default", window)[0],
            }
            sys.stderr.write(f"  {window:,}: {taken}\n")
            for name, value in taken.items():
                seconds.setdefault(name, {}).setdefault(str(window), []).append(value)
    return {"seconds": seconds, "new": NEW, "threads": THREADS}


def _public(folder: str, window: int) -> float:
    command = [sys.executable, "-m", "benchmarks.reference", folder, str(window)]
    # It runs as it does by itself: how threads wait is set for our own command.
    ours = ("OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout.splitlines()[-1])


class SphericalKMeans:
    """What its script expects of k-means on the sphere."""

    def __init__(self, n_clusters: int) -> None:
        self._clusters = max(2, n_clusters)

    def fit(self, vectors: np.ndarray) -> SphericalKMeans:
        """Cluster vectors."""
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        rng = np.random.default_rng(0)
        _, self.labels_ = np.unique(
            spherical_kmeans(unit, self._clusters, rng=rng), return_inverse=True
        )
        ids = range(int(self.labels_.max()) + 1)
        self.cluster_centers_ = np.stack([unit[self.labels_ == i].mean(axis=0) for i in ids])
        return self


def _run(folder: str, window: int) -> float:
    """Run its script on six days that fill a window and one more; return that one's seconds."""
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 (it draws from there)
    made_up = MadeUp()
    found = [a for day in range(6) for a in made_up.slide(day, max(1, window // 6))]
    found += made_up.slide(6, NEW)
    vectors, masks = torch.zeros(len(found), SENTENCES, DIM), torch.ones(len(found), SENTENCES)
    for row, member in enumerate(found):
        count = len(member.vectors)
        vectors[row, :count] = torch.from_numpy(member.vectors)
        masks[row, :count] = 0
    table = [
        {
            "id": row,
            "date": member.article.published.date().isoformat(),
            "title": member.article.title,
            "sentence_counts": len(member.vectors),
        }
        for row, member in enumerate(found)
    ]
    for name in ("set_device", "current_device", "get_device_name"):
        setattr(torch.cuda, name, lambda *_: None)
    for kind in (torch.Tensor, nn.Module):
        kind.cuda = lambda self: self  # type: ignore[method-assign, assignment]
    for name in ("spherical_kmeans", "b3"):
        sys.modules[name] = ModuleType(name)
    sys.modules["spherical_kmeans"].SphericalKMeans = SphericalKMeans  # type: ignore[attr-defined]
    script = Path(folder).resolve() / "SCStory.py"
    with tempfile.TemporaryDirectory(prefix="scstory-bench-") as scratch:
        os.chdir(scratch)
        Path("made-up_preprocessed.json").write_text(json.dumps(table))
        torch.save(vectors, "made-up_masked_embds.pt")
        torch.save(masks, "made-up_masks.pt")
        begin = START.replace(day=START.day + 6).date().isoformat()
        arguments = ["--dataset", "made-up", "--begin_date", begin, "--true_story", ""]
        sys.argv = [str(script), *arguments]
        (taken,) = runpy.run_path(str(script), run_name="__main__")["all_times"]
        os.chdir("/")
    return float(taken)


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    seconds = result["seconds"]
    lines = [
        "| seconds per slide | " + " | ".join(f"{window:,}" for window in WINDOWS) + " |",
        "|---|" + "---:|" * len(WINDOWS),
    ]
    for name, row in seconds.items():
        cells = [f"{median(row[str(window)]):.2f}" for window in WINDOWS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    for name in [name for name in seconds if name != PUBLIC]:
        times = [
            median(a / b for a, b in zip(seconds[PUBLIC][w], seconds[name][w], strict=True))
            for w in map(str, WINDOWS)
        ]
        cells = [f"{value:.1f} times" for value in times]
        lines.append(f"| *{name}, faster by* | " + " | ".join(cells) + " |")
    return "\n".join(
        [
            *lines,
            "",
            f"The table shows the time for one slide of {result['new']} new articles of 20 "
            f"sentences, by articles in the window: the median of {ROUNDS} rounds with "
            f"{result['threads']} threads, with vectors of {DIM} dimensions given and learning "
            "included.",
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(f"{_run(sys.argv[1], int(sys.argv[2]))}\n")
