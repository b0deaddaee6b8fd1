"""Takes the pictures of the README and of docs/ anew, of the demonstration at its end.

`make pictures` runs it. The pictures of what an editor does are taken last, signed in, after a
story was renamed and two things are followed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "front": ("/", {"viewport": {"width": 1240, "height": 1020}}),
    "story": ("/stories/{}", {"viewport": {"width": 900, "height": 1100}}),
    "map": ("/map", {"viewport": {"width": 1100, "height": 760}, "color_scheme": "dark"}),
    "phone": ("/", {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}),
    "sections": ("/sections", {"viewport": {"width": 1100, "height": 760}}),
    "threads": ("/threads", {"viewport": {"width": 1100, "height": 620}}),
    "thread": ("/threads/{thread}", {"viewport": {"width": 1100, "height": 560}}),
}
AS_EDITOR: dict[str, tuple[str, dict[str, Any]]] = {
    "desk": ("/stories/{}", {"viewport": {"width": 1240, "height": 1240}}),
    "following": ("/following", {"viewport": {"width": 1240, "height": 860}}),
    "webhooks": ("/webhooks", {"viewport": {"width": 1100, "height": 980}, "color_scheme": "dark"}),
}
TOKEN = secrets.token_urlsafe(16)


def main() -> None:
    """Start the demonstration, wait for its end, take the pictures, stop it."""
    command = [sys.executable, "-m", "scstory", "serve", "--demo", "--port", "0"]
    own = {**os.environ, "SCSTORY_TOKEN": TOKEN}
    demo = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=own)
    try:
        assert demo.stderr is not None
        told = re.search(r"http://[\d.:]+", demo.stderr.readline())
        assert told, "the demonstration did not start"
        _wait_for_the_end(told[0])
        _take(told[0])
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait(30)


def _wait_for_the_end(address: str) -> None:
    """Wait until nothing has changed for a while."""
    last, since = "", time.monotonic()
    while time.monotonic() - since < 10:
        text = urlopen(f"{address}/metrics").read().decode()
        now = "".join(re.findall(r"^scstory_(?:articles|waiting|commits) \S+$", text, re.M))
        if now != last or "scstory_articles 0.0" in now:
            last, since = now, time.monotonic()
        time.sleep(1)


def _take(address: str) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        places = {"story": _number(f"{address}/api/stories?sort=size&limit=1")}
        places["thread"] = _number(f"{address}/api/threads?limit=1")
        for name, (path, options) in PICTURES.items():
            page = browser.new_context(**options).new_page()
            page.goto(address + path.format(places["story"], **places))
            if name == "story":
                page.evaluate("document.querySelector('details').open = true")
            _shoot(page, name)
        _edit(address, places["story"])
        for name, (path, options) in AS_EDITOR.items():
            page = browser.new_context(**options).new_page()
            page.goto(f"{address}/sign-in?next={path.format(places['story'])}")
            page.fill("#token", TOKEN)
            page.press("#token", "Enter")
            page.wait_for_url(f"**{path.format(places['story'])}")
            _shoot(page, name)
        browser.close()


def _number(address: str) -> int:
    found = re.search(rb'"id":(\d+)', urlopen(address).read())
    assert found, f"{address}: nothing to show"
    return int(found[1])


def _shoot(page: Page, name: str) -> None:
    page.wait_for_timeout(2_000)
    with Image.open(BytesIO(page.screenshot())) as taken:
        small = taken.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(HERE / f"{name}.png", optimize=True)


def _edit(address: str, story: int) -> None:
    """Rename and pin a story, follow it and a search, and register a webhook."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("corrections", {"kind": "rename", "story": story, "title": "Measles in Hollin Vale"}),
        ("corrections", {"kind": "pin", "story": story}),
        ("follows", {"kind": "story", "target": str(story)}),
        ("follows", {"kind": "query", "target": "ferry AND strike"}),
        ("webhooks", {"url": "https://example.org/hook", "query": "ferry AND strike"}),
    ]
    for path, body in asked:
        request = Request(f"{address}/api/{path}", json.dumps(body).encode(), headers)
        urlopen(request).close()


if __name__ == "__main__":
    main()
