"""Values of somebody's records as text: numbers, lists, and objects that wrap one value."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from scstory.errors import BadItem
from scstory.feeds.dates import unix_date
from scstory.feeds.plain_text import strip_markup

INNER = ("_source", "fields", "attributes", "data", "node", "article", "doc", "item", "properties")
"""Objects within a record that hold its fields: in dumps of Elasticsearch, JSON:API, GraphQL …"""
_WRAPPING = (
    *("$date", "$oid", "$numberLong", "$numberInt", "$numberDouble", "rendered", "main", "value"),
    *("#text", "$t", "__cdata", "plain", "content", "text", "title", "name", "displayName", "id"),
)
"""The member of an object that is its value: in MongoDB's extended JSON, WordPress …"""
_DATES = (*_WRAPPING, "date", "seconds", "_seconds")
"""The same of a date: in Firestore …"""
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|a|b|i|u|em|strong|h[1-6]|[uo]l|li|table|t[dr]|img|figure|article"
    r"|section|blockquote|code|pre|font|center|iframe|script|style)\b[^>]{0,2000}>|&(?:\w{2,8}|#\d+);",
    re.IGNORECASE,
)
_LANGUAGES: Mapping[str, str] = {
    name: code
    for code, names in {
        "en": "english eng",
        "de": "german deu ger deutsch",
        "fr": "french fra fre français",
        "es": "spanish spa español",
        "it": "italian ita italiano",
        "pt": "portuguese por português",
        "nl": "dutch nld dut",
        "ru": "russian rus",
        "uk": "ukrainian ukr",
        "pl": "polish pol",
        "cs": "czech ces cze",
        "sv": "swedish swe",
        "da": "danish dan",
        "no": "norwegian nor nob",
        "fi": "finnish fin",
        "el": "greek ell gre",
        "tr": "turkish tur",
        "ar": "arabic ara",
        "he": "hebrew heb",
        "hi": "hindi hin",
        "zh": "chinese zho chi",
        "ja": "japanese jpn",
        "ko": "korean kor",
        "hr": "croatian hrv",
        "sr": "serbian srp",
        "sl": "slovenian slv",
        "sk": "slovak slk",
        "ro": "romanian ron rum",
        "hu": "hungarian hun",
        "bg": "bulgarian bul",
        "ca": "catalan cat",
        "id": "indonesian ind",
    }.items()
    for name in names.split()
}


def flatten(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record whose fields are in an object within it as one flat record.

    >>> flatten({"_id": "7", "_source": {"title": "Alder rises"}})
    {'_id': '7', 'title': 'Alder rises'}
    """
    inner = [name for name in INNER if isinstance(record.get(name), dict)]
    if not inner:
        return record
    flat = {name: value for name, value in record.items() if name not in inner}
    for name in inner:
        flat.update(record[name])
    return flat


def text_of(value: Any, joint: str = "\n") -> str | None:
    """Return a value as text, None if there is none; raise BadItem for what cannot be text.

    >>> text_of({"rendered": "Alder rises"}), text_of(["One.", "Two."]), text_of(7.0)
    ('Alder rises', 'One.\\nTwo.', '7')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise BadItem("is true or false, not text")
    if isinstance(value, int | float):
        if value != value:
            return None
        return str(int(value)) if value == int(value) else str(value)
    if isinstance(value, list):
        return joint.join(part for part in (text_of(v, joint) for v in value[:10_000]) if part)
    if isinstance(value, Mapping):
        for name in _WRAPPING:
            if value.get(name) is not None:
                return text_of(value[name], joint)
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return str(value)


def date_of(value: Any) -> str | None:
    """Return the value of a date as text that `parse_date` reads: Unix times become ISO 8601."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        if "$numberLong" in value:
            value = value["$numberLong"]
            return unix_date(int(value)).isoformat() if str(value).isdecimal() else str(value)
        if isinstance(value.get("date"), str) and isinstance(value.get("timezone"), str):
            return f"{value['date']} {value['timezone']}"  # PHP's DateTime
        return next((date_of(value[name]) for name in _DATES if value.get(name)), None)
    if isinstance(value, list):
        return date_of(value[0]) if value else None
    if isinstance(value, bool):
        raise BadItem("date is true or false, not a date")
    if isinstance(value, int | float) and value == value:
        whole = int(value) if abs(value) < 1e20 else 0
        digits = str(whole)
        if len(digits) == 8 and digits.startswith(("19", "20")):
            return digits  # 20260303
        return unix_date(value).isoformat()
    return text_of(value)


def is_web_address(text: str) -> bool:
    """Return whether a text is nothing but an address of the web."""
    return re.fullmatch(r"https?://[^\s/]+\S*", text.strip()) is not None


def without_markup(text: str) -> str:
    """Return the plain text of what may be HTML."""
    return strip_markup(text) if _MARKUP.search(text) else text


def language_of(value: str) -> str:
    """Return the code of a language that is given by its name or by three letters.

    >>> language_of("English"), language_of("deu"), language_of("en_GB")
    ('en', 'de', 'en-GB')
    """
    return _LANGUAGES.get(value.strip().casefold(), value.strip().replace("_", "-"))
