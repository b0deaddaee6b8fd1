"""The text of a ``scstory.toml``, made from the settings and their documentation."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from scstory.config import FeedSettings, RewriteSettings, Settings
from scstory.discovery.presets import PRESETS

WIDTH = 96
TABLES = ("discovery", "feeds", "rewrite")
FREQUENT = ("window", "slide", "delta", "resume", "max_sentences", "seed")
"""Parameters of the default method that users change; all others only with ``--all``."""
HEAD = """\
Settings of scstory. A line without # takes effect; what is commented out shows the default, or
an example where there is none. Environment variables such as SCSTORY_DB override this file, and
options such as --db override both. scstory reads scstory.toml in the folder in which it is
started, or the file that --config or SCSTORY_CONFIG names."""
DISCOVERY = """\
Parameters of the method, which decide which stories come out. A database keeps those that it was
made with, and refuses others."""
MORE = "scstory init --all writes all parameters of a preset."


class Setting(NamedTuple):
    """A setting as it is documented."""

    name: str
    value: Any
    """Its default, or an example if it has none."""
    about: str
    has_default: bool


def documentation(kind: type[Any]) -> dict[str, str]:
    """Return the docstring below each field of a class and of those it inherits from."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("scstory."):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                found[field.target.id] = inspect.cleandoc(str(below.value.value))
    return found


def command_settings(
    kind: type[Settings] | type[FeedSettings] | type[RewriteSettings],
) -> Iterator[Setting]:
    """Yield the settings of a command, or those of feeds or of rewriting."""
    about = documentation(kind)
    for name, field in kind.model_fields.items():
        if kind is Settings and name in TABLES:
            continue
        value = field.get_default(call_default_factory=True)
        given = value is not None
        yield Setting(name, value if given else (field.examples or [""])[0], about[name], given)


def method_settings(preset: str) -> Iterator[Setting]:
    """Yield the parameters of a preset, those that all methods have first."""
    settings = PRESETS[preset]
    about = documentation(type(settings))
    for field in fields(settings):
        yield Setting(field.name, getattr(settings, field.name), about[field.name], True)


def settings_file(preset: str | None = None, *, every: bool = False) -> str:
    """Return the text of a file of settings, with the parameters of a preset."""
    parts = [_comment(HEAD)]
    for setting in command_settings(Settings):
        chosen = setting.name == "preset" and preset is not None
        parts.append(_entry(setting._replace(value=preset) if chosen else setting, active=chosen))
    parameters = [s for s in method_settings(preset or "default") if every or s.name in FREQUENT]
    more = "" if every else "\n" + MORE
    parts += ["[discovery]\n" + _comment(DISCOVERY + more), *map(_entry, parameters)]
    about = documentation(Settings)
    for table, kind in (("feeds", FeedSettings), ("rewrite", RewriteSettings)):
        parts.append(f"[{table}]\n{_comment(about[table])}")
        parts += map(_entry, command_settings(kind))
    return "\n\n".join(parts) + "\n"


def _entry(setting: Setting, *, active: bool = False) -> str:
    line = f"{setting.name} = {toml(setting.value)}"
    return _comment(setting.about) + "\n" + (line if active else f"# {line}")


def _comment(text: str) -> str:
    lines = textwrap.wrap(" ".join(text.split()), WIDTH)
    return "\n".join(f"# {line}" for line in lines)


def toml(value: Any) -> str:
    """Return a value as TOML writes it, which for these is as JSON does.

    >>> toml(True), toml("7d"), toml(["a"])
    ('true', '"7d"', '["a"]')
    """
    return json.dumps(value, ensure_ascii=False)
