"""A bundled stream to try things on: 122 invented articles of 16 concurrent stories.

Three weeks of March 2026 in a made-up country, told by eight made-up outlets. Some stories look
alike on purpose: two floods, two trials, two strikes, two outbreaks.

Sixty articles of the same weeks by foreign outlets, in German, Spanish, French, Chinese, Arabic and
Russian, stand in a file of their own.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from scstory.feeds import Item, open_source


def load_sample() -> list[Item]:
    """Return the sample's articles, each with its true story as label."""
    return _load("articles.jsonl")


def load_languages() -> list[Item]:
    """Return sixty articles in other languages, about these stories and about eight others."""
    return _load("languages.jsonl")


def _load(name: str) -> list[Item]:
    with as_file(files("scstory.sample") / name) as path:
        return list(open_source(str(path)))
