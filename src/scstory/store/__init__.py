"""What is kept: articles, decisions, stories and the engine's state, a slide a transaction."""

from scstory.store.base import ArticleRecord, Store, open_store

__all__ = ["ArticleRecord", "Store", "open_store"]
