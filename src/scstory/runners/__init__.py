"""From sources to the store: accept articles, encode, decide, commit."""

from scstory.runners.engine_setup import open_engine, opened
from scstory.runners.run_sources import Reading, Summary, decide, run
from scstory.runners.writer import Step, Writer

__all__ = ["Reading", "Step", "Summary", "Writer", "decide", "open_engine", "opened", "run"]
