"""The calendar and the pages of days."""

import re
from itertools import pairwise

import pytest


def test_the_archive_leads_to_every_day_with_articles(reader):
    page = reader.get("/archive").text
    days = sorted(set(re.findall(r'href="/day/([\d-]+)"', page)))
    assert len(days) == 12
    assert "6 articles of 3 stories" in page
    for day, following in pairwise(days):
        page = reader.get(f"/day/{day}").text
        assert f'rel="next" href="/day/{following}"' in page
    assert 'rel="next"' not in reader.get(f"/day/{days[-1]}").text


def test_the_page_of_a_day_shows_its_stories_as_they_stood(reader):
    day = re.findall(r'href="/day/([\d-]+)"', reader.get("/archive").text)[1]
    page = reader.get(f"/day/{day}").text
    assert page.count("4 articles by then") == 3
    assert "24 in all" in page
    assert set(re.findall(r'href="/articles/(\w+)-\d+"', page)) == {"flood", "trial", "comet"}


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "20260303", "0001-01-01", "9999-12-31"])
def test_what_is_no_day_is_refused_with_an_example(reader, day):
    answer = reader.get(f"/day/{day}", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "write a date like /day/2026-03-03" in answer.text


def test_a_year_without_articles_says_which_years_have_some(reader):
    answer = reader.get("/archive?year=1999", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "year 1999: has no articles; those from 2026 to 2026 have" in answer.text
