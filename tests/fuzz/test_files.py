"""JSON Lines and CSV: whatever the bytes, items come out; what is good comes through."""

import bz2
import csv
import gzip
import io
import json
import lzma

from hypothesis import assume
from hypothesis import strategies as st

from scstory.errors import BadItem, SourceError
from scstory.feeds import open_source, parse_article, parse_date
from tests.fuzz.inputs import (
    anything,
    check_article,
    check_items,
    damaged,
    file_of,
    fuzz,
    json_values,
    only,
    plain,
)

FIELDS = ("id", "date", "title", "text", "url", "source", "language", "story")
RECORDS = [
    {"id": "1", "date": "2026-03-03T06:35:00Z", "title": "Alder rises", "text": "It rose."},
    {"id": 2, "date": "Tue, 03 Mar 2026 06:35:00 GMT", "title": "", "text": "é \U0001f6a2\nTwo."},
    {"id": "3", "date": "2026-03-03", "title": "T", "text": "x", "url": "https://a.example/"},
]
LINES = b"\n".join(json.dumps(record).encode() for record in RECORDS)
TABLE = (
    b"id,date,title,text,url,source\r\n"
    b'1,2026-03-03,"Alder, again","It ""rose"".\nTwice.",https://a.example/,Wire\r\n'
    b"2,2026-03-04,,Plain,,\r\n"
)
PACK = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
NAMES = [f"a{kind}{suffix}" for kind in (".jsonl", ".csv") for suffix in PACK]

good_rows = st.lists(
    st.tuples(plain.filter(str.strip), plain, plain.filter(str.strip)), min_size=1, max_size=5
)
junk = st.text('ab,"\n\r;\t 2026-', max_size=40).map(lambda text: text + "\n")


def read(name, body):
    items = []
    with file_of(name, body) as path, only(SourceError):
        items += open_source(str(path))
    check_items(items)
    return items


@fuzz(st.sampled_from(NAMES), damaged(LINES, TABLE, LINES.decode().encode("utf-16")))
def test_any_bytes(name, body):
    read(name, body)


@fuzz(
    st.sampled_from(NAMES),
    damaged(*(pack(LINES * 20) for pack in (gzip.compress, lzma.compress, bz2.compress))),
)
def test_any_archive(name, body):
    read(name, body)


@fuzz(st.sampled_from(NAMES), damaged(LINES, TABLE))
def test_damaged_before_it_was_packed(name, body):
    suffix = "." + name.rpartition(".")[2]
    read(name, PACK.get(suffix, bytes)(body))


@fuzz(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_any_record(record):
    with only(BadItem):
        check_article(parse_article(record))


@fuzz(anything | st.datetimes(timezones=st.timezones()).map(str) | st.from_regex(r"[\dTZ:+. -]+"))
def test_any_date(value):
    with only(BadItem):
        date = parse_date(value)
        assert date.utcoffset().total_seconds() == 0
        assert parse_date(date.isoformat()) == date


@fuzz(st.lists(st.tuples(plain.filter(str.strip), plain, plain.filter(str.strip)), max_size=5))
def test_lines_that_are_good_come_through_whatever_is_between_them(rows):
    good = [
        {"id": str(n), "date": "2026-03-03", "title": title, "text": text, "source": source}
        for n, (text, title, source) in enumerate(rows)
    ]
    bad = [b"{", b"\xff\xfe", b'"', b"[1]", b"null", b"\x00", b"x" * 1000]
    lines = [
        json.dumps(good[n // 2]).encode() if n % 2 else bad[n % 7] for n in range(2 * len(rows))
    ]
    items = read("a.jsonl", b'{"id": 0}\n' + b"\n".join(lines))
    assert [item.article.text for item in items if item.article] == [g["text"] for g in good]


@fuzz(good_rows, st.lists(junk, max_size=6), st.booleans())
def test_rows_that_are_good_come_through_whatever_is_between_them(rows, between, last):
    names = ["id", "date", "title", "source", "text"] if last else ["id", "date", "text", "title"]
    out = io.StringIO()
    csv.writer(out).writerow(names)
    expected = []
    for number, (title, source, text) in enumerate(rows):
        assume(not any("\n" in part for part in (title, source)))
        if number < len(between):
            out.write(between[number])
        text = f"{text}\nand {number}" if number % 2 else text
        record = {
            "id": f"row {number}",
            "date": "2026-03-03",
            "title": title,
            "source": source,
            "text": text,
        }
        csv.writer(out).writerow([record[name] for name in names])
        expected.append(text)
    items = read("a.csv", out.getvalue().encode())
    found = [i.article.text for i in items if i.article and i.article.id.startswith("row ")]
    assert found == expected
