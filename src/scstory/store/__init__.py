"""What is stored: articles, decisions, stories and the engine's state, in one database."""

from scstory.store.records import ArticleRow, Receipt, StoryRow
from scstory.store.store import Store, open_store

__all__ = ["ArticleRow", "Receipt", "Store", "StoryRow", "open_store"]
