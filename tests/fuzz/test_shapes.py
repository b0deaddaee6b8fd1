"""Files of other tools: whatever the bytes, items come out, and memory does not change them."""

import json
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import strategies as st

from scstory.errors import BadItem, SourceError
from scstory.feeds import SourceOptions, json_text, open_source, parse_date
from scstory.feeds.columns import match_columns
from scstory.feeds.dates import DayOrder
from scstory.feeds.no_article import why_no_article
from scstory.feeds.plain_text import clean
from scstory.feeds.wikitext import wiki_date, wiki_text
from tests.feeds.api_answers import WIKI
from tests.feeds.file_writers import PLAIN
from tests.feeds.shapes import SHAPES
from tests.fuzz.inputs import anything, check_items, check_message, damaged, fuzz, json_values, only

FILES = {shape.name: shape.body for shape in SHAPES if isinstance(shape.body, bytes)}
JSON = [body for name, body in FILES.items() if name.endswith((".json", ".jsonl", ".jl"))]


def read(name, body, **options):
    """Return the items of a file, and what went wrong with it as a whole."""
    notices = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(body)
        items = []
        try:
            items += open_source(str(path), SourceOptions(on_notice=notices.append, **options))
        except SourceError as error:
            check_message(str(error))
    check_items(items)
    for notice in notices:
        check_message(notice)
    return items


@st.composite
def files(draw):
    name = draw(st.sampled_from(list(FILES)))
    other = draw(st.sampled_from([name, *FILES]))
    return other, draw(damaged(FILES[name]))


@fuzz(files(), st.booleans())
def test_any_file_of_any_tool(file, day_first):
    read(*file, day_first=day_first)


@fuzz(damaged(*JSON), st.integers(10, 400))
def test_any_json_that_is_too_large_for_memory(body, limit):
    with (
        patch.object(json_text, "MAX_VALUE_CHARACTERS", limit),
        patch.object(json_text, "READ_BYTES", 16),
    ):
        read("a.json", body)


@fuzz(st.integers(2, 40), st.sampled_from(["records", "wrapped", "deep"]))
def test_all_articles_of_a_large_list_come_through(number, form):
    records = [{**PLAIN[0], "url": f"https://wire.example/{n}"} for n in range(number)]
    value = {
        "records": records,
        "wrapped": {"status": "ok", "total": number, "tags": ["x"] * 50, "articles": records},
        "deep": {"response": {"docs": records, "meta": {"hits": number}}},
    }[form]
    with (
        patch.object(json_text, "MAX_VALUE_CHARACTERS", 500),
        patch.object(json_text, "READ_BYTES", 64),
    ):
        items = read("a.json", json.dumps(value, indent=1).encode())
    assert [item.article.id for item in items] == [f"wire.example/{n}" for n in range(number)]


@fuzz(json_values)
def test_any_value_of_json(value):
    read("a.json", json.dumps(value).encode())


@fuzz(st.lists(anything, max_size=8), st.dictionaries(st.sampled_from(["title", "date"]), anything))
def test_any_names_of_columns(names, chosen):
    found = match_columns(names, chosen)
    assert all(columns for columns in found.names.values())


@fuzz(
    anything
    | st.from_regex(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}( \d{1,2}:\d\d( ?[ap]m)?)?", fullmatch=True)
    | st.from_regex(
        r"(mar|Mai|3|2026|,|\.| |12:30|pm|CET|XYZ|[+]01:00|GMT[+-]1|Europe/Berlin|年){1,8}",
        fullmatch=True,
    ),
    st.booleans(),
)
def test_any_date_of_any_order(value, day_first):
    with only(BadItem):
        date = parse_date(value, order=DayOrder(day_first))
        assert date.utcoffset() == timedelta(0)


@fuzz(damaged(WIKI.encode()))
def test_any_wikitext(body):
    source = clean(body.decode("utf-8", "replace"))
    wiki_date(source)
    assert wiki_text(source) == "\n".join(filter(None, wiki_text(source).splitlines()))


@fuzz(anything, anything)
def test_any_page_is_an_article_or_not(title, text):
    reason = why_no_article(title, text)
    assert reason is None or len(reason) < 200
