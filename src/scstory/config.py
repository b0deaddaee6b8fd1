"""Settings: defaults < TOML file < environment < flags.

The file is the one that ``--config`` or SCSTORY_CONFIG names, or ``scstory.toml`` in the working
folder if it exists. Environment variables are SCSTORY_DB, SCSTORY_PRESET and so on. Parameters of
the method are in the TOML table ``[discovery]`` or in variables such as SCSTORY_DISCOVERY__DELTA;
settings of feeds are in the table ``[feeds]`` or in variables such as SCSTORY_FEEDS__TIMEOUT, and
those of rewriting in ``[rewrite]`` or in variables such as SCSTORY_REWRITE__URL.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from scstory._version import __version__
from scstory.errors import ConfigError

LANGUAGE = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*"
"""The tag of a language."""
SETTINGS_FILE = "scstory.toml"
VARIABLE_PREFIX = "SCSTORY_"
OTHER_VARIABLES = ("CONFIG", "CACHE")
"""Variables that are not settings: the file of settings, and the folder of caches."""
TABLES, LISTS = ("feeds", "rewrite", "discovery"), ("allow_hosts", "allow_origins")
"""Settings that are tables, and those that are lists."""


class _Checked(BaseModel):
    @field_validator("*", mode="before")
    @classmethod
    def _refuse_booleans(cls, value: Any, info: ValidationInfo) -> Any:
        kind = cls.model_fields[str(info.field_name)].annotation
        if isinstance(value, bool) and kind is not bool:
            raise ValueError("must not be true or false")
        return value


class FeedSettings(_Checked):
    """Settings of feeds: the TOML table ``[feeds]``, variables such as SCSTORY_FEEDS__TIMEOUT."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    allow_private: bool = False
    """Whether private, loopback and other non-public addresses may be fetched."""
    proxy: str | None = Field(default=None, examples=["http://proxy.example:3128"])
    """A proxy for all requests. HTTP_PROXY and similar variables are ignored."""
    timeout: float = Field(default=30, gt=0, le=3600)
    """Seconds of a request, from resolving the name to the last byte, redirects included."""
    max_bytes: int = Field(default=10_000_000, ge=1_000)
    """The largest feed, decompressed."""
    max_page_bytes: int = Field(default=3_000_000, ge=1_000)
    """The largest page, decompressed."""
    max_items: int = Field(default=500, ge=1)
    """The most items of a feed that are read, from its top."""
    full_text: bool = True
    """Whether the linked page is fetched if the feed has only a summary."""
    full_text_from: int = Field(default=1_000, ge=1)
    """The length in characters from which a feed's content counts as the full text."""
    requests: int = Field(default=8, ge=1, le=256)
    """The most concurrent requests, all to different hosts."""
    host_interval: float = Field(default=1, ge=0, le=3600)
    """Seconds between two requests to the same host."""
    min_interval: str = "5m"
    """The shortest time between two polls of a feed."""
    max_interval: str = "6h"
    """The longest time between two polls of a feed."""
    user_agent: str = Field(
        default=f"scstory/{__version__} (news story discovery; feed reader)", pattern=r"^[ -~]+$"
    )
    """The User-Agent header. A contact address in it is a courtesy."""
    newsapi_url: str = "https://newsapi.org/v2/everything"
    """The address of NewsAPI for `newsapi:QUERY`."""

    @field_validator("min_interval", "max_interval")
    @classmethod
    def _positive(cls, value: str) -> str:
        try:
            if parse_duration(value, what="interval") <= timedelta(0):
                raise ValueError("must be longer than zero")
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return value

    @property
    def intervals(self) -> tuple[float, float]:
        """The shortest and the longest time between two polls of a feed, in seconds."""
        shortest = parse_duration(self.min_interval).total_seconds()
        return shortest, max(shortest, parse_duration(self.max_interval).total_seconds())


