"""What a story says on its page, each sentence once."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import timedelta

from scstory.store.store_reader import SharedReader
from scstory.text.search_words import searchable
from tests.conftest import START


def describe(db, story=1, summarised=True):
    """Give a story a summary, milestones and earlier titles of which some repeat one another."""
    with closing(SharedReader(db)) as reader:
        row = reader.story(story)
    first, second, *_, last = row.articles
    summary = [("Alder rose.", first), ("People left.", second), (row.title, last)]
    summary = summary if summarised else []
    days = [(START.date() + timedelta(days=n)).isoformat() for n in range(3)]
    milestones = [
        (days[0], "“Alder rose”", first),
        (days[1], "A bridge fell.", second),
        (days[2], row.title, last),
    ]
    key = [("A bridge fell.", second, 2.0), ("Sirens wailed.", last, 1.5), ("People left", last, 1)]
    headlines = [
        ("Rain is forecast", first, (START + timedelta(days=1)).isoformat()),
        ("Rain does not stop", second, (START + timedelta(days=4)).isoformat()),
        (row.title, last, (START + timedelta(days=5)).isoformat()),
    ]
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.create_function("search_text", 1, lambda text: searchable(text or ""))
        connection.execute(
            "UPDATE stories SET summary = ?, milestones = ?, key_sentences = ?, headlines = ? "
            "WHERE id = ?",
            (*map(json.dumps, (summary, milestones, key, headlines)), story),
        )
    return row


def part(page, start, end):
    return re.sub(r"\s+", " ", page[page.index(start) :].partition(end)[0])


def test_no_sentence_stands_on_the_page_twice(db, reader):
    row = describe(db)
    page = reader.get("/stories/1").text
    above = page[: page.index('class="day"')]
    body = above[above.index("<body") :]
    for sentence in ("Alder rose", "People left", "A bridge fell"):
        assert body.count(sentence) == 1, sentence
    assert re.sub(r"<title>.*?</title>", "", body).count(f"<h1>{row.title}</h1>") == 1
    standfirst = part(page, 'class="standfirst"', "</p>")
    assert f'<a href="/articles/{row.articles[0]}">Alder rose.</a>' in standfirst
    assert "A bridge fell." in part(page, 'id="milestones-title"', "</ol>")
    assert "Sirens wailed" not in body


def test_without_a_summary_key_sentences_are_shown_that_are_not_milestones(db, reader):
    describe(db, summarised=False)
    page = reader.get("/stories/1").text
    assert 'class="standfirst"' not in page
    keys = part(page, 'id="keys-title"', "</ul>")
    assert "Sirens wailed." in keys
    assert "A bridge fell" not in keys


def test_a_milestone_told_above_keeps_its_day(db, reader):
    row = describe(db)
    told = part(reader.get("/stories/1").text, 'id="milestones-title"', "</ol>")
    assert f'href="/day/{START.date()}"' in told
    assert told.count("<li>") == 2  # that of the present title is not repeated
    assert f'href="/articles/{row.articles[0]}"' in told


def test_earlier_headlines_lead_to_their_articles(db, reader):
    row = describe(db)
    page = reader.get("/stories/1").text
    earlier = part(page, 'id="headlines-title"', "</ul>")
    assert earlier.count("<li>") == 2  # the present title is none of them
    assert earlier.index("Rain does not stop") < earlier.index("Rain is forecast")
    assert f'<a href="/articles/{row.articles[0]}">Rain is forecast</a>' in earlier


def test_a_day_has_the_headline_and_the_sentence_of_that_day(db, reader):
    row = describe(db)
    day = START.date()
    for offset, title in ((0, "Rain is forecast"), (1, "Rain does not stop"), (5, row.title)):
        page = reader.get(f"/day/{day + timedelta(days=offset)}").text
        assert f'<h2><a href="/stories/1">{title}</a></h2>' in page
    assert ">A bridge fell.</a>" in reader.get(f"/day/{day + timedelta(days=1)}").text


def test_outlets_are_listed_from_the_first_to_report(reader):
    listed = part(reader.get("/stories/1").text, 'class="outlet-list"', "</ol>")
    times = re.findall(r'datetime="([^"]+)"', listed)
    assert times == sorted(times)
    assert listed.count("<li>") == len(reader.get("/api/stories/1").json()["sources"])


def test_the_front_page_says_what_the_summary_says(db, reader):
    describe(db)
    assert "Alder rose." in reader.get("/").text
