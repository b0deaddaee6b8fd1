"""Reading files: what is good comes through, what is bad is named and costs nothing else."""

import gzip
import io
import json
import lzma
import os

import pytest

from scstory.errors import SourceError
from scstory.feeds import SourceOptions, open_source
from scstory.feeds import files as files_module

GOOD = {"id": "1", "date": "2026-03-03", "title": "T", "text": "Some text."}


def line(**changes):
    record = {**GOOD, **changes}
    return json.dumps({k: v for k, v in record.items() if v is not ...}).encode()


def read(path, **options):
    return list(open_source(str(path), SourceOptions(**options)))


def write(tmp_path, *lines, name="a.jsonl"):
    path = tmp_path / name
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


BAD = {
    "broken JSON": (b'{"id": "x", ', "broken JSON"),
    "not an object": (b'"text"', "not a JSON object"),
    "deep nesting": (b"[" * 100_000, "broken JSON (nested too deeply)"),
    "nothing to read": (line(text=..., title=None), "neither title nor text: both are empty"),
    "missing several": (b'{"id": "x"}', "neither title nor text; the fields are id"),
    "missing date": (line(date=...), "no date; name its column with --map date=COLUMN"),
    "bad date": (line(date="yesterday"), "unreadable date 'yesterday'; write it like 2026-03-03"),
    "impossible date": (line(date="2026-02-30"), "unreadable date"),
    "date overflow": (line(date="0001-01-01T00:00:00+14:00"), "unreadable date"),
    "future date": (line(date="2999-01-01"), "lies in the future"),
    "number as date": (line(date=2026), "date '2026' is a number, but no Unix time"),
    "nothing in it": (line(text=" \n\t ", title=""), "neither title nor text: both are empty"),
    "an error": (b'{"status": "error", "message": "No such key."}', "is an error message, not an"),
    "id is true": (line(id=True), "id is true or false, not text"),
    "5 MB article": (line(text="x" * 5_000_000), "5,000,001 characters; the limit is 1,000,000"),
    "long id": (line(id="x" * 501), "id has 501 characters; the limit is 500"),
    "NUL": (line(text="a\0b"), "NUL byte in text"),
    "raw NUL": (b'{"id": "x\x00"}', "broken JSON"),
    "latin-1": (
        b'{"id": "x", "date": "2026-03-03", "title": "\xe9t\xe9", "text": "x"}',
        "title is not valid UTF-8",
    ),
    "lone surrogate": (line(text="\ud800"), "text is not valid UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_line_is_named_and_the_rest_is_read(tmp_path, case):
    bad, reason = BAD[case]
    path = write(tmp_path, line(id="before"), bad, line(id="after"))
    before, problem, after = read(path)
    assert (before.article.id, after.article.id) == ("before", "after")
    assert problem.place == f"{path}:2"
    assert problem.article is None
    assert problem.problem.startswith(reason) or reason in problem.problem
    assert "\n" not in problem.problem


def test_a_line_that_never_ends_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files_module, "MAX_LINE_BYTES", 1000)
    path = write(tmp_path, line(id="before"), b"x" * 5000, line(id="after"))
    items = read(path)
    assert [i.article.id for i in items if i.article] == ["before", "after"]
    assert items[1].problem == "line longer than 1,000 bytes"


def test_fields(tmp_path):
    path = write(
        tmp_path,
        line(
            id=7,
            date="2026-03-03T07:35:00+01:00",
            url="https://a.test/",
            source="Wire",
            language="en",
            story="flood",
            title="  Two\n lines ",
            extra={"a": 1},
        ),
    )
    (item,) = read(path)
    article = item.article
    assert article.id == "7"
    assert article.published.isoformat() == "2026-03-03T06:35:00+00:00"
    assert (article.title, article.url, article.source) == ("Two lines", "https://a.test/", "Wire")
    assert item.label == "flood"
    assert not hasattr(article, "story")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-03", "2026-03-03T00:00:00+00:00"),
        ("2026-03-03T10:00:00", "2026-03-03T10:00:00+00:00"),
        ("2026-03-03 10:00", "2026-03-03T10:00:00+00:00"),
        ("2026-03-03T10:00:00.5Z", "2026-03-03T10:00:00.500000+00:00"),
        ("2026-03-03T23:30:00-05:00", "2026-03-04T04:30:00+00:00"),
        ("Tue, 03 Mar 2026 10:00:00 GMT", "2026-03-03T10:00:00+00:00"),
    ],
)
def test_dates_are_normalised_to_utc(tmp_path, written, expected):
    (item,) = read(write(tmp_path, line(date=written)))
    assert item.article.published.isoformat() == expected


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files(tmp_path, suffix, pack):
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(pack(line(id="1") + b"\n" + line(id="2")))
    source = open_source(str(path))
    assert [item.article.id for item in source] == ["1", "2"]
    assert source.complete


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_damaged_archive_gives_what_it_can(tmp_path, suffix, pack):
    path = tmp_path / f"a.jsonl{suffix}"
    lines = b"\n".join(line(id=str(n), text=f"{n * 7919} text " * 50) for n in range(5000))
    path.write_bytes(pack(lines)[:-2000])
    source = open_source(str(path))
    items = list(source)
    assert len(items) > 100
    assert all(item.article for item in items[:-1])
    assert "damaged file, the rest is unreadable" in items[-1].problem
    assert not source.complete


