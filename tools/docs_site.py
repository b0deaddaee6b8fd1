"""What MkDocs needs to make the documentation site: the pages that are written from the code.

`make docs` runs it as a hook. The pages of `docs/` are also read as files of the repository, so
their links to other files of the repository are adapted here.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, get_args

ROOT = Path(__file__).parent.parent
REPOSITORY_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages outside of docs/ that are part of the site."""


def generated_pages() -> dict[str, Callable[[], str]]:
    """Return what makes each page that is written from the code, by its path in the site."""
    return {
        "reference/cli.md": cli_page,
        "reference/settings.md": settings_page,
        "reference/library.md": library_page,
        "reference/http.md": http_page,
        **{
            page: partial((ROOT / name).read_text, "utf-8")
            for name, page in REPOSITORY_PAGES.items()
        },
    }


# -- hooks of MkDocs ------------------------------------------------------------------------------


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are written from the code."""
    from mkdocs.structure.files import File

    for path, make in generated_pages().items():
        files.append(File.generated(config, path, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Adapt links to files of the repository."""
    return adapted(markdown, page.file.src_uri)


def adapted(markdown: str, source: str) -> str:
    """Return a page with links that lead somewhere on the site.

    What is on the site is linked there; of links to other files of the repository, such as code,
    the text remains.
    """
    folder = "" if source in REPOSITORY_PAGES.values() else posixpath.join("docs", source, "..")

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match["text"], match["target"], match["anchor"] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        if path == "README.md":  # the front page of the site says the same in other sections
            path, anchor = "docs/index.md", ""
        elif path in REPOSITORY_PAGES:
            path = f"docs/{REPOSITORY_PAGES[path]}"
        if not path.startswith("docs/"):
            return str(text)
        start = posixpath.dirname(source)
        return f"[{text}]({posixpath.relpath(path.removeprefix('docs/'), start or '.')}{anchor})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    pattern = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)#\s]*)(?P<anchor>#[^)]*)?\)")
    return "".join(p if p.startswith("```") else pattern.sub(link, p) for p in parts)


# -- the command line -----------------------------------------------------------------------------


def cli_page() -> str:
    """Return the reference of all commands, from the commands."""
    from typer.main import get_command

    from scstory.cli import app

    parts = [
        "# Commands",
        "`scstory COMMAND --help` shows the same. The exit code is 0 if a command is done, 1 if it "
        "failed, 2 if it was called in a wrong way, and 130 if it was interrupted. "
        "[Settings](settings.md) may take the place of many options.",
    ]
    for path, command in _commands(get_command(app), "scstory"):
        parts += [f"## {path}", _sentences(command.help or "")]
        usage = " ".join([path, "[OPTIONS]", *_argument_names(command)])
        parts.append(f"```text\n{usage}\n```")
        rows = [
            (_parameter_name(p), p.help or "", _default(p))
            for p in command.params
            if p.opts != ["--help"]
        ]
        if rows:
            parts.append(_table(("parameter", "meaning", "default"), rows))
    return "\n\n".join(parts) + "\n"


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, sub in command.commands.items():
        if hasattr(sub, "commands"):
            yield from _commands(sub, f"{path} {name}")
        else:
            yield f"{path} {name}", sub


def _argument_names(command: Any) -> list[str]:
    found = [p for p in command.params if p.param_type_name == "argument"]
    names = [(p.metavar or p.name.upper()).strip("[]") for p in found]
    return [name if p.required else f"[{name}]" for p, name in zip(found, names, strict=True)]


