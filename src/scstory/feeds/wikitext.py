"""The plain text of wikitext, as far as a news article of Wikinews uses it."""

import re

_DATE = re.compile(r"\{\{\s*(?:date|datum|дата)\s*\|([^{}|]{4,40})", re.IGNORECASE)
_COMMENT = re.compile(
    r"<!--.{0,5000}?-->|<ref[^<>]*/>|<ref\b.{0,2000}?</ref>|<gallery\b.{0,5000}?</gallery>", re.S
)
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\{\|[^{}]*\|\}")
_FILE = re.compile(
    r"\[\[\s*(?:file|image|category|datei|bild|kategorie|fichier|catégorie)\s*:"
    r"(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_WEB = re.compile(r"\[https?://\S+(?:\s+([^\]]*))?\]")
_TAG = re.compile(r"<[^<>]{1,200}>")
_END = re.compile(
    r"^==+\s*(?:sources?|references|external links|related news|quellen|see also)\s*==+\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^(==+)\s*(.*?)\s*\1\s*$", re.MULTILINE)
MAX_NESTED = 20
"""How deeply templates are removed from within templates."""


def wiki_text(source: str) -> str:
    """Return wikitext as plain text, without its templates, files and sources.

    >>> wiki_text("{{date|March 3, 2026}}\\n'''Alder''' is a [[river|wild river]].")
    'Alder is a wild river.'
    """
    text = _COMMENT.sub("", source)
    if end := _END.search(text):
        text = text[: end.start()]
    for _ in range(MAX_NESTED):
        text, changed = _TEMPLATE.subn("", text)
        if not changed:
            break
    text = _LINK.sub(r"\1", _FILE.sub("", text))
    text = _WEB.sub(lambda found: found[1] or "", text)
    text = _TAG.sub(" ", _HEADING.sub(r"\2", text)).replace("'''", "").replace("''", "")
    lines = (" ".join(line.strip("*#:; ").split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def wiki_date(source: str) -> str | None:
    """Return the date that an article of Wikinews gives in a template."""
    found = _DATE.search(source[:20_000])
    return found[1].strip() if found else None