class RewriteSettings(_Checked):
    """Settings of rewriting: the TOML table ``[rewrite]``, SCSTORY_REWRITE__URL and so on."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    url: str | None = Field(
        default=None, pattern=r"^https?://[^\s?#]+$", examples=["http://127.0.0.1:11434/v1"]
    )
    """The OpenAI-compatible address of a language model, without /chat/completions. Only if it is
    set, a service sends the summaries of its stories there to be rewritten."""
    model: str | None = Field(default=None, min_length=1, examples=["qwen2.5:7b"])
    """The name of the model; required with an address."""
    key: SecretStr | None = Field(default=None, examples=["a-secret"])
    """The key that the address asks for, if it does. SCSTORY_REWRITE__KEY keeps it out of this
    file."""
    timeout: float = Field(default=120, gt=0, le=3600)
    """Seconds of a request."""
    min_articles: int = Field(default=3, ge=2)
    """The fewest articles of a story whose summary is rewritten."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.url and not self.model:
            raise ValueError("url is set, but no model; set rewrite.model")
        return self


class Settings(_Checked):
    """The settings of a command. Each field is also a flag, a variable and a TOML key."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    db: str = "scstory.db"
    """The database: a path, or postgresql://USER@HOST/NAME."""
    preset: str | None = Field(default=None, examples=["default"])
    """The method: default, or paper for the one as published. A database keeps its own."""
    encoder: str | None = Field(default=None, examples=["auto"])
    """The sentence encoder: auto (by the languages of the first articles), minilm-int8, minilm (in
    32 bits), use-multilingual (16 languages), hashing, or the name or folder of a
    sentence-transformers model."""
    device: str | None = Field(default=None, examples=["cpu"])
    """Where the models compute: cpu or cuda."""
    threads: int | None = Field(default=None, ge=1, le=1024, examples=[2])
    """CPU threads; all unless given, and for a service all but one."""
    runner: Literal["local", "ray"] = "local"
    """Where sentences are encoded: local, or ray for a cluster."""
    ray_address: str = Field(default="auto", min_length=1)
    """The cluster: auto is the one that this machine belongs to; or HOST:PORT; or local."""
    max_characters: int = Field(default=1_000_000, ge=1)
    """The longest article that is accepted."""
    host: str = "127.0.0.1"
    """The address on which the service listens."""
    port: int = Field(default=8765, ge=0, le=65535)
    """The port of the service; any free one if 0."""
    allow_hosts: list[str] = Field(default_factory=list)
    """Host names under which the service is reached, besides IP addresses and localhost."""
    allow_origins: list[str] = Field(default_factory=list)
    """Web sites that may read the API from a browser (CORS): https://app.example, or * for all."""
    token: SecretStr | None = Field(default=None, min_length=8, examples=["a-long-secret"])
    """What requests that write must show. SCSTORY_TOKEN keeps it out of this file; if there is
    none, the service generates one at each start."""
    language: str | None = Field(default=None, pattern=f"^{LANGUAGE}$", examples=["de"])
    """The language of titles and summaries, where a story has articles in it. Unless it is set,
    pages follow the reader's browser, and commands show each story in the language that it has."""
    images: bool = False
    """Whether the pages show the images that feeds name. The service fetches them, not the reader's
    browser, so outlets do not see who reads."""
    discovery: dict[str, str | float | int | bool] = Field(default_factory=dict)
    """Parameters of the method."""
    feeds: FeedSettings = Field(default_factory=FeedSettings)
    """How feeds and pages are fetched."""
    rewrite: RewriteSettings = Field(default_factory=RewriteSettings)
    """A language model that rewrites the summaries of stories: none unless its address is set."""

    @field_validator("allow_origins")
    @classmethod
    def _origins(cls, value: list[str]) -> list[str]:
        for origin in value:
            if origin != "*" and not re.fullmatch(r"https?://[^/?#\s]+/?", origin):
                raise ValueError(f"{origin[:100]!r} is no origin; write https://app.example, or *")
        return value


