"""Two invented articles, and how files of them are written."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ONE = {
    "title": "Alder tops its banks",
    "text": "The river Alder rose on Tuesday; homes in Größ were evacuated.",
    "url": "https://wire.example/alder",
    "date": "2026-03-03T06:35:00Z",
    "unix": 1772519700,
    "rfc": "Tue, 03 Mar 2026 06:35:00 GMT",
}
TWO = {
    "title": "Court hears the Kestrel case",
    "text": "The judge heard two witnesses.\nA verdict is due in May.",
    "url": "https://wire.example/kestrel",
    "date": "2026-03-04T10:00:00Z",
    "unix": 1772618400,
    "rfc": "Wed, 04 Mar 2026 10:00:00 GMT",
}
BOTH = (ONE, TWO)


@dataclass(frozen=True)
class Shape:
    """A file: its name, the tool that writes such files, its bytes, and what is not in it."""

    name: str
    tool: str
    body: bytes | Callable[[Path], None]
    lacks: frozenset[str] = frozenset()
    """What cannot be read from it: text, title, time (of the day), url, date."""


def rows(delimiter: str, header: str, cells: list[list[str]], end: str = "\r\n") -> str:
    def cell(text: str) -> str:
        quoted = any(mark in text for mark in (delimiter, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if quoted else text

    lines = [delimiter.join(map(cell, row)) for row in [header.split("|"), *cells]]
    return end.join(lines) + end


def table(delimiter: str, header: str, *names: str, dates: tuple[str, str] | None = None) -> str:
    cells = [
        [dates[n] if name == "date" and dates else str(article[name]) for name in names]
        for n, article in enumerate(BOTH)
    ]
    return rows(delimiter, header, cells)


def dump(value: object, **options: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, **options).encode()  # type: ignore[arg-type]


def lines(records: list[object]) -> bytes:
    return b"\n".join(map(dump, records)) + b"\n"


def named(**names: str) -> list[dict[str, object]]:
    """Return both articles, with our fields under other names."""
    return [{theirs: a[ours] for theirs, ours in names.items()} for a in BOTH]


def zipped(name: str, body: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/._x", b"\0")
        archive.writestr(name, body)
    return packed.getvalue()


def zstandard(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(body)


def warc(path: Path) -> None:
    """Write an archive of pages, one member of gzip per record, as Common Crawl does."""
    packed = b""
    for n, a in enumerate(BOTH):
        paragraphs = "".join(f"<p>{part}</p>" for part in str(a["text"]).split("\n"))
        page = (
            f'<html lang="en"><head><title>{a["title"]}</title><meta property="og:type" '
            f'content="article"><meta property="article:published_time" content="{a["date"]}">'
            f"</head><body><article><h1>{a['title']}</h1>{paragraphs}</article></body></html>"
        )
        body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}".encode()
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{n:032x}>\r\n"
            f"WARC-Date: 2026-03-05T00:00:00Z\r\nWARC-Target-URI: {a['url']}\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        packed += gzip.compress(head.encode() + body + b"\r\n\r\n")
    path.write_bytes(packed)


def parquet(records: list[dict[str, object]]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow as arrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(arrow.Table.from_pylist(records), path)

    return write


def hugging_face(records: list[dict[str, object]]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        import pyarrow as arrow

        (folder / "train").mkdir(parents=True)
        (folder / "dataset_dict.json").write_text('{"splits": ["train"]}')
        (folder / "train" / "dataset_info.json").write_text('{"features": {}}')
        (folder / "train" / "state.json").write_text('{"_data_files": []}')
        made = arrow.Table.from_pylist(records)
        file = folder / "train" / "data-00000-of-00001.arrow"
        with arrow.ipc.new_stream(file, made.schema) as stream:
            stream.write_table(made)

    return write


PLAIN = named(title="title", text="text", date="date", url="url")
