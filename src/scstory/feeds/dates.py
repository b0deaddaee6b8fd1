"""Dates as people and programs write them, in UTC.

ISO 8601, RFC 2822, the forms of C, Go and Twitter, Unix seconds to nanoseconds, and days with the
name or the number of the month. `03/04/2026` can be two days: see `DayOrder`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime

from scstory.errors import BadItem
from scstory.feeds.time_zones import take_zone

MIN_YEAR = 1000
"""Earlier dates leave no room for the window before them."""
MAX_FUTURE = timedelta(days=2)
"""How far a date may lie in the future: time zones and clocks differ, but not by more."""
MAX_DATE_CHARACTERS = 100

_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari ene gen janv января",
            "february feb februar février fevrier febrero febbraio fevereiro februari févr fev "
            "февраля",
            "march mar märz maerz mars marzo março marco maart mär mrt марта",
            "april apr avril abril aprile avr abr апреля",
            "may mai mayo maggio maio mei mag мая",
            "june jun juni juin junio giugno junho giu июня",
            "july jul juli juillet julio luglio julho juil lug июля",
            "august aug août aout agosto augustus ago августа",
            "september sep sept septembre septiembre settembre setembro set сентября",
            "october oct oktober octobre octubre ottobre outubro okt ott out октября",
            "november nov novembre noviembre novembro ноября",
            "december dec dezember décembre decembre diciembre dicembre dezembro dez déc dic "
            "декабря",
        ),
        1,
    )
    for name in names.split()
}
_UNITS = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))
"""Numbers below the first are Unix time in so many parts of a second."""
EARLIEST_UNIX = 10**8
"""Smaller numbers are no Unix time: they would lie before March 1973."""

_TIME = re.compile(
    r"(?<![\d.])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\b\.?)?", re.IGNORECASE
)
_NUMERIC = re.compile(r"(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})\.?")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년.]\s*(\d{1,2})\s*[月월.]\s*(\d{1,2})\s*[日일.]?")
_WORDS = re.compile(r"\d+|[^\W\d_]+")
_HALF_DAY = re.compile(r"\d\s*[ap]\.?m\b", re.IGNORECASE)
_STAMP = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}(?:\d\d)?")
_SLASHED = re.compile(r"\D{0,12}(\d{1,2})([/.-])(\d{1,2})\2(\d{2}|\d{4})\b")


@dataclass(slots=True)
class DayOrder:
    """Whether 03/04/2026 is 3 April (day first) or March 4; None while nothing says so."""

    day_first: bool | None = None

    def shown(self, value: str) -> str:
        """Return how an ambiguous date is taken, in words."""
        return f"{_shown(value)} is {parse_date(value, order=self):%-d %B %Y}"


def parse_date(value: str, *, order: DayOrder | None = None) -> datetime:
    """Return a date in UTC. Without a zone it is UTC, without a time it is midnight.

    A date such as 03/04/2026 is refused unless an order is given.

    >>> parse_date("2026-03-03").isoformat()
    '2026-03-03T00:00:00+00:00'
    >>> parse_date("Tue, 03 Mar 2026 07:35:00 +0100").isoformat()
    '2026-03-03T06:35:00+00:00'
    >>> parse_date("March 3, 2026 at 6:35 PM").isoformat()
    '2026-03-03T18:35:00+00:00'
    >>> parse_date("1772519700").isoformat()
    '2026-03-03T06:35:00+00:00'
    >>> parse_date("03/04/2026", order=DayOrder(day_first=True)).isoformat()
    '2026-04-03T00:00:00+00:00'
    """
    value = value.strip()
    try:
        date = _parse(value, order)
        date = date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError, OSError):
        raise BadItem(
            f"unreadable date {_shown(value)}; write it like 2026-03-03T06:35:00Z or 2026-03-03"
        ) from None
    if date.year < MIN_YEAR:
        raise BadItem(f"date {_shown(value)} is before the year {MIN_YEAR}")
    if date > datetime.now(UTC) + MAX_FUTURE:
        raise BadItem(f"date {_shown(value)} lies in the future")
    return date


def unix_date(number: float) -> datetime:
    """Return the date of a Unix time in seconds, or thousandths, millionths, billionths of one.

    >>> unix_date(1772519700123).isoformat()
    '2026-03-03T06:35:00.123000+00:00'
    """
    if not EARLIEST_UNIX <= number < _UNITS[-1][0]:
        raise BadItem(f"date {_shown(str(number))} is a number, but no Unix time")
    parts = next(parts for below, parts in _UNITS if number < below)
    microseconds = int(number) * 10**6 // parts if parts > 1 else round(number * 10**6)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def day_order(value: str) -> tuple[bool, bool | None]:
    """Return whether a date could have day and month in either place, and which is first.

    >>> day_order("25/03/2026"), day_order("03/04/2026"), day_order("2026-03-03")
    ((True, True), (True, None), (False, None))
    """
    found = _SLASHED.match(value)
    if not found:
        return False, None
    one, mark, two = int(found[1]), found[2], int(found[3])
    if one > 12 or two > 12:
        return True, one > 12
    # Points stand between day and month where the day comes first.
    return (True, True) if mark == "." else (True, None)


def _parse(value: str, order: DayOrder | None) -> datetime:
    if len(value) > MAX_DATE_CHARACTERS:
        raise ValueError
    if re.fullmatch(r"\d{9,19}(?:\.\d+)?", value) and not _stamp(value):
        return unix_date(float(value) if "." in value else int(value))
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        pass
    if _stamp(value):
        return datetime.strptime(value.ljust(14, "0"), "%Y%m%d%H%M%S")
    try:
        if not _HALF_DAY.search(value):  # which the parser of e-mails passes over
            date = parsedate_to_datetime(value)
            if date.tzinfo is not None:  # else it may have passed over a zone
                return date
    except (ValueError, TypeError, IndexError):
        pass
    return _written(value, order)


def _stamp(value: str) -> bool:
    """Return whether a number of 12 or 14 digits is a date and time: 20260303063500."""
    return _STAMP.fullmatch(value) is not None


def _written(value: str, order: DayOrder | None) -> datetime:
    """Return a date of words and numbers, such as `Tue 3 March 2026, 6:35 pm CET`."""
    hour = minute = second = 0
    zone: tzinfo | None = None
    day = value = _EAST_ASIAN.sub(r"\1-\2-\3 ", value)
    if time := _TIME.search(value):
        hour, minute, second = int(time[1]), int(time[2]), int(time[3] or 0)
        half = (time[4] or "").lower()
        if half:
            if not 1 <= hour <= 12:
                raise ValueError
            hour = hour % 12 + 12 * half.startswith("p")
        zone, rest = take_zone(value[time.end() :])
        day = f"{value[: time.start()]} {rest.strip(' ()')}"
    year, month, number = _day(day.strip(" ,T\t"), order)
    return datetime(year, month, number, hour, minute, second, tzinfo=zone)


def _day(value: str, order: DayOrder | None) -> tuple[int, int, int]:
    """Return year, month and day of a date without a time."""
    if numeric := _NUMERIC.search(value):
        one, two, three = int(numeric[1]), int(numeric[3]), int(numeric[4])
        if len(numeric[1]) == 4:
            return one, two, three
        first = day_order(numeric[0])[1]
        if first is None:
            if order is None or order.day_first is None:
                raise BadItem(f"date {_shown(value)} can be two days; write it like 2026-03-03")
            first = order.day_first
        day, month = (one, two) if first else (two, one)
        return _year(three, len(numeric[4])), month, day
    numbers: list[str] = []
    months = []
    for word in _WORDS.findall(value):
        if word.isdecimal():
            numbers.append(word)
        elif found := _MONTHS.get(word.lower()):
            months.append(found)
    if not months or len(numbers) != 2:
        raise ValueError
    number, of_year = numbers if len(numbers[0]) < 3 else numbers[::-1]
    # Short names of days come first: mar. is Tuesday in French, and March in Spanish.
    return _year(int(of_year), len(of_year)), months[-1], int(number)


def _year(number: int, digits: int) -> int:
    """Return a year; of two digits it is the one that was, or will be soon."""
    if digits == 4:
        return number
    if digits != 2:
        raise ValueError
    return number + (2000 if number < 70 else 1900)


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")
