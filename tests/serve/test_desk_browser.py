"""Correcting stories in a real browser, with scripts and without, on a phone and a wide screen."""

import os
import shutil

import pytest

from tests.serve.browsing import WAIT, faults, needs_browser
from tests.serve.conftest import TOKEN, listening, writing

pytestmark = needs_browser


@pytest.fixture
def address(told, tmp_path):
    path = str(tmp_path / "desk.db")
    shutil.copy(told, path)
    with writing(path) as service, listening(service) as address:
        yield address


@pytest.fixture(params=[True, False], ids=["scripts", "plain"])
def page(browser, address, request):
    context = browser.new_context(
        base_url=address,
        java_script_enabled=request.param,
        color_scheme="dark" if request.param else "light",
        viewport={"width": 1280, "height": 900} if request.param else {"width": 390, "height": 800},
    )
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto("/sign-in?next=/stories/1")
    page.fill("input[name=token]", TOKEN)
    page.press("input[name=token]", "Enter")
    page.wait_for_url("**/stories/1")
    yield page
    context.close()


def picture(page, name):
    """Keep a picture of the page where somebody wants to look at it."""
    if folder := os.environ.get("SCSTORY_PICTURES"):
        kind = f"{page.viewport_size['width']}"
        page.screenshot(path=f"{folder}/{name}-{kind}.png", full_page=True)


def said(page):
    return page.inner_text(".banner.said")


def test_every_correction_is_made_on_the_page_and_undone(page):
    picture(page, "desk")
    page.fill("#desk-editor", "Ann")
    page.fill("#desk-rename", "High water at Alder")
    page.click("text=Rename")
    assert "to “High water at Alder”" in said(page)
    assert page.inner_text("h1") == "High water at Alder"
    assert "title by Ann" in page.inner_text("header .facts")
    # The key that sends forms presses no button by chance.
    page.press("#desk-editor", "Enter")
    assert "nothing chosen" in page.inner_text("main")
    page.goto("/stories/1")

    boxes = page.locator("input[name=article]")
    boxes.nth(0).check()
    page.fill("#desk-editor", "Ann")
    page.click("text=Split chosen articles out")
    assert "Split 1 article out of story 1" in said(page)
    split = page.url
    assert "placed by Ann" in page.inner_text(".piece")
    page.fill("#desk-target", "1")
    page.click("text=Merge into it")
    assert page.url.endswith("/stories/1")
    page.goto(split)
    assert page.url.endswith("/stories/1")  # the old address leads there
    page.locator(".corrections button").first.click()
    assert "Undid correction" in said(page)
    page.goto(split)
    assert page.url == split

    page.goto("/stories/1")
    page.locator("input[name=article]").nth(0).check()
    page.fill("#desk-target", "2")
    page.click("text=Move chosen articles to it")
    assert "Moved 1 article from story 1" in said(page)
    for button, state in (("Pin", "pinned by hand"), ("Hide", "hidden by hand")):
        page.click(f".desk button:text-is('{button}')")
        assert state in page.inner_text("header .facts")
    page.goto("/corrections")
    picture(page, "corrections")
    assert page.locator(".corrections li").count() == 7
    page.locator(".corrections button").first.click()
    assert "Undid correction 7" in said(page)
    page.goto("/")
    assert page.inner_text("article.story h2") == "High water at Alder"  # pinned, shown again
    assert "pinned by hand" in page.inner_text("article.story")
    picture(page, "pinned")


def test_what_cannot_be_done_is_said_and_nothing_changes(page):
    before = page.locator(".piece").count()
    for box in page.locator("input[name=article]").all():
        box.check()
    page.click("text=Split chosen articles out")
    assert "leave at least one" in page.inner_text("main")
    page.goto("/stories/1")
    page.fill("#desk-target", "1")
    page.click("text=Merge into it")
    assert "cannot be merged with itself" in page.inner_text("main")
    page.goto("/stories/1")
    assert page.locator(".piece").count() == before
    assert page.locator(".corrections").count() == 0


def test_two_editors_at_once(page, browser, address):
    other = page.context.new_page()
    other.goto("/stories/1")
    page.locator("input[name=article]").nth(0).check()
    page.click("text=Split chosen articles out")
    other.fill("#desk-target", "2")
    other.click("text=Merge into it")
    assert "changed meanwhile: split 1 article" in other.inner_text("main")


@pytest.mark.parametrize("page", [True], indirect=True, ids=["scripts"])
def test_the_pages_of_the_desk_are_accessible(page):
    for path in ("/stories/1", "/corrections"):
        page.goto(path)
        assert faults(page) == [], path


def test_readers_see_who_corrected_and_no_forms(page, browser, address):
    page.fill("#desk-editor", "Ann")
    page.click(".desk button:text-is('Pin')")
    reader = browser.new_context(base_url=address)
    shown = reader.new_page()
    shown.goto("/stories/1")
    assert "Ann" in shown.inner_text(".corrections")
    assert shown.locator("form.desk").count() == 0
    shown.goto("/corrections")
    assert shown.locator("main form").count() == 0
    reader.close()
