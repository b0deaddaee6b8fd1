"""One study for each table and figure of the paper, and some of what the paper does not have."""

from collections.abc import Callable, Mapping

from scstory.errors import ConfigError
from scstory.evaluation.studies.ablation import ablation
from scstory.evaluation.studies.case_study import case_study
from scstory.evaluation.studies.collection import ALL
from scstory.evaluation.studies.corrections import corrections
from scstory.evaluation.studies.embedding_quality import embedding_quality
from scstory.evaluation.studies.output import Outcome, write_outcome
from scstory.evaluation.studies.overall import overall
from scstory.evaluation.studies.overview import overview
from scstory.evaluation.studies.scalability import scalability
from scstory.evaluation.studies.sensitivity import sensitivity
from scstory.evaluation.studies.setting import Setting
from scstory.evaluation.studies.untidy import dates, noise
from scstory.extras import load_extra

STUDIES: Mapping[str, Callable[[Setting], Outcome]] = {
    "overall": overall,
    "ablation": ablation,
    "embedding-quality": embedding_quality,
    "scalability": scalability,
    "sensitivity": sensitivity,
    "case-study": case_study,
    "noise": noise,
    "dates": dates,
    "corrections": corrections,
    "overview": overview,
}


def find_study(name: str) -> Callable[[Setting], Outcome]:
    """Return a study by name; refuse it where the library that draws its picture is missing."""
    if name not in STUDIES:
        raise ConfigError(f"study {name!r}: there are {', '.join((*STUDIES, ALL))}")
    load_extra("matplotlib", extra="research", purpose=f"study {name}")
    return STUDIES[name]


__all__ = ["ALL", "STUDIES", "Outcome", "Setting", "find_study", "write_outcome"]
