"""Summaries that a language model rewrote, with the articles that each sentence cites."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from scstory.store.address import open_database
from scstory.store.columns import time_text, to_json, to_time
from scstory.store.database import Readable, Writes, clean, read_transaction, write_transaction
from scstory.types import Quote


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of a rewritten summary, and the articles that it is based on."""

    text: str
    articles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewritten summary; without sentences, the model's answer could not be used."""

    sentences: tuple[Cited, ...]
    model: str
    made: datetime


class RewrittenSummaries(Writes):
    """The rewritten summaries of a store. Threads take turns."""

    def __init__(self, address: str) -> None:
        self.db = open_database(address, create=False, write=True)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    @read_transaction
    def of(self, story: int, summary: Sequence[Quote]) -> Rewritten | None:
        """Return what this summary of a story was rewritten as, if it was."""
        return read_rewritten(self.db, story, summary)

    @write_transaction
    def put(
        self, story: int, summary: Sequence[Quote], sentences: Sequence[Cited], model: str
    ) -> None:
        """Store what a summary of a story was rewritten as, in the place of an earlier one."""
        texts = to_json([[clean(each.text), list(each.articles)] for each in sentences])
        now = time_text(datetime.now(UTC))
        self.db.run("DELETE FROM rewritten WHERE story = ?", (story,))
        self.db.run(
            "INSERT INTO rewritten (story, basis, sentences, model, made) VALUES (?, ?, ?, ?, ?)",
            (story, _basis(summary), texts, clean(model), now),
        )


def read_rewritten(db: Readable, story: int, summary: Sequence[Quote]) -> Rewritten | None:
    """Return what this summary of a story was rewritten as, if it was."""
    rows = db.rows("SELECT basis, sentences, model, made FROM rewritten WHERE story = ?", (story,))
    if not rows or rows[0][0] != _basis(summary):
        return None
    _, sentences, model, made = rows[0]
    cited = tuple(Cited(text, tuple(articles)) for text, articles in json.loads(sentences))
    return Rewritten(cited, model, to_time(made))


def _basis(summary: Sequence[Quote]) -> str:
    return sha256(to_json([list(quote) for quote in summary]).encode()).hexdigest()
