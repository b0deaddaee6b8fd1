"""A saved article encoder M, with which another stream starts instead of training its own.

A file of M is a saved state with nothing in it but M: what the engine was made with, and M's
weights. So a whole saved state can be given as well. Adam's moments are not taken over.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from scstory.discovery.method import prefixed, unprefixed
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.settings import PaperSettings
from scstory.discovery.state import check_format, dump_state, load_state
from scstory.errors import ConfigError, StoreError, UsageError
from scstory.types import State

META = ("format", "method", "parameters", "encoder")


def save_encoder(state: State, path: str | Path) -> None:
    """Write M, as an engine's state has it, to a file."""
    check_format(state.meta)
    if state.meta["method"] != "paper":
        raise ConfigError(
            f"method {state.meta['method']}: only the preset paper can start from a saved encoder; "
            "run your articles with --preset paper"
        )
    _refuse_untrained(state.meta, "state")
    meta = {name: state.meta[name] for name in META} | {"own": {"waiting": False}}
    weights = prefixed("model", unprefixed("model", state.arrays))
    try:
        Path(path).write_bytes(dump_state(State(meta, weights, ()), members=False))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error


def load_encoder(model: ArticleEncoder, settings: PaperSettings, encoder: str) -> None:
    """Give M the weights in the file that the settings name.

    Refuses weights that were learned on another encoder's vectors or for an M of another shape.
    """
    path = settings.pretrained
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"pretrained {path}: cannot be read ({error.strerror})") from error
    state = load_state(content, what=path)
    check_format(state.meta)
    if state.meta.get("method") != "paper":
        raise ConfigError(
            f"pretrained {path}: has an M of the method {state.meta.get('method')!r}; give one "
            "that was learned with --preset paper"
        )
    _refuse_untrained(state.meta, path)
    saved = {name: torch.from_numpy(v) for name, v in unprefixed("model", state.arrays).items()}
    own = model.state_dict()
    try:
        dim = len(saved["indicative.linear.bias"])
        made_with = PaperSettings.from_dict(state.meta["parameters"])
        trained_on = state.meta["encoder"]
    except KeyError as error:
        raise StoreError(f"pretrained {path}: damaged (no {error.args[0]})") from error
    if dim != len(own["indicative.linear.bias"]):
        raise ConfigError(
            f"pretrained {path}: is for vectors of {dim} dimensions, and encoder {encoder} has "
            f"{len(own['indicative.linear.bias'])}; use encoder {trained_on}"
        )
    if trained_on != encoder:
        raise ConfigError(
            f"pretrained {path}: was learned on vectors of {trained_on}, and this is {encoder}; "
            f"use encoder {trained_on}"
        )
    for name in ("heads", "pooling_width"):
        here, there = getattr(settings, name), getattr(made_with, name)
        if here != there:
            raise ConfigError(
                f"{name} of {here}: pretrained {path} has {there}; set {name}={there}"
            )
    if {n: v.shape for n, v in saved.items()} != {n: v.shape for n, v in own.items()}:
        raise StoreError(f"pretrained {path}: damaged (its weights are not those of an M)")
    model.load_state_dict(saved)


def _refuse_untrained(meta: Mapping[str, Any], what: str) -> None:
    """Refuse an M that has not learned yet: the first window was not complete."""
    if meta.get("own", {}).get("waiting", True):
        raise ConfigError(f"{what}: M has not learned anything yet; its first window must be over")
