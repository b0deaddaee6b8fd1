"""The pages in a real browser: live, searchable, accessible, and whole without scripts."""

import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.serve.conftest import listening, post, record_of, tell, until, writing

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT = 20_000

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is missing: apt-get install chromium"
)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(told, tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "copy.db"
    shutil.copy(told, path)
    with writing(str(path)) as service, listening(service) as address:
        yield address


@pytest.fixture
def open_page(browser, served):
    """Return a way to open pages; afterwards, none may have complained."""
    contexts, complaints = [], []

    def opening(path="/", **options):
        context = browser.new_context(base_url=served, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_story_appears_live_and_is_found(open_page, served):
    page = open_page("/")
    page.wait_for_selector("#pulse.on")
    page.evaluate("window.notReloaded = true")
    before = page.locator("article.story").count()
    assert before
    strike = [tell(90 + i, "strike", day=12) for i in range(3)]
    receipts = post(served, [record_of(article) for article in strike]).json()["receipts"]
    assert [receipt["status"] for receipt in receipts] == ["accepted"] * 3
    page.wait_for_selector("article.story h2 >> text=Strike news")
    assert page.evaluate("window.notReloaded")
    assert page.locator("aside.latest >> text=Strike news").count() >= 3

    page.fill("#find", "ferry walkout")
    page.press("#find", "Enter")
    page.wait_for_url("**/search?q=*")
    page.click("article.story h2 a >> text=Strike news")
    page.wait_for_url("**/stories/*")
    strongest = page.locator("details[open] .w7").first
    assert strongest.is_visible()
    shade = strongest.evaluate("e => getComputedStyle(e).backgroundColor")
    plain = page.locator("details[open] .w0").first.evaluate(
        "e => getComputedStyle(e).backgroundColor"
    )
    assert shade != plain


def test_a_story_page_grows_while_it_is_read(open_page, served):
    page = open_page("/")
    page.click("article.story h2 a >> text=Trial news")
    page.wait_for_selector("#pulse.on")
    number = page.locator(".piece").count()
    post(served, [record_of(tell(95, "trial", day=12))])
    page.wait_for_function(
        "n => document.querySelectorAll('.piece').length > n || "
        "document.querySelector('#notice button')",
        arg=number,
    )


def test_a_reader_in_the_middle_is_asked_first(open_page, served):
    page = open_page("/", viewport={"width": 390, "height": 500})
    page.wait_for_selector("#pulse.on")
    page.evaluate("scrollTo(0, 400)")
    post(served, [record_of(tell(96, "flood", day=12))])
    page.wait_for_selector("#notice button")
    assert page.evaluate("scrollY") == 400
    page.click("#notice button")
    page.wait_for_function("() => scrollY < 50")
    assert page.locator("#notice button").count() == 0


PAGES = ["/", "/stories/1", "/articles/flood-3", "/search?q=flood", "/map", "/about", "/api"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible(open_page, scheme):
    page = open_page("/", color_scheme=scheme, reduced_motion="reduce")
    found = {}
    for path in PAGES:
        page.goto(path)
        if path == "/map":
            page.wait_for_selector("#map .main-svg")
        results = Axe().run(page)
        if results.violations_count:
            found[path] = results.generate_report()
    assert found == {}


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_is_wider_than_the_screen(open_page, width):
    page = open_page("/", viewport={"width": width, "height": 800})
    for path in PAGES:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_all_is_there_without_scripts(open_page):
    page = open_page("/", java_script_enabled=False)
    assert page.locator("article.story").count() >= 2
    page.click("article.story h2 a >> nth=0")
    page.wait_for_url("**/stories/*")
    closed = page.locator("details:not([open])").first
    closed.locator("summary").click()
    assert page.locator(".shaded").nth(1).is_visible()
    page.fill("#find", "flood")
    page.press("#find", "Enter")
    page.wait_for_url("**/search?q=*")
    assert page.locator("article.story").count()
    page.goto("/map")
    page.locator("svg.plain a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/stories/*")


def test_the_keyboard_is_enough(open_page):
    page = open_page("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = "document.activeElement.closest('main') !== null"
    assert page.evaluate(inside)
    for _ in range(6):
        page.keyboard.press("Tab")
        width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert float(width.removesuffix("px")) >= 2


def test_the_map_is_drawn_and_leads_to_stories(open_page):
    page = open_page("/map")
    point = page.locator("#map .point").first
    point.wait_for()
    box = point.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile(r"/stories/\d+$"))


def test_a_service_that_goes_and_comes_back(browser, told, tmp_path):
    path = tmp_path / "copy.db"
    shutil.copy(told, path)
    page = browser.new_page()
    page.set_default_timeout(WAIT)
    with writing(str(path)) as service, listening(service) as address:
        page.goto(address)
        page.wait_for_selector("#pulse.on")
    until(lambda: page.inner_text("#pulse") == "reconnecting")
    page.close()


def test_a_word_without_end_stays_within_the_page(open_page, served):
    long = [tell(400 + i, "strike", day=12) for i in range(2)]
    post(served, [record_of(article, title="A" * 1_900) for article in long])
    page = open_page("/", viewport={"width": 390, "height": 800})
    page.wait_for_selector("text=AAAAAAAA")
    paths = ["/", "/map", "/search?q=ferry"]
    paths += page.eval_on_selector_all(
        "a[href^='/stories/']", "links => [...new Set(links.map(a => a.getAttribute('href')))]"
    )[:6]
    for path in paths:
        page.goto(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, path
