"""Stories and articles as text for a terminal, and as JSON."""

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from scstory.store.records import ArticleRow, StoryRow
from scstory.text import split_article
from scstory.text.phrases import counted as counted
from scstory.text.phrases import span as span

INDENT = " " * 5
BAR_EIGHTHS = "▏▎▍▌▋▊▉█"


def width() -> int:
    """Return the width of the terminal, but at most 100 columns, which read well."""
    return min(shutil.get_terminal_size((100, 40)).columns, 100)


def program() -> str:
    """Return the command to type: `scstory` where the shell finds it, else the path in use."""
    by_path = Path(sys.argv[0]).name == "scstory" and not shutil.which("scstory")
    return sys.argv[0] if by_path else "scstory"


def bold(text: str) -> str:
    """Return text in bold; `typer.echo` drops the codes where the output is no terminal."""
    return typer.style(text, bold=True)


def dim(text: str) -> str:
    """Return faint text; typer does what we would need of rich, which takes long to import."""
    return typer.style(text, dim=True)


def safe(text: str) -> str:
    """Return text on one line and without control characters: titles are untrusted."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def wrapped(text: str, indent: str) -> str:
    """Return text wrapped at the width of the terminal, each line indented."""
    return textwrap.fill(safe(text), width(), initial_indent=indent, subsequent_indent=indent)


def weighted_sentences(row: ArticleRow) -> list[tuple[str, float]]:
    """Return the sentences of an article with the weights that they had in its decision."""
    sentences = split_article(row.article, max_sentences=len(row.weights))
    return list(zip(sentences, row.weights, strict=False))


def weight_bar(share: float, *, length: int = 8) -> str:
    """Return a bar for a sentence's weight relative to the even share, which fills half of it."""
    eighths = max(0, min(round(share / 2 * length * 8), length * 8))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (BAR_EIGHTHS[rest - 1] if rest else "")).ljust(length)


def echo_json(value: dict[str, Any]) -> None:
    """Print a JSON object on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def story_lines(story: StoryRow) -> list[str]:
    """Return the lines of a story in a list."""
    facts = f"{counted(story.size, 'article')} · {span(story.first_seen, story.last_seen)}"
    mark = f"#{story.id}  "
    title = wrapped(story.title, " " * len(mark)).removeprefix(" " * len(mark))
    lines = [bold(f"{mark}{title}"), dim(wrapped(facts, INDENT))]
    if story.keywords:
        lines.append(wrapped(" · ".join(story.keywords), INDENT))
    return lines


def story_json(
    story: StoryRow, *, articles: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Return a story as JSON values."""
    return {
        "id": story.id,
        "title": story.title,
        "title_article": story.title_article,
        "language": story.language,
        "editions": [
            {**edition._asdict(), "summary": [quote._asdict() for quote in edition.summary]}
            for edition in story.editions
        ],
        "keywords": list(story.keywords),
        "summary": [quote._asdict() for quote in story.summary],
        "key_sentences": [sentence._asdict() for sentence in story.key_sentences],
        "milestones": [
            {**milestone._asdict(), "day": milestone.day.isoformat()}
            for milestone in story.milestones
        ],
        "headlines": [
            {**headline._asdict(), "until": headline.until.isoformat()}
            for headline in story.headlines
        ],
        "first_seen": story.first_seen.isoformat(),
        "last_seen": story.last_seen.isoformat(),
        "size": story.size,
        "confidence": round(story.confidence, 6),
        "active": story.active,
        "articles": list(story.articles) if articles is None else list(articles),
    }
