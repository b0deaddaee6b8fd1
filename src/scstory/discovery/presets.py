"""Presets by name, and how an engine is made from one or from a saved state.

Methods are imported only when an engine is made: reading settings must not wait for torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.paper.settings import PaperSettings
from scstory.discovery.settings import MethodSettings
from scstory.discovery.state import check_format
from scstory.errors import ConfigError, StoreError
from scstory.types import State
from scstory.vectors.auto_encoder import AutoEncoder

if TYPE_CHECKING:
    from scstory.discovery.engine import Engine
    from scstory.vectors import Encoder

PRESETS: Mapping[str, MethodSettings] = {
    "paper": PaperSettings(),
    "default": CalibratedSettings(),
}
METHODS: Mapping[str, type[MethodSettings]] = {
    "paper": PaperSettings,
    "calibrated": CalibratedSettings,
}
"""The settings of each method that an engine can be restored with."""


def make_settings(
    preset: str = "default", overrides: Mapping[str, Any] | None = None
) -> MethodSettings:
    """Return the settings of a preset with some of them replaced.

    >>> make_settings("paper", {"delta": "0.45"}).delta
    0.45
    """
    if preset not in PRESETS:
        raise ConfigError(f"preset {preset!r}: there are {', '.join(PRESETS)}")
    return PRESETS[preset].with_changes(overrides or {})


def saved_settings(meta: Mapping[str, Any]) -> MethodSettings:
    """Return the settings that a saved state was made with."""
    check_format(meta)
    method = str(meta.get("method"))
    if method not in METHODS:
        raise StoreError(f"saved state of method {method!r}: there are {', '.join(METHODS)}")
    if "parameters" not in meta:
        raise StoreError("saved state: damaged (no parameters); restore a backup")
    return METHODS[method].from_dict(meta["parameters"])


def make_engine(settings: MethodSettings, encoder: Encoder, *, device: str | None = None) -> Engine:
    """Return an engine at the start of a stream; M computes on `device`, the CPU unless given."""
    engine = _bare_engine(settings, encoder, device)
    if isinstance(settings, PaperSettings) and settings.pretrained:
        if isinstance(encoder, AutoEncoder):
            raise ConfigError(
                "encoder auto: name the encoder that the pretrained M was learned with"
            )
        from scstory.discovery.paper.method import PaperMethod
        from scstory.discovery.paper.saved_encoder import load_encoder

        assert isinstance(engine.method, PaperMethod)
        load_encoder(engine.method.model, settings, encoder.name)
    return engine


def load_engine(state: State, encoder: Encoder, *, device: str | None = None) -> Engine:
    """Return an engine that goes on from a saved state, which holds M: no file is read for it."""
    engine = _bare_engine(saved_settings(state.meta), encoder, device)
    engine.restore(state)
    return engine


def _bare_engine(settings: MethodSettings, encoder: Encoder, device: str | None) -> Engine:
    from scstory.discovery.engine import Engine
    from scstory.vectors.device import torch_device

    place = torch_device(device or "cpu")
    if isinstance(encoder, AutoEncoder):
        encoder.english_share = settings.english_share
    if isinstance(settings, PaperSettings):
        from scstory.discovery.paper.method import PaperMethod

        pretrained = bool(settings.pretrained)

        def paper() -> PaperMethod:
            return PaperMethod(settings, encoder.dim, place, pretrained=pretrained)

        return Engine(paper(), encoder, remake=paper)
    if isinstance(settings, CalibratedSettings):
        from scstory.discovery.calibrated.method import CalibratedMethod

        def calibrated() -> CalibratedMethod:
            return CalibratedMethod(settings, encoder.dim, place)

        return Engine(calibrated(), encoder, remake=calibrated)
    raise ConfigError(f"settings of {type(settings).__name__}: no method takes them")
