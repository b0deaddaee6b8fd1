"""Corrections: carried out by the writer, on both databases, respected for good, undoable."""

import pytest

from scstory.discovery import load_engine
from scstory.discovery.state import dump_state
from scstory.errors import BadCorrection, EditConflict, StoreError
from scstory.runners import Writer
from scstory.store import open_store
from scstory.store.correction_records import CorrectionRequest
from scstory.store.records import StoryQuery
from tests.conftest import make_distinct
from tests.discovery.test_engine import make
from tests.runners.test_writer import FAR

CUT = 24


class Newsroom:
    """A store with a writer that has decided some articles, and what a person does with it."""

    def __init__(self, path, preset="default"):
        self.path, self.preset = path, preset
        self.store, self.stream = open_store(path), make_distinct(12)
        self.writer = Writer(make(preset, window="4d"), self.store, clock=lambda: FAR)
        self.read(0, CUT)

    def read(self, start, stop):
        self.store.accept(self.stream[start:stop])
        self.writer.drain()

    def close(self):
        self.writer.finish()

    def restart(self):
        self.store.close()
        self.store = open_store(self.path)
        engine = load_engine(self.store.state(), self.writer.engine.encoder)
        self.writer = Writer(engine, self.store, clock=lambda: FAR)

    def correct(self, kind, story=None, target=None, articles=(), **more):
        values = {"kind": kind, "story": story, "target": target, "articles": tuple(articles)}
        asked = self.store.ask(CorrectionRequest(**{"editor": "Ann", **values, **more}))
        self.writer.drain()
        done = self.store.correction(asked.number)
        assert done.status == "done", done.answer
        return done

    def story_of(self, article):
        return self.store.article(article).story

    def groups(self):
        return sorted(sorted(story.articles) for story in self.store.stories() if story.size)

    def check(self):
        assert self.store.check().problems == ()


@pytest.fixture(params=["default", "paper"])
def newsroom(path, request):
    found = Newsroom(path, request.param)
    if request.param == "paper":
        found.close()  # decides the first window
    yield found
    found.check()
    found.store.close()


@pytest.fixture
def room(path):
    found = Newsroom(path)
    yield found
    found.check()
    found.store.close()


def two_stories(room):
    """Return two stories with several articles in the window, and one article of the first."""
    window = {m.article.id for m in room.writer.engine.scope.window.members}
    some = [s for s in room.store.stories(active=True) if len(window & set(s.articles)) > 1]
    own = [article for article in some[0].articles if article in window]
    return some[0].id, some[1].id, own


def test_a_moved_article_stays_where_a_person_put_it(newsroom):
    story, other, (article, *_) = two_stories(newsroom)
    done = newsroom.correct("move", target=other, articles=[article])
    assert newsroom.story_of(article) == other
    assert newsroom.store.article(article).correction == done.number
    newsroom.restart()
    for start in range(CUT, len(newsroom.stream), 6):
        newsroom.read(start, start + 6)
        newsroom.check()
    newsroom.close()
    assert newsroom.story_of(article) == other
    moved = [e for e in newsroom.store.events(0) if e.kind == "corrected"]
    assert {e.story for e in moved} == {story, other}


def test_merged_stories_are_one_for_good_and_the_old_number_leads_to_the_new_one(newsroom):
    story, other, _ = two_stories(newsroom)
    before = {*newsroom.store.story(story).articles, *newsroom.store.story(other).articles}
    newsroom.correct("merge", story, other)
    assert newsroom.store.redirect(story) == other
    newsroom.read(CUT, len(newsroom.stream))
    newsroom.restart()
    newsroom.close()
    assert before <= set(newsroom.store.story(other).articles)


def test_a_split_story_is_never_joined_again(newsroom):
    story, _, own = two_stories(newsroom)
    done = newsroom.correct("split", story, articles=own[:1])
    assert newsroom.story_of(own[0]) == done.founded != story
    newsroom.read(CUT, len(newsroom.stream))
    newsroom.restart()
    newsroom.close()
    assert newsroom.story_of(own[0]) != newsroom.story_of(own[1])


