"""From options and settings to a plan: which systems run on a stream, and with which parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scstory.discovery.presets import make_settings
from scstory.errors import ConfigError
from scstory.evaluation.systems import check_parameters, check_system, system_names
from scstory.text.sentences import MAX_SENTENCES

FLOORS = ("singletons", "one")
"""The trivial systems, which show what a score is worth."""
TIMES = ("window", "slide")
"""Settings that all systems share."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The systems, each with its preset (None for all but SCStory), and what they are run with."""

    systems: Sequence[tuple[str, str | None]]
    window: str
    slide: str
    seed: int
    parameters: Mapping[str, Mapping[str, Any]]
    """What is set otherwise than by default, by system."""

    @property
    def max_sentences(self) -> int:
        """The most sentences of an article that any system reads."""
        own = (values.get("max_sentences", MAX_SENTENCES) for values in self.parameters.values())
        return max(MAX_SENTENCES, *own) if self.parameters else MAX_SENTENCES


def make_plan(
    names: Sequence[str],
    presets: Sequence[str],
    *,
    settings: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    floors: bool = False,
) -> Plan:
    """Return what to run. SCStory runs once for each preset; floors are added if asked for.

    `settings` come from the file of settings and the environment, `overrides` from the command
    line. Both change SCStory. If it is not among the systems, overrides are for the only one named.
    """
    systems = list(dict.fromkeys(system_names() if "all" in names else names))
    for name in systems:
        check_system(name)
    settings, overrides = settings or {}, overrides or {}
    everything = {**settings, **overrides}
    times = {name: value for name, value in everything.items() if name in TIMES}
    own = {name: value for name, value in overrides.items() if name not in TIMES}
    if "scstory" in systems:
        own = {name: value for name, value in everything.items() if name not in TIMES}
    elif own and len(systems) > 1:
        raise ConfigError(
            f"--set {next(iter(own))}: there are {len(systems)} systems; name only the one that "
            "has this parameter, or scstory"
        )
    target = "scstory" if "scstory" in systems else systems[0]
    shared, *_ = [make_settings(preset, times) for preset in presets]
    parameters, *_ = [check_parameters(target, own, preset=preset) for preset in presets]
    return Plan(
        _in_order(systems, presets, floors=floors),
        shared.window,
        shared.slide,
        parameters.pop("seed", 0),
        {target: parameters} if parameters else {},
    )


def _in_order(
    names: Sequence[str], presets: Sequence[str], *, floors: bool
) -> list[tuple[str, str | None]]:
    """Return the systems with their presets, SCStory once for each of them."""
    plan: list[tuple[str, str | None]] = []
    for name in names:
        plan += [(name, preset) for preset in presets] if name == "scstory" else [(name, None)]
    if floors:
        plan += [(floor, None) for floor in FLOORS if (floor, None) not in plan]
    return plan
