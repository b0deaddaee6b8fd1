"""How stories and articles are put on a terminal, or into JSON."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scstory.text.phrases import counted, span
from scstory.types import Story

__all__ = [
    "BAR",
    "bold",
    "counted",
    "dim",
    "program",
    "safe",
    "span",
    "story_json",
    "story_lines",
    "weight_bar",
    "width",
    "wrapped",
]

BAR = "▏▎▍▌▋▊▉█"


def width() -> int:
    """Return how wide to write: the terminal, but not wider than reads well."""
    return min(shutil.get_terminal_size((100, 40)).columns, 100)


def program() -> str:
    """Return how to call scstory: by its name where the shell finds it, else as it was called."""
    by_path = Path(sys.argv[0]).name == "scstory" and not shutil.which("scstory")
    return sys.argv[0] if by_path else "scstory"


def bold(text: str) -> str:
    """Return text in bold where the output is a terminal."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def dim(text: str) -> str:
    """Return text in faint where the output is a terminal."""
    return f"\033[2m{text}\033[0m" if sys.stdout.isatty() else text


def safe(text: str) -> str:
    """Return text on one line and without control characters: titles come from strangers."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def wrapped(text: str, indent: str) -> str:
    """Return text broken into lines of the terminal's width, each indented."""
    return textwrap.fill(safe(text), width(), initial_indent=indent, subsequent_indent=indent)


def weight_bar(share: float, *, length: int = 8) -> str:
    """Return a bar for a sentence's weight relative to the even share (1.0 fills half)."""
    eighths = max(0, min(round(share / 2 * length * 8), length * 8))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (BAR[rest - 1] if rest else "")).ljust(length)


def story_lines(story: Story) -> list[str]:
    """Return a story as an entry of a list."""
    facts = f"{counted(story.size, 'article')} · {span(story.first_seen, story.last_seen)}"
    lines = [f"{bold(f'#{story.id}')}  {bold(safe(story.title))}", f"     {dim(facts)}"]
    if story.keywords:
        lines.append(f"     {safe(' · '.join(story.keywords))}")
    return lines


def story_json(story: Story, *, articles: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return a story as plain values."""
    return {
        "id": story.id,
        "title": story.title,
        "keywords": list(story.keywords),
        "key_sentences": [sentence._asdict() for sentence in story.key_sentences],
        "first_seen": story.first_seen.isoformat(),
        "last_seen": story.last_seen.isoformat(),
        "size": story.size,
        "confidence": round(story.confidence, 6),
        "active": story.active,
        "articles": list(story.articles) if articles is None else list(articles),
    }
