"""Takes the README's pictures anew, of the demonstration at its end: `make pictures`."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "front": ("/", {"viewport": {"width": 1240, "height": 1020}}),
    "story": ("/stories/{}", {"viewport": {"width": 900, "height": 1100}}),
    "map": ("/map", {"viewport": {"width": 1100, "height": 760}, "color_scheme": "dark"}),
    "phone": ("/", {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}),
}


def main() -> None:
    """Start the demonstration, wait for its end, take the pictures, stop it."""
    command = [sys.executable, "-m", "scstory", "serve", "--demo", "--port", "0"]
    demo = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
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
        largest = f"{address}/api/stories?sort=size&limit=1"
        story = re.search(rb'"id":(\d+)', urlopen(largest).read())
        assert story, "no story to show"
        for name, (path, options) in PICTURES.items():
            page = browser.new_context(**options).new_page()
            page.goto(address + path.format(int(story[1])))
            if name == "story":
                page.evaluate("document.querySelector('details').open = true")
            page.wait_for_timeout(2_000)
            with Image.open(BytesIO(page.screenshot())) as taken:
                small = taken.convert("RGB").quantize(256, dither=Image.Dither.NONE)
                small.save(HERE / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
