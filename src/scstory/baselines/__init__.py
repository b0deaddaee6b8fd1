"""The compared systems, one file each, behind the engine's interface."""

from scstory.baselines.registry import SYSTEMS, make_baseline

__all__ = ["SYSTEMS", "make_baseline"]
