"""From sources to the store: read, encode, decide, commit, a slide at a time."""

from scstory.runners.local import Slide, Summary, open_engine, run

__all__ = ["Slide", "Summary", "open_engine", "run"]
