"""The compared systems, one file each, behind the engine's interface."""

from scstory.baselines.registry import PSE, SYSTEMS, make_baseline, ranges_of

__all__ = ["PSE", "SYSTEMS", "make_baseline", "ranges_of"]
