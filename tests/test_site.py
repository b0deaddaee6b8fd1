"""The documentation site: it builds without a warning, and its reference is that of the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scstory.config import FeedSettings, RewriteSettings, Settings
from scstory.discovery.presets import PRESETS

ROOT = Path(__file__).parent.parent
KINDS = ["Tutorial", "How-to guides", "Reference", "Explanation"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` does: a warning, such as a broken link, is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def in_order(entry):
    """Return the pages below an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [p for e in (entry.values() if isinstance(entry, dict) else entry) for p in in_order(e)]


def test_every_page_is_of_one_kind():
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    front, *kinds = config["nav"]
    assert front == "index.md"
    assert [next(iter(kind)) for kind in kinds] == KINDS
    pages = in_order(kinds)
    assert len(pages) == len(set(pages))
    there = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert there <= set(pages)


def test_the_site_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:[^"]*)"', text)
        assert [address for address in loaded if "rel=canonical" not in address] == []


def test_every_command_has_a_section(site):
    from typer.main import get_command

    from scstory.cli import app

    text = (site / "reference" / "cli.html").read_text("utf-8")
    commands = get_command(app).commands
    assert "run" in commands
    for name, command in commands.items():
        for path in [f"{name} {sub}" for sub in getattr(command, "commands", ())] or [name]:
            assert f">scstory {path}<" in text


def test_every_setting_has_a_row(site):
    text = (site / "reference" / "settings.html").read_text("utf-8")
    names = [
        *Settings.model_fields,
        *FeedSettings.model_fields,
        *RewriteSettings.model_fields,
    ]
    for preset in PRESETS.values():
        names += preset.to_dict()
    for name in {*names} - {"feeds", "discovery", "rewrite"}:
        assert f"<code>{name}</code>" in text, name


def test_the_library_and_the_requests_are_described(site):
    library = (site / "reference" / "library.html").read_text("utf-8")
    for name in ("discover", "learn_one", "to_frame", "Assignment", "Encoder", "ScstoryError"):
        assert f"{name}" in library
    assert "in the order given" in library  # from a docstring
    http = (site / "reference" / "http.html").read_text("utf-8")
    assert "GET /api/stories" in http
    assert 'href="#receipts"' in http


def test_links_to_code_are_text_on_the_site(site):
    text = (site / "evaluate.html").read_text("utf-8")
    assert "significance.py" in text
    assert "../src" not in text
    assert 'href="reference/settings.html"' in text


def test_links_between_pages_remain(site):
    assert 'href="../library.html"' in (site / "reference" / "library.html").read_text("utf-8")
    assert 'href="inside.html"' in (site / "contributing.html").read_text("utf-8")
    assert 'href="contributing.html"' in (site / "index.html").read_text("utf-8")
