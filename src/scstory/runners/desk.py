"""The desk: carries out what people correct, on the engine and on what the store remembers.

A correction of articles in the window goes through the engine, which respects it from then on.
Articles that have left the window have no vectors any more. They change their story in the store;
the profile by which a story of the past is recognised keeps what they contributed to it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scstory.discovery import Engine
from scstory.discovery.corrections import Correction
from scstory.discovery.state import story_from_dict, story_to_dict
from scstory.errors import BadCorrection
from scstory.runners.past_story import past_story, without
from scstory.store import Store
from scstory.store.correction_records import MARKS, Applied, CorrectionRow
from scstory.store.records import StoryRow
from scstory.types import Assignment, Story

Goes = Mapping[str, int]
"""Articles, and the story that each of them goes to."""
_MARKED = {"pin": "pinned", "unpin": "unpinned", "hide": "hid", "show": "showed again"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the writer commits of a correction."""

    applied: Applied
    decided: Sequence[Assignment] = ()
    also: Sequence[Story] = ()
    """Stories that the engine does not have."""
    redirects: Mapping[int, int] = field(default_factory=dict)


class Desk:
    """Carries out corrections, one at a time."""

    def __init__(self, engine: Engine, store: Store) -> None:
        self._engine, self._store = engine, store

    def carry_out(self, asked: CorrectionRow) -> Outcome:
        """Change the engine, and return what is to be committed; refuse what cannot be done."""
        checked = self._store.checked(asked)
        row = replace(asked, story=checked.story, target=checked.target, articles=checked.articles)
        if row.kind in MARKS:
            return self._mark(row)
        if row.kind == "undo":
            return self._undo(row)
        return self._regroup(row)

    # -- how a story is shown -----------------------------------------------------------------

    def _mark(self, row: CorrectionRow) -> Outcome:
        assert row.story is not None
        story = self._stored(row.story)
        if row.kind == "rename":
            answer = f"renamed story {story.id} “{story.title}” to “{row.title}”"
            effect = {"title": self._own_title(story)}
        else:
            answer, effect = f"{_MARKED[row.kind]} story {story.id} “{story.title}”", {}
        applied = Applied(number=row.number, answer=answer, effect=effect, stories=(story.id,))
        return Outcome(applied=applied, also=[self._present(story)])

    def _present(self, story: StoryRow, *, title: str | None = None) -> Story:
        """Return a story as the engine has it, or else as stored, with its own title."""
        ongoing = {one.id: one for one in self._engine.stories()}
        return ongoing.get(story.id) or replace(
            story.story, title=title or story.title, active=False
        )

    def _own_title(self, story: StoryRow) -> str:
        """Return the title that a story had before people gave it others."""
        renamed = [
            one
            for one in self._store.corrections(story=story.id, limit=10_000)
            if one.kind == "rename" and one.status == "done" and one.story == story.id
        ]
        return str(renamed[-1].effect["title"]) if renamed else story.title

    # -- which articles a story has -----------------------------------------------------------

    def _regroup(self, row: CorrectionRow) -> Outcome:
        founded = self._engine.new_story() if row.kind == "split" else None
        to = founded if founded is not None else row.target
        assert to is not None
        articles = self._stored(row.story).articles if row.kind == "merge" else row.articles
        was = self._store.stories_of(articles)
        goes = {article: to for article in articles if was[article] != to}
        was = {article: was[article] for article in goes}
        plan = _Plan(self._engine, self._store, goes, was)
        holds, barred = dict(plan.inside), dict[str, int]()
        if row.kind == "merge":
            holds |= dict.fromkeys(plan.in_window(self._stored(to).articles), to)
        elif founded is not None:
            rest = plan.in_window(self._stored(row.story).articles)
            barred = {article: founded for article in rest if article not in goes}
        correction = Correction(
            number=row.number,
            moves=plan.inside,
            holds=tuple(holds),
            barred=barred,
            apart=() if row.kind == "merge" else tuple((s, to) for s in plan.sources),
            merged={row.story: to} if row.kind == "merge" and row.story else {},
            revived=plan.revived(merging=row.kind == "merge"),
            past={} if row.kind == "merge" else plan.past,
        )
        done = plan.carry_out(correction)
        applied = Applied(
            number=row.number,
            answer=self._answer(row, plan, to),
            effect={**done.effect, **({"founded": founded} if founded else {})},
            stories=(to,) if row.kind == "merge" else (*plan.sources, to),
            placed=() if row.kind == "merge" else tuple(goes),
            moved={} if row.kind == "merge" else plan.moved_outside,
        )
        return Outcome(
            applied=applied, decided=done.decided, also=done.also, redirects=done.redirects
        )

    def _undo(self, row: CorrectionRow) -> Outcome:
        undone = self._store.correction(row.undoes or 0)
        assert undone is not None
        answer = f"undid correction {undone.number} ({undone.answer})"
        if undone.kind in MARKS:
            story = self._stored(undone.story)
            title = undone.effect.get("title", story.title)
            applied = Applied(
                number=row.number,
                answer=answer,
                effect={},
                stories=(story.id,),
                undoes=undone.number,
            )
            return Outcome(applied=applied, also=[self._present(story, title=title)])
        now, redirect = self._store.stories_of(list(undone.effect["was"])), self._store.redirect
        vanished = {int(story): parts for story, parts in undone.effect["vanished"].items()}
        back: dict[str, int] = {}
        for article, story in undone.effect["was"].items():
            home = story if story in vanished else redirect(story)
            if now.get(article) == redirect(undone.effect["to"]) != home:
                back[article] = home
        if not back:
            raise BadCorrection(
                f"correction {undone.number}: its articles have moved on, or their stories are one "
                "by now, so there is nothing to undo"
            )
        again = sorted(set(back.values()) & {*vanished})
        restored = {story: tuple(vanished[story]["parts"]) for story in again}
        stories = {story: story_from_dict(vanished[story]["story"]) for story in restored}
        plan = _Plan(self._engine, self._store, back, {a: now[a] for a in back}, vanished=stories)
        correction = Correction(
            number=row.number,
            moves=plan.inside,
            revived=plan.revived(),
            past=plan.past,
            retracts=undone.number,
        )
        done = plan.carry_out(correction)
        applied = Applied(
            number=row.number,
            answer=answer,
            effect={},
            stories=tuple(sorted({*plan.sources, *back.values()})),
            moved=plan.moved_outside,
            undoes=undone.number,
            restored=restored,
        )
        return Outcome(
            applied=applied, decided=done.decided, also=done.also, redirects=done.redirects
        )

    def _answer(self, row: CorrectionRow, plan: "_Plan", to: int) -> str:
        """Say in a sentence what was done, and what could not be."""
        count = f"{len(plan.was)} article{'s' * (len(plan.was) != 1)}"
        if row.kind == "merge":
            story, target = self._stored(row.story), self._stored(to)
            return f"merged story {story.id} “{story.title}” ({count}) into {to} “{target.title}”"
        sources = ", ".join(f"{s} “{self._stored(s).title}”" for s in plan.sources)
        if row.kind == "split":
            said = f"split {count} out of story {sources} as story {to}"
        else:
            said = f"moved {count} from story {sources} to {to} “{self._stored(to).title}”"
        if old := len(plan.outside):
            said += f"; {old} of them had left the window, and what later articles are compared "
            said += "with stays as it was for these"
        return said

    def _stored(self, story: int | None) -> StoryRow:
        found = self._store.story(story or 0)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    decided: Sequence[Assignment]
    also: Sequence[Story]
    redirects: Mapping[int, int]
    effect: Mapping[str, object]


