"""What an editor does on the pages, in a real browser, with scripts and without."""

import json
import shutil

import pytest

from scstory.serve import Service
from scstory.store.store_reader import SharedReader
from tests.serve.browsing import WAIT, faults, needs_browser
from tests.serve.conftest import TOKEN, listening, record_of, tell, until, writing
from tests.surveyed import ROUND_UP
from tests.web import LOCAL, item, rss

pytestmark = needs_browser

PAGES = [
    *("/feeds", "/webhooks", "/following", "/stories/1", "/search?q=flood", "/"),
    "/sign-in?next=/feeds",
]
LIST = b"""<opml><body><outline text="News"><outline xmlUrl="https://a.example/"/></outline>
</body></opml>"""


@pytest.fixture(scope="module")
def service(told, tmp_path_factory):
    path = tmp_path_factory.mktemp("editor") / "copy.db"
    shutil.copy(told, path)
    with writing(str(path)) as service:
        service.feeds = LOCAL
        with listening(service) as address:
            service.address = address
            yield service


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def scripts(request):
    return request.param


@pytest.fixture
def sign_in(browser, service):
    """Return a way to open a browser as an editor; afterwards, no page may have complained."""
    contexts, complaints = [], []

    def opening(path="/", **options):
        context = browser.new_context(base_url=service.address, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"/sign-in?next={path}")
        page.fill("#token", TOKEN)
        page.press("#token", "Enter")
        page.wait_for_url(f"**{path}")
        return page

    yield opening
    for context in contexts:
        context.close()
    assert complaints == []


def test_feeds_lists_and_files_come_and_go(sign_in, service, site, scripts, tmp_path):
    site.pages["/feed"] = rss(item(1))
    page = sign_in("/feeds", java_script_enabled=scripts)
    page.fill("#url", f"{site.url}/feed".removeprefix("http://"))
    page.fill("#section", "News")
    page.click("form[aria-labelledby=add-title] button")
    page.wait_for_selector(".said >> text=Following The Wire")
    page.set_input_files("#opml", {"name": "x.opml", "mimeType": "text/xml", "buffer": LIST})
    page.click("form[aria-labelledby=opml-title] button")
    page.wait_for_selector(".said >> text=1 feed added")
    with page.expect_download() as download:
        page.click("text=Export the 2 feeds")
    assert "https://a.example/" in download.value.path().read_text()
    for _ in range(2):
        page.locator("td.act button").first.click()
        page.wait_for_selector(".said >> text=followed no longer")
    assert page.locator("td.act button").count() == 0
    number = 700 + scripts
    lines = json.dumps(record_of(tell(number, "flood", day=12))).encode()
    name = f"file-{number}.jsonl"
    page.set_input_files("#files", {"name": name, "mimeType": "", "buffer": lines})
    page.click("form[aria-labelledby=import-title] button")
    page.wait_for_selector(f".said >> text=Reading {name}")
    until(lambda: service.imports.latest()[0].over)
    page.goto("/feeds")
    assert "1 article accepted" in page.locator(f".imports li:has-text('{name}')").inner_text()
    page.click("text=Sign out")
    page.wait_for_selector(".said >> text=You are signed out.")
    page.goto("/feeds")
    page.wait_for_url("**/sign-in?next=%2Ffeeds")


def test_stories_searches_and_outlets_are_followed_and_muted(sign_in, service, scripts):
    page = sign_in("/stories/1", java_script_enabled=scripts)
    page.click(".actions button:has-text('Follow')")
    page.wait_for_selector(".said >> text=Following: story 1.")
    page.goto("/search?q=trial")
    page.click(".after button:has-text('Mute')")
    page.wait_for_selector(".said >> text=Muted: query trial.")
    page.goto("/following")
    page.select_option("#kind", "outlet")
    page.fill("#target", "test wire")
    page.press("#target", "Enter")
    page.wait_for_selector(".said >> text=Following: outlet test wire.")
    assert {one.target for one in service.browser.follows()} == {"1", "trial", "test wire"}
    page.locator("section[aria-labelledby=followed-title] button:has-text('Mute')").first.click()
    page.wait_for_selector(".said >> text=Muted: story 1.")
    for _ in range(3):
        page.locator(".follows button:has-text('Remove')").first.click()
        page.wait_for_selector(".said >> text=Removed.")
    assert service.browser.follows() == []


def test_webhooks_come_and_go(sign_in, service, scripts):
    page = sign_in("/webhooks", java_script_enabled=scripts)
    page.fill("#url", "http://127.0.0.1:9/hook")
    page.uncheck("input[value=ended]")
    page.fill("#query", "flood")
    page.click("form[aria-labelledby=add-title] button")
    page.wait_for_selector(".secret")
    (hook,) = service.courier.hooks.all()
    assert page.locator(".secret").inner_text() == hook.secret
    assert "ended" not in hook.kinds
    assert hook.query == "flood"
    page.click("td.act button")
    page.wait_for_selector(".said >> text=was removed")
    assert service.courier.hooks.all() == []


def test_an_editors_pages_are_accessible_and_fit(sign_in, service):
    store = service.inbox
    store.follow("query", "ferry AND strike")
    store.follow("story", "1")
    store.follow("outlet", "x" * 100, muted=True)
    store.subscribe(f"https://x.example/{'long' * 60}", "A feed", "News / Local")
    hooks = service.courier.hooks
    hooks.add(f"https://x.example/{'long' * 60}", "s" * 40, ["new"], after=0, story=1)
    page = sign_in("/")
    for path in PAGES:
        page.goto(path)
        assert faults(page) == [], path


@pytest.fixture(scope="module")
def overview(surveyed):
    with listening(Service(SharedReader(surveyed))) as address:
        yield address


def test_threads_and_sections_lead_to_stories_without_scripts(browser, overview):
    context = browser.new_context(base_url=overview, java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto("/")
    page.click("nav >> text=Threads")
    page.locator(".threads h2 a").first.click()
    page.wait_for_url("**/threads/*")
    thread = page.url
    page.locator(".stories h2 a").first.click()
    page.wait_for_url("**/stories/*")
    page.click("section[aria-labelledby=thread-title] p a")
    page.wait_for_url(thread)
    page.click("nav >> text=Sections")
    page.locator(".sections h2 a").first.click()
    page.wait_for_url("**/sections/*")
    assert page.locator(".stories .story").count() > 1
    context.close()


def test_threads_and_sections_are_accessible_and_fit(browser, overview):
    context = browser.new_context(base_url=overview)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto("/threads")
    thread = page.locator(".threads h2 a").first.get_attribute("href")
    page.goto("/sections")
    section = page.locator(".sections h2 a").first.get_attribute("href")
    story = thread.replace("threads", "stories")
    for path in ("/threads", thread, "/sections", section, story, f"/articles/{ROUND_UP}"):
        page.goto(path)
        assert faults(page) == [], path
    context.close()
