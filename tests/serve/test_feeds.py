"""Feeds followed by the service: from a feed on a server to a story on the page."""

import httpx2
import pytest

from scstory.config import Settings
from scstory.serve.background import FeedThread
from tests.serve.conftest import listening, tell, until, writing
from tests.web import LOCAL, Site

RSS = """<rss version="2.0"><channel><title>River <b>News</b> &amp; Co</title>
<item><title>{title}</title><guid>{id}</guid><link>{link}</link>
<description>{text}</description></item></channel></rss>"""


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


def test_what_a_feed_brings_is_on_the_page(db, site):
    article = tell(99, "flood", day=12)
    site.pages["/feed.xml"] = RSS.format(
        title=article.title, id="river-99", link="", text=article.text * 3
    )
    settings = Settings(db=db, feeds=LOCAL)
    problems = []
    with writing(db) as service:
        service.inbox.subscribe(f"{site.url}/feed.xml")
        service.inbox.subscribe(f"{site.url}/missing.xml")
        service.feed_thread = FeedThread(service.inbox, settings, on_problem=problems.append)
        with listening(service) as address:

            def metric(line):
                return line in httpx2.get(f"{address}/metrics").text

            until(lambda: metric("scstory_feeds_failing 1.0"))
            until(lambda: "River" in httpx2.get(address).text)  # the outlet of what came in
            assert article.title in httpx2.get(address).text
            about = httpx2.get(f"{address}/about").text
    assert "failing: answered 404" in about
    assert "River" in about
    assert "<b>News" not in about
    assert problems == []
