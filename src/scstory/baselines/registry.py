"""The compared systems by name; `+pse` appended compares by mean sentence vectors."""

from collections.abc import Mapping
from typing import Any

from scstory.baselines.baseline import Baseline, Range
from scstory.baselines.batclus import BatClus
from scstory.baselines.constream import ConStream
from scstory.baselines.densps import DenSps
from scstory.baselines.newslens import NewsLens
from scstory.baselines.single_pass import REFERENCES
from scstory.baselines.textclust import TextClust
from scstory.baselines.ustory import Ustory
from scstory.errors import ConfigError

SYSTEMS: Mapping[str, type[Baseline]] = {
    kind.name: kind
    for kind in (*REFERENCES, TextClust, ConStream, NewsLens, BatClus, DenSps, Ustory)
}
PSE = "+pse"


def ranges_of(name: str) -> Mapping[str, Range]:
    """Return the parameters of a compared system, native or `+pse`."""
    return SYSTEMS[name.removesuffix(PSE)].ranges_of(pse=name.endswith(PSE))


def make_baseline(name: str, **parameters: Any) -> Baseline:
    """Return a compared system, native or, with `+pse`, on mean sentence vectors."""
    plain = name.removesuffix(PSE)
    if plain not in SYSTEMS:
        raise ConfigError(f"system {name!r}: there are {', '.join(SYSTEMS)}")
    return SYSTEMS[plain](pse=name.endswith(PSE), **parameters)
