"""From sources to the store: read, encode, decide, commit."""

from scstory.runners.keeper import Keeper, Slide
from scstory.runners.local import Summary, open_engine, run

__all__ = ["Keeper", "Slide", "Summary", "open_engine", "run"]
