"""Maintenance: consistency checks, backups, and dropping old text."""

from collections import Counter
from datetime import datetime

from scstory.store.columns import time_text
from scstory.store.database import Writes, read_transaction, write_transaction
from scstory.store.records import Condition

_MUST_BE_NONE = {
    "articles that are also in the inbox": "SELECT count(*) FROM inbox "
    "WHERE id IN (SELECT id FROM articles)",
    "articles of no story, though the engine does not hold them": "SELECT count(*) FROM articles "
    "WHERE id NOT IN (SELECT article FROM assignments) AND id NOT IN (SELECT article FROM vectors)",
    "stories without an article": "SELECT count(*) FROM stories "
    "WHERE size > 0 AND id NOT IN (SELECT story FROM assignments)",
    "stories whose size is not the number of their articles": "SELECT count(*) FROM stories s "
    "WHERE size <> (SELECT count(*) FROM assignments d WHERE d.story = s.id)",
    "redirects that lead nowhere": "SELECT count(*) FROM redirects "
    "WHERE new NOT IN (SELECT id FROM stories)",
    "threads of stories that are not there": "SELECT count(*) FROM threads "
    "WHERE story NOT IN (SELECT id FROM stories UNION SELECT old FROM redirects)",
    "sections of stories that are not there": "SELECT count(*) FROM section_stories "
    "WHERE story NOT IN (SELECT id FROM stories UNION SELECT old FROM redirects)",
    "articles that are also about stories that are not there": "SELECT count(*) FROM mentions "
    "WHERE article NOT IN (SELECT id FROM articles) "
    "OR story NOT IN (SELECT id FROM stories UNION SELECT old FROM redirects)",
    "copies of articles that are not there": "SELECT count(*) FROM sources "
    "WHERE article NOT IN (SELECT id FROM articles UNION SELECT id FROM inbox "
    "UNION SELECT id FROM parked)",
}


class Upkeep(Writes):
    """What holds in every sound store, and what may be dropped from it."""

    @read_transaction
    def check(self) -> Condition:
        """Check the whole store for consistency."""
        found = self.db.faults()
        for what, query in {**_MUST_BE_NONE, **self.db.search.not_indexed}.items():
            if number := self.db.value(query):
                found.append(f"{number:,} {what}")
        articles, stories, inbox, parked = (
            self.db.value(f"SELECT count(*) FROM {table}")
            for table in ("articles", "stories", "inbox", "parked")
        )
        schema, size = self.db.schema(), self.size()
        return Condition(schema, articles, stories, inbox, parked, size, tuple(found))

    @read_transaction
    def languages(self) -> dict[str, int]:
        """Return how many articles there are in each language, by primary subtag."""
        found: Counter[str] = Counter()
        for tag, count in self.db.rows("SELECT language, count(*) FROM articles GROUP BY language"):
            found[(tag or "en").partition("-")[0].lower()] += count
        return dict(found.most_common())

    @read_transaction
    def size(self) -> int:
        """Return how many bytes the store takes."""
        return self.db.size()

    def backup(self, path: str) -> None:
        """Write a copy of the database, as of one moment, to a new file."""
        self.db.backup(path)

    def compact(self, before: datetime) -> int:
        """Drop the text of older articles and give the space back; return how many there were."""
        count = self._drop_text(before)
        self.db.shrink()
        return count

    @write_transaction
    def _drop_text(self, before: datetime) -> int:
        """Drop text and sentence weights of older articles, except of those in the window."""
        old = "published < ? AND text <> '' AND id NOT IN (SELECT article FROM vectors)"
        self.db.run(
            "UPDATE assignments SET weights = '[]' WHERE article IN "
            f"(SELECT id FROM articles WHERE {old})",
            (time_text(before),),
        )
        dropped = f"UPDATE articles SET {self.db.search.drop_text} WHERE {old}"
        count = self.db.run(dropped, (time_text(before),))
        self.db.run("DELETE FROM text_keys WHERE published < ?", (time_text(before),))
        return count
