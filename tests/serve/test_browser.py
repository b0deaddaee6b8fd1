"""The pages in a real browser: live, searchable, accessible, and whole without scripts."""

import re
import shutil
from itertools import combinations

import httpx2
import pytest

from tests.serve.browsing import WAIT, faults, needs_browser
from tests.serve.conftest import listening, post, record_of, tell, until, writing

pytestmark = needs_browser


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
    if not page.locator("details[open]").count():
        page.locator("details summary").first.click()
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


PAGES = [
    "/",
    "/stories/1",
    "/articles/flood-3",
    "/archive",
    "/day/2026-03-03",
    "/search?q=flood",
    "/map",
    "/about",
    "/api",
    "/following",
    "/digest/2026-03-05",
]


def test_every_page_is_accessible_and_fits_the_screen(open_page):
    page = open_page("/")
    for path in PAGES:
        page.goto(path)
        assert faults(page) == [], path


def test_all_is_there_without_scripts(open_page):
    page = open_page("/archive", java_script_enabled=False)
    page.locator(".month a").first.click()
    page.wait_for_url("**/day/*")
    page.locator("a[rel=next]").first.click()
    assert page.locator("article.story").count() >= 2
    page.goto("/")
    assert page.locator("article.story").count() >= 2
    page.click("article.story h2 a >> nth=0")
    page.wait_for_url("**/stories/*")
    closed = page.locator("details:not([open])").first
    closed.locator("summary").click()
    assert page.locator("details[open] .shaded").last.is_visible()
    page.fill("#find", "flood")
    page.press("#find", "Enter")
    page.wait_for_url("**/search?q=*")
    assert page.locator("article.story").count()
    page.goto("/map")
    page.locator(".map svg.wide a").first.focus()
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
    page.locator(".map svg.wide circle").first.click()
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
    told = [f"{served}/api/articles/{article.id}" for article in long]
    until(lambda: all(httpx2.get(address).status_code == 200 for address in told))
    page = open_page("/", viewport={"width": 390, "height": 800})
    assert "A" * 99 in page.content()
    story = httpx2.get(told[0]).json()["story"]
    paths = ["/", "/map", "/search?q=ferry", f"/stories/{story}", f"/articles/{long[0].id}"]
    for path in paths:
        page.goto(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, path


def test_labels_of_the_map_cover_nothing_as_drawn(open_page):
    for width in (390, 1280):
        page = open_page("/map", viewport={"width": width, "height": 900})
        boxes = page.evaluate(
            """() => [...document.querySelectorAll(".map text, .map circle")]
                .filter((e) => e.getClientRects().length && e.getBoundingClientRect().width)
                .map((e) => [e.tagName, e.getBoundingClientRect().toJSON()])"""
        )
        labels = [box for tag, box in boxes if tag == "text"]
        dots = [box for tag, box in boxes if tag == "circle"]
        assert labels
        assert len(dots) >= 2
        for one in labels:
            assert not any(overlap(one, other) for other in (*labels, *dots) if other is not one)


def overlap(one, other):
    return (
        one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    )


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_times_are_those_of_the_reader(open_page, zone):
    plain = open_page("/stories/1", java_script_enabled=False, timezone_id=zone)
    assert "UTC" in plain.inner_text(".timeline figcaption")
    assert plain.locator(".piece time").first.inner_text().endswith(" UTC")
    page = open_page("/stories/1", timezone_id=zone)
    assert zone in page.inner_text("#zone")
    assert "UTC" not in page.inner_text("#detail")
    shown = page.locator(".piece time").first
    local = page.evaluate(
        "text => new Date(text).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'})",
        shown.get_attribute("datetime"),
    )
    assert shown.inner_text().endswith(local)
    moved = page.evaluate(
        """() => [...document.querySelectorAll(".tick:not([hidden])")].map((tick) => {
            const svg = tick.closest("[data-start]");
            const x = parseFloat(tick.getAttribute("x")) / 100 * svg.dataset.seconds;
            return new Date(+new Date(svg.dataset.start) + 1000 * x).getHours();
        })"""
    )
    assert len(moved) >= 2
    assert set(moved) <= {0, 23}  # local midnight, give or take the rounding


@pytest.mark.parametrize("width", [390, 1280])
def test_no_line_begins_or_ends_with_a_separator(open_page, width):
    page = open_page("/", viewport={"width": width, "height": 800})
    for path in ("/", "/stories/1", "/articles/flood-3", "/day/2026-03-03"):
        page.goto(path)
        visible = page.evaluate(
            """() => [...document.querySelectorAll(".facts, .row, .kicker")].flatMap((row) => {
                const cut = row.getBoundingClientRect().left + 0.62 * 16;
                return [...row.children].filter((piece, i) => {
                    const before = piece.previousElementSibling;
                    const begins = !before || before.getBoundingClientRect().bottom
                        <= piece.getBoundingClientRect().top + 1;
                    const drawn = getComputedStyle(piece, "::before").content !== "none";
                    const left = piece.getBoundingClientRect().left + 0.36 * 16 + 4;
                    return begins && drawn && left > cut;
                }).map((piece) => piece.textContent);
            })"""
        )
        assert visible == [], path


def test_the_search_box_stays_as_it_is_while_the_page_updates(open_page, served):
    page = open_page("/")
    place = "JSON.stringify(document.getElementById('find').getBoundingClientRect())"
    before = page.evaluate(place)
    page.wait_for_selector("#pulse.on")
    page.focus("#find")
    page.keyboard.type("flo")
    post(served, [record_of(tell(97, "trial", day=12), title="Trial news at last")])
    page.wait_for_selector("#front >> text=Trial news at last")
    page.keyboard.type("od")
    assert page.input_value("#find") == "flood"
    assert page.evaluate("document.activeElement.id") == "find"
    assert page.evaluate(place) == before


def test_the_state_of_the_stream_has_room_whatever_it_is(open_page):
    page = open_page("/")
    page.wait_for_selector("#pulse.on")
    for width in (360, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert len(places_of_the_search_box(page)) == 1  # it does not move


def places_of_the_search_box(page):
    """Return where it is, whatever the state; see that nothing covers anything."""
    places = set()
    for state in ("live", "archive", "demo ended", "reconnecting"):
        page.evaluate("text => { document.getElementById('pulse').textContent = text }", state)
        boxes = page.evaluate(
            """() => [".brand", "#pulse", "#find"].map((name) => {
                const range = document.createRange();
                range.selectNodeContents(document.querySelector(name));
                const element = document.querySelector(name).getBoundingClientRect();
                const text = range.getBoundingClientRect();
                return {
                    left: Math.min(element.left, text.left || 1e9), top: element.top,
                    right: Math.max(element.right, text.right), bottom: element.bottom,
                };
            })"""
        )
        assert not any(overlap(one, other) for one, other in combinations(boxes, 2)), state
        places.add(str(boxes[2]))
    return places
