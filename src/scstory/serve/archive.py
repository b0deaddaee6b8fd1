"""The archive: a calendar of each year, and the stories of one day as they stood."""

from calendar import Calendar, day_name
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from fastapi import HTTPException

from scstory.serve.service import Service
from scstory.store.records import DayCount, StoryQuery, StoryRow

DAY_STORIES, DAY_HEADLINES = 100, 4
"""The most stories on the page of a day, and headlines of one of them."""
YEAR_STORIES = 10
"""How many of a year's stories, the largest, are beside its calendar."""
DAY_SHADES = 4
WEEKDAYS = tuple((name[:2], name) for name in day_name)


class Day(NamedTuple):
    """A day of a calendar: what it has, if anything, and its shade."""

    date: date
    has: DayCount | None
    shade: int


class Month(NamedTuple):
    """A month of a calendar, in weeks from Monday; None is a day of another month."""

    first: date
    articles: int
    weeks: list[list[Day | None]]


def archive_values(service: Service, year: int | None) -> dict[str, Any]:
    """Return the calendar of a year; without one, of the last year with articles."""
    years = service.browser.years()
    if year is not None and year not in years:
        has = f"those from {years[0]} to {years[-1]} have" if years else "no other year has"
        raise HTTPException(404, f"year {year}: has no articles; {has}")
    shown = year or (years[-1] if years else None)
    if shown is None:
        return {"years": [], "year": None, "months": []}
    start, end = datetime(shown, 1, 1, tzinfo=UTC), datetime(shown + 1, 1, 1, tzinfo=UTC)
    query = StoryQuery(since=start, until=end, min_size=2, sort="size")
    return {
        "years": years,
        "year": shown,
        "months": _months(service.browser.days(shown)),
        "weekdays": WEEKDAYS,
        "largest": service.browser.story_page(query, limit=YEAR_STORIES)[0],
    }


def _months(days: list[DayCount]) -> list[Month]:
    """Return the months that have articles, the latest first."""
    by_day = {count.day: count for count in days}
    most = max((count.articles for count in days), default=1)
    found = []
    for first in sorted({day.replace(day=1) for day in by_day}, reverse=True):
        weeks = [
            [_day(day, by_day.get(day), most) if day.month == first.month else None for day in week]
            for week in Calendar().monthdatescalendar(first.year, first.month)
        ]
        here = [c.articles for day, c in by_day.items() if day.replace(day=1) == first]
        found.append(Month(first, sum(here), weeks))
    return found


def _day(day: date, count: DayCount | None, most: int) -> Day:
    # The square root keeps quiet days apart beside a very busy one.
    return Day(day, count, round(DAY_SHADES * (count.articles / most) ** 0.5) if count else 0)


def day_values(service: Service, text: str) -> dict[str, Any]:
    """Return a day's stories with what each had published until then."""
    day = parse_day(text)
    before, after = service.browser.neighbours(day)
    found = service.browser.stories_of_day(day, limit=DAY_STORIES)
    return {
        "day": day,
        "count": service.browser.count_of_day(day),
        "before": before,
        "after": after,
        "stories": [one for one in found if one.size > 1],
        "single": [one for one in found if one.size == 1],
        "titles": {one.story.id: _title_then(one.story, day) for one in found},
        "sentences": {
            one.story.id: milestone
            for one in found
            for milestone in one.story.milestones
            if milestone.day == day
        },
        "headlines": DAY_HEADLINES,
        "shown": len(found),
    }


def _title_then(story: StoryRow, day: date) -> str:
    """Return the title that a story had at the end of a day."""
    earlier = (headline.text for headline in story.headlines if headline.until.date() > day)
    return next(earlier, story.title)


def parse_day(text: str) -> date:
    """Return the day that an address names."""
    try:
        day = date.fromisoformat(text) if len(text) == len("2026-03-03") else None
    except ValueError:
        day = None
    if day is None or not 1 < day.year < 9998:
        raise HTTPException(404, f"day {text[:40]}: write a date like /day/2026-03-03")
    return day
