"""A browser for tests of the pages, and what is asked of every page."""

import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe

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

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is missing: apt-get install chromium"
)


def faults(page):
    """Return why a page is not accessible, or wider than the screen, as readers may see it."""
    found = []
    page.evaluate(Axe().axe_script)
    for scheme, width in (("light", 1280), ("light", 768), ("dark", 390)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"wider than {width}")
        if width != 768:
            run = "axe.run({resultTypes: ['violations']}).then(results => results.violations)"
            found += page.evaluate(run)
    return found