def test_an_archive_damaged_in_the_middle_gives_what_it_can(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    lines = b"\n".join(line(id=str(n), text=f"{n * 7919} text " * 50) for n in range(3000))
    content = bytearray(gzip.compress(lines))
    for place in range(len(content) // 2, len(content) // 2 + 400):
        content[place] ^= 0xFF
    path.write_bytes(content)
    items = read(path)
    assert items[0].article.id == "0"
    assert "damaged file" in items[-1].problem or all(item.article for item in items)


def test_the_content_counts_not_the_name(tmp_path):
    (item,) = read(write(tmp_path, line(), name="a.jsonl.gz"))
    assert item.article.id == "1"
    path = tmp_path / "b.jsonl"
    path.write_bytes(gzip.compress(line()))
    assert [item.article.id for item in read(path)] == ["1"]


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(line(id="1") + b"\n\n" + b"oops\n" + line(id="2"))

    monkeypatch.setattr("sys.stdin", Stdin)
    items = list(open_source("-"))
    assert [i.article.id for i in items if i.article] == ["1", "2"]
    assert [i.place for i in items if i.problem] == ["<stdin>:3"]


@pytest.mark.parametrize("start", [b"", b"["])
def test_of_a_pipe_an_article_is_read_when_it_is_there(monkeypatch, start):
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as stdin, open(write_end, "wb", buffering=0) as pipe:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stdin}))
        pipe.write(start + line(id="1", text="word " * 2000) + b"," * len(start) + b"\n")
        items = iter(open_source("-"))
        assert next(items).article.id == "1"  # while the pipe is open
        pipe.write(line(id="2") + b"\n")
        pipe.close()
        assert [item.article.id for item in items if item.article] == ["2"]


def test_a_broken_line_costs_itself_however_long_the_first_one_is(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(line(id="1", text="word " * 2000) + b"\n{oops\n" + line(id="2") + b"\n")
    assert [item.article and item.article.id for item in read(path)] == ["1", None, "2"]


def test_an_answer_without_articles_is_no_bad_article(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"articles": {"results": [], "count": 100}}')
    assert read(path) == []


def test_a_date_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 1, "title": "T"}\n{"id": 2, "title": "T", "published": null}\n'
        '{"id": 3, "title": "T", "published": {"start": "2026-03-03"}}\n'
    )
    assert [item.problem.partition(";")[0] for item in read(path)] == [
        "no date",
        "no date: published is empty",
        "no date in published",
    ]


def test_files_are_streamed(tmp_path):
    path = write(tmp_path, *(line(id=str(n), text="word " * 5000) for n in range(200)))
    source = open_source(str(path))
    items = iter(source)
    next(items)
    assert 0 < source.position < source.size / 2
    assert len(list(items)) == 199
    assert source.position == source.size


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line(id="1") + b"\r\n" + line(id="2") + b"\r\n")
    assert [item.article.id for item in read(path)] == ["1", "2"]


