"""What all studies share: what they are run on, and variants of systems turned into rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from scstory.baselines import PSE
from scstory.baselines.hrstory import HrStorySettings
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.presets import PRESETS, make_settings
from scstory.evaluation.comparison import run_rows
from scstory.evaluation.finished_runs import FinishedRuns
from scstory.evaluation.harness import Job, LabelledStream
from scstory.evaluation.metrics import Scores
from scstory.evaluation.report import Row
from scstory.evaluation.studies.output import Cell
from scstory.evaluation.systems import LEARNED_SYSTEMS
from scstory.vectors import Encoder

NAMES = {
    "scstory": "SCStory",
    "hrstory": "HRSTORY",
    "constream": "ConStream",
    "newslens": "NewsLens",
    "batclus": "BatClus",
    "densps": "DenSps",
    "ustory": "USTORY",
    "textclust": "TextClust",
    "tfidf": "TF-IDF",
    "tfidf-time": "TF-IDF with time",
    "mean": "mean PSE",
    "singletons": "all singletons",
    "one": "all in one",
}


@dataclass(frozen=True)
class Setting:
    """What a study is run on and with."""

    stream: LabelledStream
    encoder: Encoder
    preset: str | None = None
    """The preset of SCStory; `paper` where a study takes one and none is given."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What is set otherwise than in the preset, for the learned systems."""
    seeds: int = 1
    window: str = "7d"
    slide: str = "1d"
    device: str | None = None
    """Where the learned systems compute; the CPU if None."""
    workers: int | None = None
    bert: str | None = None
    """A transformer whose token mean is compared in the embedding study."""
    longformer: str | None = None
    """The same, for long documents."""
    finished: FinishedRuns | None = None
    """The results of runs that have finished, if they are kept."""
    on_progress: Callable[[int, int], None] = lambda done, total: None

    @property
    def one_preset(self) -> str:
        """The preset of a study that takes just one."""
        return self.preset or "paper"

    @property
    def scope(self) -> str:
        """What a window is, for the notes below a table."""
        return f"Windows of {self.window} slid by {self.slide}."

    @property
    def centred(self) -> list[str]:
        """A note where SCStory's vectors differ from plain ones by more than learning."""
        settings = make_settings(self.one_preset, self.parameters)
        if not isinstance(settings, CalibratedSettings):
            return []
        return [
            f"SCStory ({self.one_preset}) subtracts the stream's mean from every sentence vector; "
            "the plain sentence vectors are not centred. Some or all of the difference between "
            "the two may come from that and not from learning."
        ]

    def known_to(self, system: str, preset: str) -> dict[str, Any]:
        """Return those of the changed parameters that a learned system has."""
        settings = HrStorySettings() if system == "hrstory" else PRESETS[preset]
        known = settings.to_dict()
        return {name: value for name, value in self.parameters.items() if name in known}

    def job(self, system: str = "scstory", **parameters: Any) -> Job:
        """Return a run of a system in this setting."""
        own = self.parameters if system in LEARNED_SYSTEMS else {}
        values = {**own, **parameters}
        return Job(system, self.one_preset, 0, self.window, self.slide, values, self.device)

    def jobs(self, systems: Sequence[str]) -> list[Job]:
        """Return a run of each system; of SCStory one with each preset, unless one is given."""
        presets = [self.preset] if self.preset else list(PRESETS)
        jobs = []
        for name in systems:
            for preset in presets if name == "scstory" else ["default"]:
                own = self.known_to(name, preset) if name in LEARNED_SYSTEMS else {}
                jobs.append(replace(self.job(name), preset=preset, parameters=own))
        return jobs

    def run(self, jobs: Sequence[Job], *, workers: int | None = None) -> list[Row]:
        """Run jobs in this setting; return a row of results per job."""
        return run_rows(
            jobs,
            self.stream,
            self.encoder,
            seeds=self.seeds,
            workers=workers or self.workers,
            finished=self.finished,
            on_slide=self.on_progress,
        )


def named(system: str) -> str:
    """Return a system's name as its authors write it.

    >>> named("densps+pse")
    'DenSps+PSE'
    """
    plain = system.removesuffix(PSE)
    return NAMES.get(plain, plain) + (PSE.upper() if system.endswith(PSE) else "")


def label(row: Row) -> str:
    """Return a row's system as its authors write it, with its preset if it has one."""
    return f"{named(row.system)} ({row.preset})" if row.preset else named(row.system)


def as_flags(parameters: Mapping[str, Any]) -> str:
    """Return parameters as a command takes them.

    >>> as_flags({"delta": 0.45, "memory": "14d"})
    'delta=0.45 memory=14d'
    """
    return " ".join(f"{name}={value}" for name, value in parameters.items())


SCORES = tuple(entry.name for entry in fields(Scores))
RECORD = (*SCORES, *(f"{s}_sd" for s in SCORES), *(f"stream_{s}" for s in SCORES), "seeds")


def record(row: Row) -> list[Cell]:
    """Return a row's numbers, in the order of `RECORD`."""
    numbers = [*asdict(row.windowed).values(), *asdict(row.spread).values()]
    return [*numbers, *asdict(row.stream).values(), len(row.results)]
