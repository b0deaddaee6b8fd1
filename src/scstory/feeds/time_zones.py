"""Time zones as they stand after the time of a date: `CET`, `GMT+0100`, `Europe/Berlin`."""

import re
from collections.abc import Mapping
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scstory.errors import BadItem

_ZONES: Mapping[str, float] = {
    **dict.fromkeys(("z", "utc", "gmt", "ut", "wet"), 0),
    "bst": 1,
    "west": 1,
    "wat": 1,
    "cet": 1,
    "cest": 2,
    "mez": 1,
    "mesz": 2,
    "eet": 2,
    "eest": 3,
    "sast": 2,
    "cat": 2,
    "eat": 3,
    "msk": 3,
    "pkt": 5,
    "ist": 5.5,
    "wib": 7,
    "sgt": 8,
    "hkt": 8,
    "awst": 8,
    "jst": 9,
    "kst": 9,
    "aest": 10,
    "aedt": 11,
    "nzst": 12,
    "nzdt": 13,
    "brt": -3,
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
}
"""Hours ahead of UTC. Of names that several countries use, that of the most readers is meant."""
_OFFSET = re.compile(
    r"\b(?:utc|gmt)\s*([+-])(\d{1,2})(?::?(\d{2}))?\b|(?<!\w)([+-])(\d{2}):?(\d{2})\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z]\w+(?:[/-]\w+)?")
_WORD = re.compile(r"\b[A-Za-z]{1,5}\b")
_NAME = re.compile(
    r"\s*\(?(?!UHR|MON|TUE|WED|THU|FRI|SAT|SUN"
    r"|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)([A-Z]{3,5})\b"
)
"""What can only be the name of a zone, directly after a time."""


def take_zone(rest: str) -> tuple[tzinfo | None, str]:
    """Return the zone in what follows a time, None if there is none, and the text without it.

    Raises BadItem for a zone that is not known.

    >>> take_zone(" GMT+0100 (CET) 2026")
    (datetime.timezone(datetime.timedelta(seconds=3600)), '  2026')
    >>> take_zone(", 3 March 2026")
    (None, ', 3 March 2026')
    """
    if found := _OFFSET.search(rest):
        sign, hours, minutes = found.groups()[:3] if found[1] else found.groups()[3:]
        away = timedelta(hours=int(hours), minutes=int(minutes or 0))
        after = re.sub(r"^\s*\([^()]*\)", "", rest[found.end() :])
        return timezone(away if sign == "+" else -away), rest[: found.start()] + after
    if found := _PLACE.search(rest):
        return _zone_of(found[0]), rest[: found.start()] + rest[found.end() :]
    for word in _WORD.finditer(rest):
        if (ahead := _ZONES.get(word[0].lower())) is not None:
            return timezone(timedelta(hours=ahead)), rest[: word.start()] + rest[word.end() :]
    if found := _NAME.match(rest):
        raise _unknown(found[1])
    return None, rest


def _zone_of(place: str) -> tzinfo:
    try:
        return ZoneInfo(place)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _unknown(place) from None


def _unknown(name: str) -> BadItem:
    return BadItem(f"unknown time zone {name[:40]!r} of a date; write it like +01:00")
