"""The stories as readers see them: ongoing, just ended, and ended but able to resume."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from scstory.discovery.corrections import Correction
from scstory.discovery.describe import Change, Describer, as_of_now, describe
from scstory.discovery.method import Scope
from scstory.discovery.state import story_from_dict, story_to_dict
from scstory.discovery.story_rows import Changes
from scstory.discovery.window import UNDECIDED, Ints
from scstory.types import Story


class Catalogue:
    """Describes the stories of the window and counts their articles."""

    def __init__(self, describer: Describer = describe) -> None:
        self.describer = describer
        self._ongoing: dict[int, Story] = {}
        self._sizes: Counter[int] = Counter()
        self._dormant: dict[int, Story] = {}
        """Ended stories that may resume."""
        self._drafts: dict[int, tuple[int, Story]] = {}
        """Stories of the open slide as last described, and after how many of its articles."""
        self.ended: list[Story] = []
        """The stories that ended since this list was last cleared."""
        self._saved: dict[int, tuple[Story, dict[str, Any]]] = {}
        """Stories as plain values, as they were when the state was last asked for."""
        self._placed, self._rated = Changes(), Changes()
        self._revised: set[int] = set()
        """Stories of which something else changed since `changed` was last asked for."""

    def may_resume(self, story: int) -> bool:
        """Say whether a story has left the window and may resume."""
        return story in self._dormant

    def count(self, story: int, was: int | None) -> None:
        """Count an article that joined a story, or moved to it from another."""
        if story in self._dormant:
            resumed = self._dormant.pop(story)
            self._ongoing[story] = replace(resumed, active=True)
            self._sizes[story] = resumed.size
            self.ended = [ended for ended in self.ended if ended.id != story]
        self._revised.add(story)
        self._sizes[story] += 1
        if was is not None:
            self._sizes[was] -= 1

    def count_late(self, published: datetime, story: int) -> None:
        """Count an article from before the window with a story."""
        self._revised.add(story)
        if story in self._sizes:
            self._sizes[story] += 1
        elif dormant := self._dormant.get(story):
            first = min(dormant.first_seen, published)
            self._dormant[story] = replace(dormant, first_seen=first, size=dormant.size + 1)
        if ongoing := self._ongoing.get(story):
            first = min(ongoing.first_seen, published)
            self._ongoing[story] = replace(ongoing, first_seen=first)
            self._drafts.pop(story, None)

    def revive(self, stories: Iterable[Story]) -> None:
        """Take up ended stories again, to which a person moves articles."""
        for story in stories:
            if story.id not in self._ongoing and story.id not in self._sizes:
                self._dormant[story.id] = replace(story, articles=(), key_sentences=())

    def correct_sizes(self, correction: Correction) -> None:
        """Count what a correction changes of the articles from before the window."""
        for old, new in correction.merged.items():
            dormant = self._dormant.pop(old, None)
            past = self._sizes.get(old, dormant.size if dormant else 0)
            if old in self._sizes:
                self._sizes[old] = 0
            self._revised.add(old)
            self._recount(new, past, self._ongoing.get(old) or dormant)
        for story, more in correction.past.items():
            self._recount(story, more)

    def _recount(self, story: int, more: int, part: Story | None = None) -> None:
        """Let a story have more articles from before the window, or fewer."""
        self._revised.add(story)
        if story in self._sizes:
            self._sizes[story] += more
        elif dormant := self._dormant.get(story):
            self._dormant[story] = replace(dormant, size=dormant.size + more)
        for stories in (self._ongoing, self._dormant):
            if part and (found := stories.get(story)):
                first = min(found.first_seen, part.first_seen)
                last = max(found.last_seen, part.last_seen)
                stories[story] = replace(found, first_seen=first, last_seen=last)
        self._drafts.pop(story, None)

    def describe(self, scope: Scope, rows: Iterable[int], before: Ints | None = None) -> None:
        """Describe the stories that articles joined, and those that articles moved away from.

        `before` says which story each row had before the slide was closed.
        """
        self._drafts.clear()
        joined = _by_story(scope, rows)
        left: dict[int, set[str]] = {}
        if before is not None:
            now = scope.window.rows_of
            for i in np.flatnonzero(scope.window.story != before).tolist():
                if (was := int(before[i])) in now and was in self._ongoing:
                    left.setdefault(was, set()).add(scope.window.members.ids[i])
        present = scope.window.rows_of
        for story in [*joined, *(story for story in left if story not in joined)]:
            self._revised.add(story)
            self._ongoing[story] = self._described(
                scope, story, present.of(story), joined.get(story, []), left.get(story, ())
            )

    def drop_emptied(self, scope: Scope, before: Ints, first: int) -> None:
        """End stories that were founded from row `first` on and lost all their articles again.

        `before` says which story each row had before that.
        """
        now = scope.window.rows_of
        for story in sorted(set(before[first:].tolist()) - {UNDECIDED}):
            if story not in now and story not in self._ongoing:
                rows = np.flatnonzero(before == story)
                joined = [scope.window.members.dates[i] for i in rows.tolist()]
                described = self.describer(scope, story, rows, Change(joined, None))
                del self._sizes[story]
                self.ended.append(replace(described, articles=(), size=0, active=False))

    def end_absent(self, scope: Scope, resumable: Collection[int]) -> None:
        """End the stories that have no article in the window any more."""
        now = scope.window.rows_of
        for story in sorted(story for story in self._ongoing if story not in now):
            size = self._sizes.pop(story)
            ended = replace(self._ongoing.pop(story), size=size, active=False)
            self.ended.append(ended)
            self._dormant[story] = replace(ended, articles=(), key_sentences=())
        if self._dormant:
            held = set(resumable)
            self._dormant = {s: story for s, story in self._dormant.items() if s in held}
        for gone in self._saved.keys() - self._ongoing.keys() - self._dormant.keys():
            del self._saved[gone]

    def stories(self, scope: Scope, first: int) -> list[Story]:
        """Return the ongoing stories, the latest first; rows from `first` on are the open slide."""
        current = {**self._ongoing, **self._drafted(scope, first)}
        return self._as_of_now(scope, current, current)

    def changed(self, scope: Scope, first: int) -> list[Story]:
        """Return those ongoing stories that changed since this was last asked for, likewise."""
        current = {**self._ongoing, **self._drafted(scope, first)}
        return self._as_of_now(scope, current, self._take_changes(scope) & current.keys())

    def described(self, stories: Iterable[int]) -> dict[int, Story]:
        """Return those of some stories that are ongoing, as they were last described."""
        return {story: self._ongoing[story] for story in stories if story in self._ongoing}

    def begin(self, scope: Scope) -> None:
        """Take note that whoever asks for changes knows the stories as they are."""
        self._take_changes(scope)

    def _take_changes(self, scope: Scope) -> set[int]:
        story, before = scope.window.story, scope.window.first
        placed, was, _ = self._placed.take(story, before)
        rated, _, _ = self._rated.take(scope.window.confidence, before)
        now = story[np.concatenate([placed[placed >= before], rated[rated >= before]]) - before]
        changed = self._revised.union(was.tolist(), now.tolist())
        self._revised.clear()
        return changed

    def _as_of_now(
        self, scope: Scope, stories: Mapping[int, Story], chosen: Iterable[int]
    ) -> list[Story]:
        rows = scope.window.rows_of
        found = [
            replace(
                as_of_now(scope.window, stories[number], rows.of(number)),
                size=self._sizes[number],
            )
            for number in chosen
        ]
        return sorted(found, key=lambda story: (story.last_seen, story.id), reverse=True)

    def _drafted(self, scope: Scope, first: int) -> dict[int, Story]:
        """Return the stories of the open slide's articles, described as of now.

        Each description starts from the one before the slide, so that it does not matter how often
        a story was described in between.
        """
        arrivals = _by_story(scope, range(first, len(scope.window)))
        present = scope.window.rows_of
        for story, joined in arrivals.items():
            if self._drafts.get(story, (0,))[0] != len(joined):
                described = self._described(scope, story, present.of(story), joined)
                self._drafts[story] = len(joined), described
        return {story: self._drafts[story][1] for story in arrivals}

    def _described(
        self,
        scope: Scope,
        story: int,
        rows: Ints,
        joined: list[datetime],
        left: Collection[str] = (),
    ) -> Story:
        before = self._ongoing.get(story)
        return self.describer(scope, story, rows, Change(joined, before, left))

    def state(self) -> dict[str, Any]:
        """Return plain values, for a checkpoint."""
        return {
            "stories": self._plain(self._ongoing),
            "dormant": self._plain(self._dormant),
            "sizes": [[story, size] for story, size in sorted(self._sizes.items())],
        }

    def _plain(self, stories: Mapping[int, Story]) -> list[dict[str, Any]]:
        """Return stories as plain values; those that have not changed are the same objects."""
        found = []
        for number, story in sorted(stories.items()):
            known = self._saved.get(number)
            if known is None or known[0] is not story:
                known = self._saved[number] = story, story_to_dict(story)
            found.append(known[1])
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to what `state` returned."""
        self.__dict__ = Catalogue(self.describer).__dict__
        self._ongoing = {values["id"]: story_from_dict(values) for values in state["stories"]}
        self._dormant = {values["id"]: story_from_dict(values) for values in state["dormant"]}
        self._sizes = Counter(dict(state["sizes"]))


def _by_story(scope: Scope, rows: Iterable[int]) -> dict[int, list[datetime]]:
    """Return the dates of the articles of some rows by their stories."""
    found: dict[int, list[datetime]] = {}
    chosen = list(rows)
    for i, story in zip(chosen, scope.window.story[chosen].tolist(), strict=True):
        if story != UNDECIDED:
            found.setdefault(story, []).append(scope.window.members.dates[i])
    return found
