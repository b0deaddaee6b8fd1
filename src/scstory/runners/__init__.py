"""From sources to the store: read, encode, decide, commit."""

from scstory.runners.keeper import Keeper, Slide
from scstory.runners.local import Summary, run
from scstory.runners.opening import open_engine, opened

__all__ = ["Keeper", "Slide", "Summary", "open_engine", "opened", "run"]
