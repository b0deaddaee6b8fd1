"""Formats of news known by name, recognised by their fields.

Most of them need no code: their fields are found by name (`columns.py`). The others are adapted.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scstory.feeds.newsapi_article import article_fields
from scstory.feeds.values import text_of
from scstory.feeds.wikitext import wiki_date, wiki_text

SIGNS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(signs.split()))
    for name, signs in (
        ("NewsAPI", "publishedAt urlToImage"),
        ("a GDELT article list", "seendate domain title url"),
        ("a GDELT article list", "URL MobileURL Date Title"),
        ("Event Registry", "dateTimePub body uri"),
        ("Event Registry", "eventUri body uri"),
        ("Hacker News (Algolia)", "objectID created_at_i"),
        ("The Guardian's API", "webTitle webPublicationDate"),
        ("WordPress", "date_gmt content title link"),
        ("Reddit", "selftext subreddit"),
        ("X (Twitter)", "id_str created_at user"),
        ("MediaWiki's API", "pageid title ns"),
        ("CC-News", "title text domain image_url"),
        ("CNN / Daily Mail", "article highlights id"),
    )
)
"""Fields that a format has together, and others hardly."""
_DAILY_MAIL = frozenset({"article", "highlights", "id"})
TIME_OF_READING = object()
"""The date of articles of a format that has no dates."""


def format_name(record: Mapping[str, Any]) -> str | None:
    """Return the name of a known format whose record this is.

    >>> format_name({"url": "", "title": "", "seendate": "", "domain": "", "language": ""})
    'a GDELT article list'
    """
    if isinstance(record.get("_source"), dict):
        return "Elasticsearch"
    if any(isinstance(v, dict) and ("$date" in v or "$oid" in v) for v in record.values()):
        return "MongoDB's extended JSON"
    names = record.keys()
    return next((name for name, signs in SIGNS if signs <= names), None)


def adapt(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record of a format that needs more than names, under our names."""
    for sign, change in _ADAPTED:
        if sign <= record.keys():
            return change(record)
    return record


def has_no_dates(names: Iterable[str]) -> bool:
    """Return whether a table is of a format whose articles have no dates."""
    return set(names) >= _DAILY_MAIL


def _newsapi(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """NewsAPI cuts texts and marks the cut; articles that were removed have a sign for a title."""
    return article_fields(dict(record))


def _wiki_page(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A page of MediaWiki's API: an extract in plain text, or the wikitext of its revision."""
    revisions = record.get("revisions")
    revision = revisions[0] if isinstance(revisions, list) and revisions else {}
    slots = revision.get("slots") if isinstance(revision, dict) else None
    main = slots.get("main") if isinstance(slots, dict) else revision
    source = main.get("content") or main.get("*") if isinstance(main, dict) else None
    source = source if isinstance(source, str) else ""
    extract = record.get("extract")
    edited = revision.get("timestamp") if isinstance(revision, dict) else None
    title = record.get("title")
    return {
        "id": record.get("canonicalurl") or record.get("fullurl") or str(record.get("pageid")),
        "title": title,
        "text": text_of(extract) or wiki_text(source),
        "date": wiki_date(source) or edited or record.get("touched"),
        "url": record.get("canonicalurl") or record.get("fullurl"),
        "language": record.get("pagelanguage"),
    }


def _daily_mail(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """CNN / Daily Mail has no titles and no dates; the first of its highlights is a headline."""
    highlights = text_of(record.get("highlights")) or ""
    return {
        "id": record.get("id"),
        "title": highlights.strip().partition("\n")[0].removesuffix(" .").strip(),
        "text": record.get("article"),
        "date": record.get("date") or TIME_OF_READING,
    }


_ADAPTED: tuple[tuple[frozenset[str], Callable[[Mapping[str, Any]], Mapping[str, Any]]], ...] = (
    (frozenset({"publishedAt", "urlToImage"}), _newsapi),
    (frozenset({"pageid", "ns", "title"}), _wiki_page),
    (_DAILY_MAIL, _daily_mail),
)
