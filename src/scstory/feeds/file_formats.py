"""What a file is, by its first bytes; and what to do with a file that cannot be read."""

import re

from scstory.errors import SourceError

_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "is an old Office file; save it as CSV (UTF-8) first"),
    (b"SQLite format 3\0", "is a SQLite database, not articles; a database is named with --db"),
    (b"%PDF", "is a PDF; give the text as CSV or JSON"),
    (b"{\\rtf", "is a text with formats (RTF); give CSV or JSON"),
    (b"\x89PNG", "is a picture, not articles"),
    (b"\xff\xd8\xff", "is a picture, not articles"),
    (b"GIF8", "is a picture, not articles"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it first"),
    (b"Rar!", "is a RAR archive; unpack it first"),
    (b"Obj\x01", "is an Avro file; convert it to JSON Lines or Parquet"),
    (b"\x80\x04\x95", "is a Python pickle, which is never opened; write JSON Lines or Parquet"),
    (b"\x80\x05\x95", "is a Python pickle, which is never opened; write JSON Lines or Parquet"),
)
_XML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->|<!DOCTYPE[^>]{0,200}>|\s)*<([\w:]+)",
    re.S | re.I,
)
_ROOTS = {
    b"mediawiki": "mediawiki",
    **dict.fromkeys((b"rss", b"feed", b"rdf:rdf", b"channel"), "feed"),
    b"opml": "opml",
    **dict.fromkeys((b"html", b"head", b"body"), "html"),
}


def format_of(start: bytes, name: str) -> str:
    """Return the format of a file that begins like this; raise SourceError for one not read.

    It is one of zip, parquet, arrow, warc, mediawiki, feed, json and table.
    """
    for sign, reason in _REFUSED:
        if start.startswith(sign):
            raise SourceError(f"{name}: {reason}")
    if start[257:262] == b"ustar":
        raise SourceError(f"{name}: is a tar archive; unpack it first")
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if b"[Content_Types].xml" in start or b"mimetypeapplication/vnd.oasis" in start:
            raise SourceError(f"{name}: is a spreadsheet or document; save it as CSV (UTF-8) first")
        return "zip"
    for sign, kind in ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff" * 4, "arrow")):
        if start.startswith(sign):
            return kind
    if start.startswith(b"WARC/"):
        return "warc"
    return _text_format(start, name)


def _text_format(start: bytes, name: str) -> str:
    text = start.lstrip()
    suffix = re.sub(r"\.(?:gz|xz|bz2|zst)$", "", name.lower()).rpartition(".")[2]
    if text.startswith(b"<") and (root := _XML.match(start)):
        kind = _ROOTS.get(root[1].lower())
        if kind == "opml":
            raise SourceError(f"{name}: is a list of feeds (OPML); name it .opml to read them")
        if kind == "html":
            raise SourceError(
                f"{name}: is a web page; give its address (https://…), or an archive of pages "
                "(.warc.gz)"
            )
        if kind is None:
            shown = root[1][:40].decode("ascii", "replace")
            raise SourceError(
                f"{name}: is XML (<{shown}>) of a kind that is not read; RSS, Atom and MediaWiki "
                "dumps are"
            )
        return kind
    if text.startswith((b"{", b"[")) or suffix in ("json", "jsonl", "ndjson"):
        return "json"
    if start[:1024].count(b"\0") > len(start[:1024]) // 8:
        raise SourceError(f"{name}: is neither text nor a format that is read")
    return "table"


def is_by_lines(start: bytes, name: str) -> bool:
    """Return whether JSON stands line by line, so that a broken line costs only itself."""
    named = re.search(r"\.(?:jsonl|ndjson|jl)\b", name.lower()) is not None
    text = start.lstrip()
    if text.startswith(b"["):
        return False
    lines = [line.strip() for line in text.splitlines()[:20] if line.strip()]
    if not lines or lines[0] == b"{" or lines[0].endswith((b"[", b"{")):
        return named and not (lines and lines[0] == b"{")
    if len(lines) == 1:
        return named or text.endswith(b"\n") or lines[0].endswith(b"}")
    return named or lines[1].startswith(b"{") or lines[0].endswith(b"}")