class _Plan:
    """Articles that go to other stories: those in the window, and those from before it."""

    def __init__(
        self,
        engine: Engine,
        store: Store,
        goes: Goes,
        was: Goes,
        *,
        vanished: Mapping[int, Story] | None = None,
    ) -> None:
        self._engine, self._store, self._vanished = engine, store, vanished or {}
        self._goes, self.was = goes, was
        self._window = set(engine.scope.window.members.ids)
        self._ongoing = {story.id for story in engine.stories()}
        self.inside = {a: to for a, to in goes.items() if a in self._window}
        self.outside = {a: to for a, to in goes.items() if a not in self._window}
        self.sources = tuple(sorted(set(was.values())))
        self._change = Counter(self.outside.values())
        self._change.subtract(was[article] for article in self.outside)

    def in_window(self, articles: Sequence[str]) -> list[str]:
        """Return those of some articles that are in the window."""
        return [article for article in articles if article in self._window]

    @property
    def moved_outside(self) -> dict[str, tuple[int, int]]:
        """The articles from before the window, with their stories before and after."""
        return {article: (self.was[article], to) for article, to in self.outside.items()}

    @property
    def past(self) -> dict[int, int]:
        """By how many articles from before the window stories of the engine become larger."""
        revived = {story.id for story in self.revived()}
        return {s: more for s, more in self._change.items() if more and s not in revived}

    def revived(self, *, merging: bool = False) -> tuple[Story, ...]:
        """Return the ended stories that get articles of the window, and an ended one merged."""
        some = set(self.inside.values()) | (set(self.sources) if merging else set())
        found = []
        for number in sorted(some - self._ongoing):
            base = self._base(number)
            if base is not None:
                more = 0 if merging else self._change[number]
                size = more + (0 if number in self._vanished else base.size)
                found.append(replace(base, size=size))
        return tuple(found)

    def _base(self, number: int) -> Story | None:
        """Return an ended story as it was, or one of its articles from before the window."""
        if number in self._vanished:
            return self._vanished[number]
        if (stored := self._store.story(number)) is not None and stored.id == number:
            return stored.story
        own = [a for a, to in self.outside.items() if to == number]
        rows = [row for a in own if (row := self._store.article(a)) is not None]
        if not rows:
            return None
        return replace(past_story(self._engine, number, [row.article for row in rows]), size=0)

    def carry_out(self, correction: Correction) -> _Done:
        """Correct the engine; return what is to be stored beside its stories."""
        before = {story: self._store.story(story) for story in self.sources}
        parts = {story: self._store.merged_into(story) for story in self.sources}
        decided = self._engine.correct(correction)
        known = {s.id: s for s in (*self._engine.stories(), *self._engine.ended())}
        also, redirects = [], dict[int, int]()
        goes_to = {self.was[article]: to for article, to in self._goes.items()}
        for number in sorted({*self.sources, *self._goes.values()}):
            left = self._after(number) if number not in known else None
            if left is not None and left.size:
                also.append(left)
            elif (left is None and not known[number].size) or (left and not left.size):
                redirects[number] = goes_to[number]
        vanished = {
            str(story): {"story": story_to_dict(found.story), "parts": parts[story]}
            for story in redirects
            if (found := before.get(story)) is not None
        }
        effect = {
            "was": dict(self.was),
            "to": next(iter(self._goes.values())),
            "vanished": vanished,
        }
        return _Done(decided=decided, also=also, redirects=redirects, effect=effect)

    def _after(self, number: int) -> Story:
        """Return an ended story with the articles that it has after the correction."""
        base = self._base(number)
        assert base is not None
        stored = self._store.articles_of(number) if number not in self._vanished else []
        stored = [row for row in stored if row.story == number]
        gone = {article for article, was in self.was.items() if was == number}
        came = [a for a, to in self._goes.items() if to == number]
        rows = [row for row in stored if row.id not in gone]
        rows += [row for a in came if (row := self._store.article(a)) is not None]
        rows.sort(key=lambda row: row.published)
        if not rows:
            return replace(base, size=0)
        told = without(base, gone, [row.article for row in rows])
        return replace(
            told,
            first_seen=rows[0].published,
            last_seen=rows[-1].published,
            articles=tuple(row.id for row in rows),
            size=len(rows),
            active=False,
        )
