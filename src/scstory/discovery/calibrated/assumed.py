"""What is assumed of similarities before the stream has shown any, read from settings."""

from collections.abc import Collection
from itertools import chain
from math import isfinite
from typing import NamedTuple

from scstory.errors import ConfigError


class Assumed(NamedTuple):
    """What the similarity of a best match is assumed to be before the stream has shown any."""

    same: float
    """Its mean if article and story are the same."""
    different: float
    """Its mean if they are different."""
    deviation: float
    """Its standard deviation in both cases."""


def parse_assumed(text: str) -> dict[str, Assumed]:
    """Return what a setting says of each feature, by name."""
    found = {}
    for entry in text.split(","):
        name, *values = entry.split()
        found[name] = Assumed(*map(float, values))
    return found


def check_assumed(setting: str, text: str, compared: Collection[str]) -> None:
    """Refuse a text that does not say what is assumed of each of the compared features."""
    try:
        found = parse_assumed(text)
        values = found.values()
        usable = all(map(isfinite, chain(*values))) and all(a.deviation > 0 for a in values)
    except (TypeError, ValueError):
        usable = False
    if not usable or not set(compared) <= found.keys():
        raise ConfigError(
            f"{setting} of {text!r}: give each feature's name, two means and a positive deviation, "
            "separated by commas"
        )