def load_settings(*, config: str | None = None, **flags: Any) -> Settings:
    """Return the effective settings. A flag that is None was not given."""
    given = {name: value for name, value in flags.items() if value not in (None, {})}
    _refuse_misspelt(os.environ)
    named = config or os.environ.get(f"{VARIABLE_PREFIX}CONFIG")
    if named and not Path(named).is_file():
        raise ConfigError(
            f"{_short(named)}: no such file; --config names a TOML file with settings"
        )
    file = Path(named or SETTINGS_FILE)
    merged: dict[str, Any] = {}
    for source in (_from_file(file), _from_environment(os.environ), given):
        merged = _merged(merged, source)
    try:
        return Settings(**merged)
    except ValidationError as error:
        first = error.errors()[0]
        where = _short(".".join(str(part) for part in first["loc"]))
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"setting {where}: {_no_such(where, _names())}") from error
        shown = "" if where == "token" else f" (value {_short(repr(first['input']))})"
        raise ConfigError(f"setting {where}: {first['msg']}{shown}") from error


def _from_file(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except ValueError as error:  # neither UTF-8 nor TOML
        raise ConfigError(f"settings in {_short(str(file))}: {_short(str(error))}") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that variables set; a variable of a table sets one of its entries."""
    found: dict[str, Any] = {}
    for variable, value in environment.items():
        name = variable.upper().removeprefix(VARIABLE_PREFIX).lower()
        table, entry = name.partition("__")[::2]
        if name == variable.lower():
            continue
        if table in TABLES and entry:
            found = _merged(found, {table: {entry: value}})
        elif name in (*TABLES, *LISTS):
            found = _merged({name: _parsed(variable, value)}, found)
        elif name in Settings.model_fields:
            found[name] = value
    return found


def _parsed(variable: str, value: str) -> Any:
    """Return the list or table that a variable holds as JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ConfigError(
            f'variable {variable}: must be JSON, as in ["news.example.org"] '
            f"(value {_short(repr(value))})"
        ) from None


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of which those of `above` count; tables are merged entry by entry."""
    merged = dict(below)
    for name, value in above.items():
        other = merged.get(name)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            value = {**other, **value}
        merged[name] = value
    return merged


def _short(text: str) -> str:
    """Return text on one line, cut after 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


def _names() -> list[str]:
    """Return the names of all settings in TOML."""
    own = [name for name in Settings.model_fields if name not in TABLES]
    return [
        *own,
        *(f"feeds.{name}" for name in FeedSettings.model_fields),
        *(f"rewrite.{name}" for name in RewriteSettings.model_fields),
    ]


def _refuse_misspelt(environment: Iterable[str]) -> None:
    """Raise ConfigError for a variable with our prefix that is not a setting."""
    known = {*(name.lower() for name in OTHER_VARIABLES), *Settings.model_fields}
    for variable in sorted(environment):
        name = variable.upper().removeprefix(VARIABLE_PREFIX).lower()
        if name == variable.lower() or name in known or name.partition("__")[0] in TABLES:
            continue
        table, _, rest = name.partition("_")
        names = [f"{table}.{rest}"] if table in TABLES else [*_names(), *OTHER_VARIABLES]
        variables = [name.replace(".", "__").upper() for name in names]
        raise ConfigError(
            f"variable {variable}: {_no_such(name.upper(), variables, VARIABLE_PREFIX)}"
        )


def _no_such(name: str, names: list[str], prefix: str = "") -> str:
    near = [prefix + found for found in get_close_matches(name, names, n=1)]
    there = ", ".join(prefix + known for known in names)
    return f"no such setting; {f'did you mean {near[0]}?' if near else f'there are {there}'}"


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_duration(value: str, *, what: str = "duration") -> timedelta:
    """Return a duration such as ``7d``, ``12h`` or ``30m``.

    >>> parse_duration("36h")
    datetime.timedelta(days=1, seconds=43200)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*", value)
    if not match:
        raise ConfigError(
            f"{what} {value!r}: write a number and one of s, m, h, d, w, as in 7d or 12h"
        )
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError:
        raise ConfigError(f"{what} {value!r}: too long") from None