def test_undo_restores_the_stories_and_their_numbers(newsroom):
    before = newsroom.groups()
    story, other, own = two_stories(newsroom)
    titles = {s.id: s.title for s in newsroom.store.stories()}
    for kind, *what in (
        ("move", None, other, own[:1]),
        ("merge", story, other),
        ("split", story, None, own[:1]),
    ):
        done = newsroom.correct(kind, *what)
        assert newsroom.groups() != before
        newsroom.check()
        newsroom.correct("undo", undoes=done.number)
        newsroom.check()
        assert newsroom.groups() == before
        assert {newsroom.story_of(article) for article in own} == {story}
        assert newsroom.store.correction(done.number).status == "undone"
    assert newsroom.store.redirect(story) == story
    assert {s.id: s.title for s in newsroom.store.stories()}.keys() >= titles.keys()


def test_what_is_undone_is_no_longer_respected(room):
    _, other, own = two_stories(room)
    done = room.correct("move", target=other, articles=own[:1])
    room.correct("undo", undoes=done.number)
    assert room.store.article(own[0]).correction is None
    state = room.writer.engine.state().arrays
    assert not len(state["corrected.held"])
    assert not len(state["corrected.apart"])


def test_articles_that_have_left_the_window_are_corrected_in_the_store(room):
    room.read(CUT, len(room.stream))
    window = {m.article.id for m in room.writer.engine.scope.window.members}
    past = [s for s in room.store.stories() if len(set(s.articles) - window) > 2]
    story = past[0]
    old = [article for article in story.articles if article not in window]
    done = room.correct("split", story.id, articles=old[:2])
    assert "left the window" in done.answer
    founded = room.store.story(done.founded)
    assert (founded.size, set(founded.articles)) == (2, set(old[:2]))
    assert room.store.story(story.id).size == story.size - 2
    room.check()
    other = next(s.id for s in past[1:])
    room.correct("move", target=other, articles=old[:1])
    room.check()
    last = room.correct("merge", done.founded, other)
    assert set(old[:2]) <= set(room.store.story(other).articles)
    room.check()
    room.correct("undo", undoes=last.number)
    assert room.store.story(done.founded).articles == (old[1],)
    room.restart()
    room.close()


def test_the_only_article_of_a_story_takes_its_address_along(room):
    story, _, own = two_stories(room)
    done = room.correct("split", story, articles=own[:1])
    moved = room.correct("move", target=story, articles=own[:1])
    assert room.store.redirect(done.founded) == story
    room.correct("undo", undoes=moved.number)
    assert room.store.redirect(done.founded) == done.founded
    assert room.story_of(own[0]) == done.founded


def test_a_title_by_a_person_survives_and_can_be_taken_back(newsroom):
    story, _, _ = two_stories(newsroom)
    title = newsroom.store.story(story).title
    first = newsroom.correct("rename", story, title="  The  great flood ")
    second = newsroom.correct("rename", story, title="The greater flood", editor="Bob")
    newsroom.read(CUT, CUT + 8)
    newsroom.restart()
    newsroom.close()
    found = newsroom.store.story(story)
    assert (found.title, found.title_by) == ("The greater flood", "Bob")
    with pytest.raises(BadCorrection, match=f"undo {second.number} first"):
        newsroom.correct("undo", undoes=first.number)
    newsroom.correct("undo", undoes=second.number)
    assert newsroom.store.story(story).title == "The great flood"
    newsroom.correct("undo", undoes=first.number)
    found = newsroom.store.story(story)
    assert found.title_by is None
    assert found.title.split()[0] == title.split()[0]


def test_a_hidden_story_is_not_listed_and_a_pinned_one_says_so(room):
    story, other, _ = two_stories(room)
    room.correct("hide", story)
    room.correct("pin", other)
    for query in (StoryQuery(sort="momentum"), StoryQuery(sort="size")):
        listed = {s.id for s in room.store.story_page(query)[0]}
        assert story not in listed
        assert other in listed
    assert room.store.story(story).hidden
    assert room.store.story(other).pinned
    room.correct("show", story)
    room.correct("unpin", other)
    assert not room.store.story(story).hidden
    assert not room.store.story(other).pinned


