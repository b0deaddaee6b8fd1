"""Dates as people and programs write them."""

import json

import pytest

from scstory.errors import BadItem
from scstory.feeds import SourceOptions, open_source, parse_date


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-03T06:35:00Z",
        "20260303T063500Z",
        "20260303063500",
        "2026-03-03 06:35:00 UTC",
        "2026-03-03 06:35:00 +0000 UTC",
        "2026/03/03 06:35",
        "03.03.2026 07:35 CET",
        "Tue, 03 Mar 2026 06:35:00 GMT",
        "Tue, 03 Mar 2026 07:35:00 CET",
        "Tue Mar  3 07:35:00 CET 2026",
        "Tue Mar 03 2026 07:35:00 GMT+0100 (Central European Standard Time)",
        "2026-03-03 08:35 UTC+2",
        "2026-03-03 01:35:00 America/New_York",
        "2026-03-03T07:35:00+01:00[Europe/Berlin]",
        "06:35 03-MAR-2026",
        "06:35 MAR 3, 2026",
        "Tue Mar 03 06:35:00 +0000 2026",
        "Tue Mar  3 06:35:00 2026",
        "March 3, 2026 6:35 AM",
        "Mar 3, 2026 at 1:35 a.m. EST",
        "Tuesday, 3 March 2026, 06:35",
        "3. März 2026 06:35",
        "mardi 3 mars 2026 06:35",
        "1772519700",
        "1772519700000",
        "1772519700.0",
    ],
)
def test_the_same_moment_in_many_forms(written):
    assert parse_date(written).isoformat() == "2026-03-03T06:35:00+00:00"


@pytest.mark.parametrize(
    "written", ["2026", "yesterday", "2 hours ago", "12:30", "31 June 2026", ""]
)
def test_what_is_no_date(written):
    with pytest.raises(BadItem, match="unreadable date"):
        parse_date(written)


@pytest.mark.parametrize("zone", ["XYZ", "Mars/Base"])
def test_a_zone_that_is_not_known_is_not_taken_for_utc(zone):
    for date in (f"2026-03-03 06:35:00 {zone}", f"Tue, 03 Mar 2026 06:35:00 {zone}"):
        with pytest.raises(BadItem, match=f"unknown time zone '{zone}'"):
            parse_date(date)


def test_a_year_after_the_time_is_no_zone():
    assert parse_date("06:35 25-03-2026").isoformat() == "2026-03-25T06:35:00+00:00"


def test_a_date_that_can_be_two_days_is_refused_where_nothing_decides():
    with pytest.raises(BadItem, match="can be two days"):
        parse_date("03/04/2026")


def read(tmp_path, dates, **options):
    notices = []
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps([{"id": str(n), "date": d, "title": "T"} for n, d in enumerate(dates)])
    )
    items = open_source(str(path), SourceOptions(on_notice=notices.append, **options))
    return [f"{item.article.published:%m-%d}" for item in items], notices


def test_other_dates_of_the_file_decide(tmp_path):
    assert read(tmp_path, ["03/04/2026", "25/03/2026"]) == (["04-03", "03-25"], [])
    assert read(tmp_path, ["03/04/2026", "03/25/2026"]) == (["03-04", "03-25"], [])
    assert read(tmp_path, ["03.04.2026"]) == (["04-03"], [])


def test_a_guess_is_said_once_and_the_user_may_decide(tmp_path):
    found, (notice,) = read(tmp_path, ["03/04/2026", "05/04/2026"])
    assert found == ["03-04", "05-04"]
    assert "the date '03/04/2026' is 4 March 2026: the month is taken first" in notice
    assert read(tmp_path, ["03/04/2026"], day_first=True) == (["04-03"], [])
