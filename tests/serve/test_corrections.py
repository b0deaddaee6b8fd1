"""Corrections over the API: made, refused with a reason, in conflict, listed, undone."""

import pytest

from scstory.serve import corrections
from tests.serve.conftest import AUTHORISED


@pytest.fixture
def db(any_db):
    return any_db


def correct(client, status=200, **what):
    answer = client.post("/api/corrections", json=what, headers=AUTHORISED)
    assert answer.status_code == status, answer.text
    return answer.json()


def story_of(client, article):
    return client.get(f"/api/articles/{article}").json()["story"]


def test_a_correction_is_made_shown_and_undone(writer):
    flood, trial = (story_of(writer, f"{topic}-22") for topic in ("flood", "trial"))
    moved = correct(
        writer, kind="move", target=trial, articles=["flood-22"], editor="Ann", seen=10_000
    )
    assert (moved["status"], moved["editor"]) == ("done", "Ann")
    assert "moved 1 article" in moved["answer"]
    assert story_of(writer, "flood-22") == trial
    assert writer.get("/api/articles/flood-22").json()["correction"] == moved["number"]
    renamed = correct(writer, kind="rename", story=flood, title="High water", editor="Bob")
    found = writer.get(f"/api/stories/{flood}").json()
    assert (found["title"], found["title_by"]) == ("High water", "Bob")
    listed = writer.get("/api/corrections", params={"story": flood}).json()["corrections"]
    assert [one["number"] for one in listed] == [renamed["number"], moved["number"]]
    correct(writer, kind="undo", undoes=moved["number"])
    assert story_of(writer, "flood-22") == flood
    undone = writer.get(f"/api/corrections/{moved['number']}").json()
    assert undone["status"] == "undone"


def test_a_split_names_the_story_that_it_founds(writer):
    flood = story_of(writer, "flood-22")
    done = correct(writer, kind="split", story=flood, articles=["flood-22", "flood-23"])
    found = writer.get(f"/api/stories/{done['founded']}").json()
    assert found["size"] == 2
    merged = correct(writer, kind="merge", story=done["founded"], target=flood)
    assert merged["status"] == "done"
    answer = writer.get(f"/api/stories/{done['founded']}", follow_redirects=False)
    assert answer.status_code == 301


def test_a_hidden_story_is_in_no_list_and_still_has_its_page(writer):
    flood = story_of(writer, "flood-22")
    correct(writer, kind="hide", story=flood)
    ids = [story["id"] for story in writer.get("/api/stories?state=all").json()["stories"]]
    assert flood not in ids
    assert writer.get(f"/api/stories/{flood}").json()["hidden"]


def test_what_cannot_be_done_says_why(writer):
    flood = story_of(writer, "flood-22")
    for what, reason in (
        ({"kind": "merge", "story": flood, "target": flood}, "with itself"),
        ({"kind": "move", "target": 99_999, "articles": ["flood-22"]}, "there is none"),
        ({"kind": "split", "story": flood, "articles": ["nobody"]}, "not in a story"),
        ({"kind": "rename", "story": flood}, "title of 0 characters"),
        ({"kind": "undo", "undoes": 12}, "there is none"),
        ({"kind": "explode"}, "kind"),
        ({"kind": "pin", "story": flood, "colour": "red"}, "colour"),
    ):
        assert reason in correct(writer, 422, **what)["detail"]
    assert writer.get("/api/corrections").json() == {"corrections": []}


def test_a_second_editor_sees_what_the_first_one_changed(writer):
    flood, trial = (story_of(writer, f"{topic}-22") for topic in ("flood", "trial"))
    seen = writer.get(f"/api/stories/{flood}").json()["last_event"]
    correct(writer, kind="split", story=flood, articles=["flood-22"], seen=seen)
    refused = correct(writer, 409, kind="merge", story=flood, target=trial, seen=seen)
    assert "split 1 article out of story" in refused["changes"][0]
    again = writer.get(f"/api/stories/{flood}").json()["last_event"]
    assert correct(writer, kind="merge", story=flood, target=trial, seen=again)["status"] == "done"


def test_only_with_the_token(writer, reader):
    what = {"kind": "pin", "story": 1}
    assert writer.post("/api/corrections", json=what).status_code == 401
    wrong = {"Authorization": "Bearer wrong"}
    assert writer.post("/api/corrections", json=what, headers=wrong).status_code == 401
    assert reader.post("/api/corrections", json=what, headers=AUTHORISED).status_code == 403


def test_without_a_writer_a_correction_waits(writer, monkeypatch):
    monkeypatch.setattr(corrections, "ANSWER_SECONDS", 0)
    flood = story_of(writer, "flood-22")
    answer = writer.post(
        "/api/corrections", json={"kind": "pin", "story": flood}, headers=AUTHORISED
    )
    assert answer.status_code in (200, 202)
    assert answer.json()["status"] in ("waiting", "done")