def test_what_cannot_be_done_is_refused_and_changes_nothing(room):
    story, other, own = two_stories(room)
    size = room.store.story(story).size
    everything = room.store.story(story).articles
    before = dump_state(room.store.state()), room.groups()
    for asked, reason in (
        ({"kind": "merge", "story": story, "target": story}, "with itself"),
        ({"kind": "merge", "story": 10**30, "target": story}, "there is none"),
        ({"kind": "merge", "story": story}, "no target"),
        ({"kind": "split", "story": story, "articles": everything}, f"all {size} articles"),
        ({"kind": "split", "story": other, "articles": own}, f"is in story {story}"),
        ({"kind": "split", "story": story}, "no articles"),
        ({"kind": "move", "target": story, "articles": own}, "already"),
        ({"kind": "move", "target": 999, "articles": own}, "story 999: there is none"),
        ({"kind": "move", "target": story, "articles": ("nope",)}, "not in a story"),
        ({"kind": "rename", "story": story, "title": "  "}, "title of 0 characters"),
        ({"kind": "rename", "story": story, "title": "x" * 301}, "1 to 300"),
        ({"kind": "show", "story": story}, "shown already"),
        ({"kind": "undo", "undoes": 7}, "there is none"),
        ({"kind": "pin", "story": story, "editor": ""}, "give a name"),
    ):
        with pytest.raises(BadCorrection, match=reason):
            room.store.ask(
                CorrectionRequest(
                    **{"editor": "Ann", **asked, "articles": tuple(asked.get("articles", ()))}
                )
            )
    room.writer.drain()
    assert (dump_state(room.store.state()), room.groups()) == before
    assert room.store.corrections() == []


def test_the_second_of_two_editors_sees_what_changed(room):
    story, other, own = two_stories(room)
    seen = room.store.last_event()
    first = CorrectionRequest(
        kind="split", story=story, articles=tuple(own[:1]), editor="Ann", seen=seen
    )
    second = CorrectionRequest(kind="merge", story=story, target=other, editor="Bob", seen=seen)
    numbers = [room.store.ask(asked).number for asked in (first, second)]  # neither is done yet
    room.writer.drain()
    assert [room.store.correction(n).status for n in numbers] == ["done", "refused"]
    assert "split 1 article" in room.store.correction(numbers[1]).answer
    with pytest.raises(EditConflict, match="split 1 article out of story") as caught:
        room.store.ask(second)
    assert len(caught.value.changes) == 1
    assert room.store.ask(
        CorrectionRequest(**{**fields_of(second), "seen": room.store.last_event()})
    )
    room.writer.drain()
    assert room.store.redirect(story) == other


def fields_of(asked):
    return {name: getattr(asked, name) for name in CorrectionRequest.__dataclass_fields__}


def test_a_full_disk_leaves_a_correction_waiting_and_nothing_half_done(room, monkeypatch):
    story, other, own = two_stories(room)
    before = room.groups()
    asked = room.store.ask(CorrectionRequest(kind="merge", story=story, target=other, editor="Ann"))
    many = room.store.db.run_many

    def full(*arguments):
        raise StoreError("the disk is full")

    monkeypatch.setattr(room.store.db, "run_many", full)
    with pytest.raises(StoreError, match="full"):
        room.writer.step()
    monkeypatch.setattr(room.store.db, "run_many", many)
    assert room.groups() == before
    assert room.store.correction(asked.number).status == "waiting"
    room.writer.drain()
    assert room.store.correction(asked.number).status == "done"
    assert room.story_of(own[0]) == other


def test_stopping_between_any_two_steps_changes_nothing(tmp_path):
    """With corrections in the stream, a restart after each step leads to the same bytes."""
    found = []
    for restart in (False, True):
        room = Newsroom(str(tmp_path / f"{restart}.db"))
        story, other, own = two_stories(room)
        steps = [
            lambda room=room, own=own, other=other: room.correct("move", None, other, own[:1]),
            lambda room=room, story=story, own=own: room.correct("split", story, None, own[1:2]),
            lambda room=room: room.read(CUT, CUT + 5),
            lambda room=room, other=other: room.correct("rename", other, title="Named"),
            lambda room=room, story=story, other=other: room.correct("merge", story, other),
            lambda room=room: room.read(CUT + 5, CUT + 11),
            lambda room=room: room.correct("undo", undoes=4),
            lambda room=room: room.read(CUT + 11, len(room.stream)),
            room.close,
        ]
        for step in steps:
            if restart:
                room.restart()
            step()
            room.check()
        found.append((dump_state(room.store.state()), room.groups()))
        room.store.close()
    assert found[0] == found[1]