def test_empty_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"")
    assert read(path) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,name\n1,x\n", "no column is known as title or text; there are id, name"),
        ("a.csv", b"id,title\n1,x\n", "no column is known as date; there are id, title; name one"),
        ("a.xlsx", b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml", "is a spreadsheet"),
        ("a.html", b"<!doctype html><html><p>x</html>", "is a web page; give its address"),
        ("a.xml", b"<?xml version='1.0'?><opml/>", "is a list of feeds .OPML."),
        ("a.xml", b"<urlset/>", "is XML .<urlset>. of a kind that is not read"),
        ("a.pdf", b"%PDF-1.7", "is a PDF"),
        ("a.db", b"SQLite format 3\0", "is a SQLite database"),
        ("a.bin", bytes(range(9)) + bytes(500), "is neither text nor a format that is read"),
        ("a.tar", bytes(257) + b"ustar", "is a tar archive"),
    ],
)
def test_a_file_of_the_wrong_kind_is_refused_at_once(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        read(path)


def test_missing_file_and_empty_folder(tmp_path):
    with pytest.raises(SourceError, match="no such file; give a file, a folder, or -"):
        open_source(str(tmp_path / "none.jsonl"))
    with pytest.raises(SourceError, match="no file of articles in this folder"):
        open_source(str(tmp_path))
    with pytest.raises(SourceError, match="no file has such a name"):
        open_source(str(tmp_path / "*.csv"))


class TestCsv:
    HEADER = b"Id, Date ,title,text,source\n"

    def read(self, tmp_path, body):
        path = tmp_path / "a.csv"
        path.write_bytes(self.HEADER + body)
        return read(path)

    def test_rows(self, tmp_path):
        rows = self.read(
            tmp_path, b'1,2026-03-03,T,"One, two.\nThree.",Wire\n2,2026-03-04,,Four.,\n'
        )
        assert [i.article.text for i in rows] == ["One, two.\nThree.", "Four."]
        assert (rows[0].article.source, rows[1].article.source) == ("Wire", None)
        assert rows[1].article.title == ""

    @pytest.mark.parametrize("empty", ["NULL", r"\N", "NaN", "None"])
    def test_what_stands_for_nothing_is_nothing(self, tmp_path, empty):
        path = tmp_path / "a.csv"
        path.write_text(f"id,date,title,text\n{empty},2026-03-03,Alder rises,{empty}\n")
        (item,) = read(path)
        assert item.article.text == ""
        assert item.article.id.startswith("text:")

    def test_bad_rows_are_named_by_line_and_the_rest_is_read(self, tmp_path):
        rows = self.read(
            tmp_path,
            b'1,2026-03-03,T,"One\n\nTwo",x\n'  # lines 2 to 4
            b"2,2026-03-03,T\n"
            b"3,soon,T,Text,x\n"
            b"4,2026-03-03,T,\xc3\xa9,x\n"
            b"4,2026-03-03,T,\xe9,x\n"
            b"5,2026-03-03,T,a\x00b,x\n"
            b"6,2026-03-03,,,x\n"
            b"7,2026-03-03,T,Fine,x\n",
        )
        assert [i.article.id for i in rows if i.article] == ["1", "4", "7"]
        problems = {i.place.rpartition(":")[2]: i.problem for i in rows if i.problem}
        assert problems["5"] == "3 cells where the header has 5"
        assert problems["6"].startswith("unreadable date 'soon'")
        assert problems["8"] == "text is not valid UTF-8"
        assert problems["9"] == "NUL byte in text"
        assert problems["10"] == "neither title nor text: both are empty"

    def test_compressed(self, tmp_path):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(self.HEADER + b"1,2026-03-03,T,Text,x\n"))
        assert read(path)[0].article.id == "1"

    @pytest.mark.parametrize("text", ['"never closed', '"never closed\nand on', '"says ""Go"", on'])
    def test_a_quote_that_is_never_closed_costs_its_own_row(self, tmp_path, text):
        rows = self.read(
            tmp_path,
            f"1,2026-03-03,T,Fine,x\n2,2026-03-03,T,{text},x\n".encode()
            + b"3,2026-03-04,T,Plain,x\n"
            + b'4,2026-03-04,T,"Quoted, over\ntwo lines",x\n'
            + b"5,2026-03-04,T,Last,x\n",
        )
        assert [i.article.id for i in rows if i.article] == ["1", "3", "4", "5"]
        (problem,) = [i for i in rows if i.problem]
        assert problem.place.endswith(":3")
        assert problem.problem.startswith('a quote (") in this row is not closed')
        if "\n" in text:
            assert problem.problem.endswith("lines 3 to 4 are skipped")

    def test_nor_before_a_row_whose_own_text_goes_over_lines(self, tmp_path):
        rows = self.read(
            tmp_path,
            b'1,2026-03-03,T,"never closed,x\n2,2026-03-04,T,"One\nTwo",x\n3,2026-03-04,T,Fine,x\n',
        )
        assert [i.article.id for i in rows if i.article] == ["2", "3"]
        assert [i.place.rpartition(":")[2] for i in rows if i.problem] == ["2"]

    def test_nor_at_the_end_of_the_file(self, tmp_path):
        good, bad = self.read(tmp_path, b'1,2026-03-03,T,Fine,x\n2,2026-03-03,T,"cut off')
        assert good.article.id == "1"
        assert "is not closed" in bad.problem

    def test_nor_beyond_what_a_row_may_have(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files_module, "MAX_LINE_BYTES", 1000)
        prose = b"On Monday, 2026-03-03, the river rose again.\n" * 40
        rows = self.read(tmp_path, b'1,2026-03-03,T,"' + prose + b"2,2026-03-04,T,Fine,x\n")
        assert [i.article.id for i in rows if i.article] == ["2"]
        assert rows[0].place.endswith(":2")

    def test_a_line_that_never_ends(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files_module, "MAX_LINE_BYTES", 1000)
        row = b"%d,2026-03-03,T,%s,x\n"
        bad, good = self.read(tmp_path, row % (1, b"x" * 5000) + row % (2, b"Fine"))
        assert bad.problem == "line longer than 1,000 bytes"
        assert good.article.id == "2"

    @pytest.mark.parametrize(
        ("header", "reason"),
        [
            (b"7;2026-03-03;Alder rises;It rose.\n", "no column is known as title or text"),
            (b'"id,date,title,text\n', "is not closed"),
        ],
    )
    def test_headers_that_are_none(self, tmp_path, header, reason):
        path = tmp_path / "a.csv"
        path.write_bytes(header)
        with pytest.raises(SourceError, match=reason):
            read(path)


def test_a_delimiter_in_the_last_line_of_a_text_starts_no_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('title;text;date\nT;"One.\n\nTwo; three.";2026-03-03\nU;Four.;2026-03-04\n')
    assert [item.article.text for item in read(path)] == ["One.\n\nTwo; three.", "Four."]
