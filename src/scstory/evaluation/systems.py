"""All systems by name: SCStory with its ablations, HRSTORY, and the compared ones."""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from scstory.baselines import PSE, SYSTEMS, make_baseline, ranges_of
from scstory.baselines.hrstory import HrStory, HrStorySettings
from scstory.config import parse_duration
from scstory.discovery.engine import Engine
from scstory.discovery.presets import make_engine, make_settings
from scstory.discovery.settings import convert
from scstory.errors import ConfigError
from scstory.extras import load_extra
from scstory.vectors import Encoder
from scstory.vectors.device import torch_device

LEARNED_SYSTEMS = ("scstory", "hrstory")
WITHOUT_VARIANT = ("tfidf", "tfidf-time", "mean", "ustory", "textclust", "singletons", "one")
"""Systems without a variant on sentence vectors: they use those anyway, or only words."""


def ablations(preset: str = "paper", window: str = "7d") -> dict[str, dict[str, Any]]:
    """Return the rows of a preset's ablation table, as settings that differ from the preset."""
    if preset != "paper":
        return {
            "without M": {"learned": False},
            "without words": {"features": "learned, headline, opening"},
            "without title and opening": {"features": "learned, terms, names, bigrams"},
            "without time": {"timing": False},
            "without resumption": {"resume": ""},
            "without a second look": {"second_look": 0},
        }
    seconds = round(parse_duration(window, what="window").total_seconds())
    return {
        "without memory replay": {"replay": "new"},
        "without augmentation": {"augmentation": "none"},
        "without either": {"replay": "new", "augmentation": "none"},
        "without a learned encoder": {"learned": False},
        "replay from the last two windows": {"memory": f"{2 * seconds}s"},
        "replay from the last three windows": {"memory": f"{3 * seconds}s"},
        "replay from all windows": {"memory": "100000d"},
        "augmentation by pooling weights": {"augmentation": "pooling"},
        "augmentation by sentence shuffle": {"augmentation": "shuffle"},
        "augmentation by feature dropout": {"augmentation": "dropout"},
        "updated in the first window only": {"update": "first"},
        "updated in 30 % of windows": {"update_share": 0.3},
        "updated in 70 % of windows": {"update_share": 0.7},
    }


def system_names() -> list[str]:
    """Return every system, the `+pse` variants beside their native ones."""
    names = list(LEARNED_SYSTEMS)
    for name in SYSTEMS:
        names.append(name)
        if name not in WITHOUT_VARIANT:
            names.append(name + PSE)
    return names


def check_system(name: str) -> None:
    """Refuse a name that is no system's, and a system whose library is not installed."""
    plain = name.removesuffix(PSE)
    if plain not in (*LEARNED_SYSTEMS, *SYSTEMS):
        raise ConfigError(f"system {name!r}: there are {', '.join(system_names())}")
    if plain in SYSTEMS and (library := SYSTEMS[plain].library):
        load_extra(library, extra="research", purpose=f"system {name}")


def make_system(
    name: str,
    encoder: Encoder,
    *,
    preset: str = "default",
    seed: int = 0,
    window: str = "7d",
    slide: str = "1d",
    parameters: Mapping[str, Any] | None = None,
    device: str | None = None,
) -> Engine:
    """Return a system ready for the start of a stream; M computes on `device`, if it has one."""
    check_system(name)
    plain = name.removesuffix(PSE)
    common: dict[str, Any] = {"window": window, "slide": slide, **(parameters or {})}
    if plain == "scstory":
        return make_engine(make_settings(preset, {"seed": seed, **common}), encoder, device=device)
    if plain == "hrstory":
        settings = HrStorySettings().with_changes({"seed": seed, **common})
        return Engine(HrStory(settings, encoder.dim, torch_device(device or "cpu")), encoder)
    return Engine(make_baseline(name, **common), encoder)


def describe_system(name: str, parameters: Mapping[str, Any]) -> str:
    """Return what a table must say of how a system is run; usually nothing.

    >>> describe_system("tfidf", {})
    ''
    """
    if name.removesuffix(PSE) not in SYSTEMS:
        return ""
    return make_baseline(name, **parameters).description


def check_parameters(
    name: str, given: Mapping[str, Any], *, preset: str = "default"
) -> dict[str, Any]:
    """Return parameters of a system as numbers and texts; refuse names and values it cannot have.

    >>> check_parameters("newslens", {"k": "2", "T": "0.8"})
    {'k': 2, 'T': 0.8}
    """
    plain = name.removesuffix(PSE)
    if plain in LEARNED_SYSTEMS:
        own = HrStorySettings() if plain == "hrstory" else make_settings(preset)
        settings = own.with_changes(given)
        return {parameter: getattr(settings, parameter) for parameter in given}
    ranges = ranges_of(name)
    values = dict(given)
    for parameter in values.keys() & ranges.keys():
        kind = type(ranges[parameter].default)
        value = values[parameter] = convert(parameter, values[parameter], kind)
        low, high = ranges[parameter].limits
        low = max(low, 1) if kind is int else low
        if kind is not str and math.isinf(value):
            raise ConfigError(f"{parameter} of {value}: must be finite")
        if kind is not str and not low <= value <= high:  # also refuses NaN
            allowed = f"of {low:g} or more" if high == math.inf else f"from {low:g} to {high:g}"
            raise ConfigError(f"{parameter} of {value}: must be a number {allowed}")
    make_baseline(name, **values)
    return values


def tuning_grid(name: str) -> list[dict[str, float]]:
    """Return the settings that tuning tries for a compared system; learned ones are never tuned."""
    if name.removesuffix(PSE) not in SYSTEMS:
        return []
    grids = {p: r.grid for p, r in ranges_of(name).items() if r.grid}
    return [dict(zip(grids, values, strict=True)) for values in product(*grids.values()) if grids]


def grid_edges(name: str, tuned: Mapping[str, Any]) -> list[str]:
    """Return the tuned parameters whose values end their grids, where better ones may lie beyond.

    >>> grid_edges("tfidf", {"threshold": 0.05}), grid_edges("tfidf", {"threshold": 0.2})
    (['threshold'], [])
    """
    ranges = ranges_of(name)
    return [parameter for parameter, value in tuned.items() if ranges[parameter].on_edge(value)]
