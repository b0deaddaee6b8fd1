"""The threads of a database, as stories change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scstory.discovery.overview.outline import Outline
from scstory.discovery.overview.threads import fits, nearest

if TYPE_CHECKING:
    from scstory.store.overview import Overview


class Threads:
    """Links stories to threads, one after the other."""

    def __init__(self, overview: Overview) -> None:
        self._overview, self._db = overview, overview.db
        self._settings, self._centre = overview.settings, overview.centre
        self._scale = overview.scale
        self._least = overview.settings.thread * overview.scale

    def link(self, story: int, own: Outline) -> None:
        """Put a story that has changed where it belongs."""
        settings = self._settings
        candidates = self._overview.found_by(own.keys(settings.keys))
        some = [other for other in candidates if other != story][: settings.compared]
        ranked = nearest(own, self._overview.outlines(some), self._centre)
        near = [(alike, other) for alike, other in ranked if alike >= settings.linked * self._scale]
        thread = self._thread_of(story)
        if thread is not None and not self._stays(story, own, thread):
            self._db.run("DELETE FROM threads WHERE story = ?", (story,))
            thread = None
        for alike, other in near:
            other_thread = self._thread_of(other)
            if thread is not None and other_thread == thread:
                continue
            if thread is None:
                if other_thread is None:
                    self._write(other, other, other, 1.0)
                    other_thread = other
                elif not fits(own, self._members(other_thread, story), self._centre, self._least):
                    continue
                self._write(story, other_thread, other, alike)
                thread = other_thread
            elif self._one_affair(thread, other_thread, other):
                thread = self._join(thread, other_thread, other, alike)

    def _thread_of(self, story: int) -> int | None:
        found = self._db.rows("SELECT thread FROM threads WHERE story = ?", (story,))
        return int(found[0][0]) if found else None

    def _members(self, thread: int, but: int | None = None) -> list[Outline]:
        """Return the outlines of a thread's latest stories that are remembered."""
        rows = self._db.rows(
            "SELECT t.story FROM threads t JOIN outlines o ON o.story = t.story "
            "WHERE t.thread = ? ORDER BY o.last DESC, t.story DESC LIMIT ?",
            (thread, self._settings.thread_stories + 1),
        )
        stories = [row[0] for row in reversed(rows) if row[0] != but]
        return list(self._overview.outlines(stories).values())

    def _stays(self, story: int, own: Outline, thread: int) -> bool:
        least = self._settings.loose * self._scale
        return fits(own, self._members(thread, story), self._centre, least)

    def _one_affair(self, thread: int, other: int | None, story: int) -> bool:
        """Say whether two threads, or a thread and a story of none, are alike on average."""
        there = self._members(thread)
        if other is None:
            own = self._overview.outlines([story])[story]
            return fits(own, there, self._centre, self._least)
        return bool(there) and all(
            fits(one, there, self._centre, self._least) for one in self._members(other)
        )

    def _join(self, thread: int, other: int | None, story: int, alike: float) -> int:
        if other is None:
            self._write(story, thread, story, alike)
            return thread
        first, second = sorted((thread, other))
        self._db.run("UPDATE threads SET thread = ? WHERE thread = ?", (first, second))
        return first

    def _write(self, story: int, thread: int, linked: int, alike: float) -> None:
        self._db.run("DELETE FROM threads WHERE story = ?", (story,))
        self._db.run(
            "INSERT INTO threads (story, thread, linked, likeness) VALUES (?, ?, ?, ?)",
            (story, thread, linked, alike),
        )