def _parameter_name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{(parameter.metavar or parameter.name.upper()).strip('[]')}`"
    names = ", ".join(parameter.opts)
    if parameter.is_flag:
        return f"`{names}`"
    value = parameter.metavar or {int: "NUMBER", float: "NUMBER"}.get(_type(parameter), "TEXT")
    return f"`{names} {value}`"


def _type(parameter: Any) -> Any:
    """Return the type of an option, without the None that says it need not be given."""
    annotation = parameter.type_descriptor.annotation
    return next((kind for kind in get_args(annotation) if kind is not NoneType), annotation)


def _default(parameter: Any) -> str:
    if parameter.default in (None, False, ()) or not isinstance(
        parameter.default, (str, int, float, Path)
    ):
        return ""
    return f"`{parameter.default}`"


# -- settings -------------------------------------------------------------------------------------


def settings_page() -> str:
    """Return the reference of all settings, from their documentation."""
    from scstory.cli.settings_file import command_settings, method_settings, toml
    from scstory.config import FeedSettings, RewriteSettings, Settings

    def table(settings: Any) -> str:
        rows = [
            (f"`{s.name}`", f"`{toml(s.value)}`" if s.has_default else "–", s.about)
            for s in settings
        ]
        return _table(("setting", "default", "meaning"), rows)

    return "\n\n".join(
        [
            "# Settings",
            "Options override environment variables, these override the file `scstory.toml` in the "
            "working folder (or the one that `--config` or `SCSTORY_CONFIG` names), and the file "
            "overrides the defaults. `scstory init` writes such a file.",
            _table(
                ("as", "a setting", "a setting of feeds", "a parameter of the method"),
                [
                    (
                        "line of `scstory.toml`",
                        '`db = "news.db"`',
                        "`timeout = 10` below `[feeds]`",
                        "`delta = 0.3` below `[discovery]`",
                    ),
                    (
                        "variable",
                        "`SCSTORY_DB=news.db`",
                        "`SCSTORY_FEEDS__TIMEOUT=10`",
                        "`SCSTORY_DISCOVERY__DELTA=0.3`",
                    ),
                    ("option", "`--db news.db`", "–", "`--set delta=0.3`"),
                ],
            ),
            "The variable `SCSTORY_CACHE` names the folder of caches.",
            "## Commands\n\n" + table(command_settings(Settings)),
            "## Feeds\n\nIn the table `[feeds]`.\n\n" + table(command_settings(FeedSettings)),
            "## Rewriting\n\nIn the table `[rewrite]`.\n\n"
            + table(command_settings(RewriteSettings)),
            "## The default method\n\nIn the table `[discovery]`. Every number that can change "
            "which stories come out is one of these.\n\n" + table(method_settings("default")),
            '## The paper\'s method\n\nIn the table `[discovery]`, with `preset = "paper"`.\n\n'
            + table(method_settings("paper")),
        ]
    )


# -- the library ----------------------------------------------------------------------------------


def library_page() -> str:
    """Return the reference of the library; mkdocstrings fills in the docstrings."""
    parts = {
        "Discovery": ["scstory.discovery.story_discovery.StoryDiscovery"],
        "What goes in and what comes out": [
            f"scstory.types.{name}"
            for name in ("Article", "Assignment", "RunnerUp", "Story", "KeySentence", "Explanation")
        ],
        "Encoders": ["scstory.vectors.encoder.Encoder", "scstory.vectors.registry.make_encoder"],
        "Sources": ["scstory.feeds.source.Source", "scstory.feeds.registry.open_source"],
        "Scores": ["scstory.evaluation.metrics.score"],
        "Errors": ["scstory.errors"],
    }
    text = "# The library\n\n[How to use it](../library.md) comes with examples.\n"
    for heading, names in parts.items():
        text += f"\n## {heading}\n" + "".join(f"\n::: {name}\n" for name in names)
    return text


# -- HTTP -----------------------------------------------------------------------------------------


def http_page() -> str:
    """Return the reference of the HTTP interface, from its OpenAPI description."""
    from scstory.serve import Service, make_app
    from scstory.store.store_reader import SharedReader

    described = make_app(Service(SharedReader("no such file"))).openapi()
    parts = [
        "# The HTTP interface",
        "A running service describes itself at `/openapi.json`; this page is made from it. "
        "[Serving](../serve.md#the-api-by-example) shows the interface by example. Requests that "
        "write need the header `Authorization: Bearer TOKEN`.",
        "## Requests",
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts.append(f"### {method.upper()} {path}")
            parts.append(_sentences(operation.get("description") or operation["summary"]))
            parts += _request(operation)
    parts.append("## Objects")
    for name, schema in described["components"]["schemas"].items():
        if "properties" in schema:
            needed = schema.get("required", ())
            rows = [
                (f"`{field}`", _kind(s), "yes" if field in needed else "", s.get("description", ""))
                for field, s in schema["properties"].items()
            ]
            parts += [f"### {name}", _sentences(schema.get("description", ""))]
            parts.append(_table(("field", "type", "always", "meaning"), rows))
    return "\n\n".join(filter(None, parts)) + "\n"


def _request(operation: dict[str, Any]) -> Iterator[str]:
    rows = [
        (f"`{p['name']}`", p["in"], _kind(p["schema"]), p.get("description", ""))
        for p in operation.get("parameters", ())
    ]
    if rows:
        yield _table(("parameter", "in", "type", "meaning"), rows)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"Body: {_kind(content['schema'])} as `{kind}`."
    yield _table(
        ("response", "content", "meaning"),
        [
            (
                code,
                "; ".join(_kind(c.get("schema", {})) or kind for kind, c in _content(answer)),
                answer["description"],
            )
            for code, answer in operation["responses"].items()
        ],
    )


def _content(answer: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(answer.get("content", {}).items())


def _kind(schema: dict[str, Any]) -> str:
    """Return the type of a value in words, with a link where it is an object of its own."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(filter(None, map(_kind, schema[several])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {})) or 'values'}"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = str(schema.get("type", ""))
    return f"{kind} ({schema['format']})" if "format" in schema else kind


# -- Markdown -------------------------------------------------------------------------------------


def _sentences(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
