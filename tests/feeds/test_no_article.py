"""Pages without an article, and texts that are boilerplate."""

from dataclasses import replace

import pytest

from scstory.feeds.no_article import RepeatedTexts, why_no_article
from scstory.feeds.page import read_page
from tests import web
from tests.conftest import make_article
from tests.web import LONG

NEWS = "The river Alder rose by two metres on Tuesday, and " + "homes had to be evacuated. " * 8


@pytest.mark.parametrize(
    ("title", "text", "reason"),
    [
        ("Alder", "", "no article on the page"),
        ("404", "Sorry, we looked everywhere.", "an error page"),
        ("Page not found | The Wire", "Try the search.", "an error page"),
        ("Access denied", "You have no permission to see this. " * 5, "an error page"),
        ("The Wire", "503 Service Unavailable", "an error page"),
        ("The Wire", "We value your privacy. " + "Choose below. " * 9, "a notice about cookies"),
        ("Alder rises", "Sign in to continue reading this story.", "a notice about cookies"),
        ("Alder rises", "Please enable JavaScript to go on.", "a notice about cookies"),
        ("Menu", "Home\nSport\nWeather", "(3 words of text)"),
    ],
)
def test_what_is_no_article_is_named(title, text, reason):
    assert reason in why_no_article(title, text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("500 homes flooded as the Alder rises", NEWS),
        ("Missing hikers not found after a week", NEWS),
        ("Watchdog fines sites over cookie consent", NEWS + "We use cookies, the banners say."),
        ("New law on cookies", "\n".join(LONG) + " We use cookies. Accept all cookies."),
        (
            "洪水",
            "周二河水上涨，许多房屋的居民不得不撤离。市长说情况严重，军队已经到达城市，学校关闭一周时间。"
            * 2,
        ),
    ],
)
def test_news_is_news(title, text):
    assert why_no_article(title, text) is None


@pytest.mark.parametrize(
    "form", ["<li><a href='/{0}'>{1}</a> 2 hours ago</li>", "<p><a href='/{0}'>{1}</a></p>"]
)
def test_a_front_page_is_no_article(form):
    headline = "Mayor of Kelby resigns over the flood report number"
    items = "".join(form.format(n, f"{headline} {n}") for n in range(20))
    body = f"<html><head><title>The Wire</title></head><body><main>{items}</main></body></html>"
    page = read_page(body.encode(), "https://wire.example/")
    reason = why_no_article(page.title, page.text, declared=page.declared, linked=page.linked)
    assert reason == "a list of links, not an article"


def test_an_article_with_links_in_it_is_one():
    linked = [f"{text} <a href='/more'>What the mayor said about it last week</a>" for text in LONG]
    page = read_page(web.page("Alder rises", *linked).encode(), "https://wire.example/alder")
    assert 0 < page.linked < 0.1
    assert why_no_article(page.title, page.text, linked=page.linked) is None


def at(number, *, title="", site="wire.example", text="Register now."):
    article = replace(make_article(number, "flood"), url=f"https://{site}/{number}", text=text)
    return replace(article, title=title or f"Headline {number}")


def refused(*articles):
    repeated = RepeatedTexts()
    repeated.add(articles)
    return [repeated.problem(article) is not None for article in articles]


def test_a_text_under_three_addresses_of_a_site_is_boilerplate():
    assert refused(at(1), at(2)) == [False, False]
    assert refused(at(1), at(2), at(3), at(4, text="It rose.")) == [True, True, True, False]


def test_an_agencys_report_or_an_article_under_several_addresses_is_not():
    assert not any(refused(*(at(n, title="Alder rises") for n in range(9))))
    assert not any(refused(*(at(n, site=f"wire{n}.example") for n in range(9))))
    assert not any(refused(*(at(n, text="") for n in range(9))))
