"""Lists of stories and articles as CSV, JSON and Markdown, written as their rows are read."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from scstory.serve.render import safe_url
from scstory.store.records import ArticleRow, StoryRow

Form = Literal["csv", "json", "md"]
MEDIA_TYPES: Mapping[Form, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
}
Record = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Where a cell begins so, programs for tables may compute it: a title must not become a formula."""
_CELL = str.maketrans({"|": "\\|", "[": "\\[", "]": "\\]", "<": "&lt;", ">": "&gt;", "&": "&amp;"})


def story_record(story: StoryRow, base: str = "") -> Record:
    """Return a story as one flat record."""
    return {
        "id": story.id,
        "title": story.title,
        "url": f"{base}/stories/{story.id}",
        "first_seen": story.first_seen.isoformat(),
        "last_seen": story.last_seen.isoformat(),
        "articles": story.size,
        "outlets": [name for name, _ in story.sources],
        "keywords": list(story.keywords),
        "summary": " ".join(quote.text for quote in story.summary),
        "confidence": round(story.confidence, 6),
        "active": story.active,
    }


def article_record(article: ArticleRow, base: str = "") -> Record:
    """Return an article as one flat record, without its text."""
    return {
        "id": article.id,
        "date": article.published.isoformat(),
        "title": article.title,
        "url": article.url,
        "source": article.source,
        "language": article.language,
        "story": article.story,
        "story_url": f"{base}/stories/{article.story}" if article.story else None,
        "confidence": None if article.confidence is None else round(article.confidence, 6),
        "new": article.new,
        "copies": [copy.source or copy.id for copy in article.copies],
    }


_MARKDOWN: Mapping[str, Callable[[Record], list[str]]] = {
    "stories": lambda r: [
        _link(r["title"], r["url"]),
        str(r["articles"]),
        str(len(r["outlets"])),
        f"{r['first_seen'][:10]} – {r['last_seen'][:10]}",
        _cell(", ".join(r["keywords"])),
    ],
    "articles": lambda r: [
        r["date"][:16].replace("T", " "),
        _link(r["title"] or "(no title)", r["url"]),
        _cell(r["source"] or ""),
        _link(str(r["story"]), r["story_url"]) if r["story"] else "",
    ],
}
_HEADINGS = {
    "stories": ["Story", "Articles", "Outlets", "From – to", "Keywords"],
    "articles": ["Time (UTC)", "Article", "Outlet", "Story"],
}


def table_lines(
    kind: Literal["stories", "articles"], form: Form, records: Iterable[Record]
) -> Iterator[str]:
    """Yield a list in pieces, each as soon as its record is there."""
    if form == "csv":
        return _csv_lines(kind, records)
    return _json_lines(records) if form == "json" else _markdown_lines(kind, records)


COLUMNS = {
    "stories": "id title url first_seen last_seen articles outlets keywords summary confidence "
    "active",
    "articles": "id date title url source language story story_url confidence new copies",
}
"""The columns of the tables, in their order."""


def _csv_lines(kind: str, records: Iterable[Record]) -> Iterator[str]:
    columns = COLUMNS[kind].split()
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")

    def written(row: Iterable[Any]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(row)
        return buffer.getvalue()

    yield written(columns)
    for record in records:
        yield written(_csv_cell(record[column]) for column in columns)


def _csv_cell(value: Any) -> Any:
    """Return a value as a cell; text that a program could take for a formula gets an apostrophe.

    >>> _csv_cell("=1+1"), _csv_cell(["a", "b"]), _csv_cell(True), _csv_cell(-1.5)
    ("'=1+1", 'a; b', 'true', -1.5)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "; ".join(value) if isinstance(value, list) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA) else text


def _json_lines(records: Iterable[Record]) -> Iterator[str]:
    before = "[\n"
    for record in records:
        yield before + json.dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _markdown_lines(kind: str, records: Iterable[Record]) -> Iterator[str]:
    headings = _HEADINGS[kind]
    yield f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}\n"
    for record in records:
        yield f"| {' | '.join(_MARKDOWN[kind](record))} |\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").split()).translate(_CELL)


def _link(text: str, url: str | None) -> str:
    inside = url if url and url.startswith("/") else safe_url(url)
    if not inside:
        return _cell(text)
    for sign, code in (("(", "%28"), (")", "%29"), ("|", "%7C"), ("<", "%3C"), (">", "%3E")):
        inside = inside.replace(sign, code)
    return f"[{_cell(text)}]({inside})"
