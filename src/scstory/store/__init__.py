"""What is kept: articles, decisions, stories and the engine's state, a step a transaction."""

from scstory.store.base import (
    ArticleRecord,
    ArticleSource,
    Condition,
    Event,
    Parked,
    Receipt,
    Store,
    open_store,
)

__all__ = [
    "ArticleRecord",
    "ArticleSource",
    "Condition",
    "Event",
    "Parked",
    "Receipt",
    "Store",
    "open_store",
]
