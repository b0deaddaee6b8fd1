"""What commands import: reading a database needs no torch, and running needs no research library.

Each test runs commands in a process of its own, where nothing has been imported yet.
"""

import json
import os
import subprocess
import sys

QUICK = ("asyncio", "filelock", "scstory.discovery.engine", "jinja2", "fastapi", "trafilatura")
"""What the commands that people type all day do not import either: it would double their time."""
HEAVY = ("torch", "onnxruntime", "onnx", "scipy", "sklearn", "transformers", "ray", "matplotlib")
RESEARCH = ("igraph", "matplotlib", "river", "snowballstemmer")

RUN = """
import contextlib, io, json, sys
from scstory.cli import main

COMMANDS, NAMES = map(json.loads, sys.argv[1:])

def run(arguments):
    sys.argv = ["scstory", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as exit_:
            return {"code": exit_.code, "out": out.getvalue(), "err": err.getvalue()}
"""
LIST = """
from scstory.cli import app
from typer.main import get_command

def names(command):
    yield []
    for name, sub in getattr(command, "commands", {}).items():
        yield from ([name, *rest] for rest in names(sub))

helps = [[*name, "--help"] for name in names(get_command(app))]
for arguments in [*helps, *COMMANDS]:
    outcome = run(arguments)
    loaded = [name for name in NAMES if name in sys.modules]
    print(json.dumps({"command": arguments, "loaded": loaded, **outcome}))
"""
HIDE = """
import json, sys

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

HIDDEN = json.loads(sys.argv[2])
sys.meta_path.insert(0, Hide())
"""
EACH = """
import importlib, pkgutil
import scstory

for module in pkgutil.walk_packages(scstory.__path__, "scstory."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for arguments in COMMANDS:
    print(json.dumps(run(arguments)))
"""


def outcomes(code, commands, names, folder):
    """Run commands in one fresh process; return what became of each."""
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands), json.dumps(names)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "SCSTORY_CACHE": str(folder / "cache")},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_commands_that_only_read_import_nothing_heavy(db, tmp_path):
    commands = [
        ["stories"],
        ["stories", "--all", "--json"],
        ["story", "1"],
        ["explain", "a001"],
        ["doctor"],
        ["backup", "copy.db"],
        ["compact", "--older-than", "90d"],
        ["feeds", "add", "https://news.example/feed.xml", "--unchecked"],
        ["feeds", "list"],
        ["feeds", "export"],
        ["feeds", "remove", "https://news.example/feed.xml"],
        ["--version"],
    ]
    found = outcomes(RUN + LIST, commands, HEAVY, tmp_path)
    assert len(found) > 20 + len(commands)
    for outcome in found:
        assert outcome["code"] == 0, outcome
        assert outcome["loaded"] == [], outcome["command"]


def test_looking_at_stories_imports_little(db, tmp_path):
    commands = [["stories"], ["story", "1"], ["explain", "a001"]]
    code = RUN + LIST.replace("[*helps, *COMMANDS]", "COMMANDS")
    for outcome in outcomes(code, commands, QUICK, tmp_path):
        assert outcome["code"] == 0, outcome
        assert outcome["loaded"] == [], outcome["command"]


def test_help_imports_no_more_than_the_command_line(tmp_path):
    (outcome,) = outcomes(
        RUN + LIST.replace("[*helps, *COMMANDS]", "COMMANDS"),
        [["--help"]],
        (*QUICK, "numpy", "pydantic", "rich", "sqlite3"),
        tmp_path,
    )
    assert (outcome["code"], outcome["loaded"]) == (0, [])


def test_what_only_research_needs_is_asked_for_by_name(labelled, tmp_path):
    file = str(labelled(items=5))
    needs = {
        "newslens": "igraph",
        "densps+pse": "igraph",
        "textclust": "river",
        "batclus": "snowballstemmer",
    }
    commands = [["evaluate", file, "--system", system] for system in needs]
    commands.append(["study", "overall", file])
    commands.append(["evaluate", file, "--encoder", "hashing:64", "--threads", "1", "--json"])
    *refused, done = outcomes(HIDE + RUN + EACH, commands, RESEARCH, tmp_path)
    for outcome, library in zip(refused, [*needs.values(), "matplotlib"], strict=True):
        assert outcome["code"] == 2
        assert outcome["out"] == ""
        assert f"needs {library}, which is not installed" in outcome["err"]
        assert outcome["err"].endswith("install it with: pip install 'scstory[research]'\n")
        assert outcome["err"].count("\n") == 1
    assert done["code"] == 0, done["err"]
    assert json.loads(done["out"])["system"] == "scstory"
