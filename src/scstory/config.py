"""Settings: defaults < TOML file < environment < flags.

A file ``scstory.toml`` in the working folder is read if it is there, or the one that
``--config`` or SCSTORY_CONFIG names. The environment says SCSTORY_DB, SCSTORY_PRESET and so on;
parameters of the algorithm are SCSTORY_DISCOVERY__DELTA or, in TOML, a table ``[discovery]``.
"""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from scstory.errors import ConfigError

DEFAULT_FILE = "scstory.toml"


class Settings(BaseSettings):
    """What a command is run with. Each field is also a flag, a variable and a TOML key."""

    model_config = SettingsConfigDict(
        env_prefix="SCSTORY_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    db: str = "scstory.db"
    preset: str | None = None
    encoder: str | None = None
    device: str | None = None
    threads: int | None = Field(default=None, ge=1, le=1024)
    max_characters: int = Field(default=1_000_000, ge=1)
    host: str = "127.0.0.1"
    port: int = Field(default=8765, ge=0, le=65535)
    allow_hosts: list[str] = Field(default_factory=list)
    token: SecretStr | None = Field(default=None, min_length=8)
    discovery: dict[str, str | float | int | bool] = Field(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put flags first, then the environment, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(*, config: str | None = None, **flags: Any) -> Settings:
    """Return the settings in force. Flags that were not given are None and do not count."""
    given = {name: value for name, value in flags.items() if value not in (None, {})}
    named = config or os.environ.get("SCSTORY_CONFIG")
    if named and not Path(named).is_file():
        raise ConfigError(f"{named}: no such file; --config names a TOML file with settings")
    file = named or DEFAULT_FILE

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=file)

    try:
        return FromFile(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        shown = "" if where == "token" else f" (value {first['input']!r})"
        raise ConfigError(f"setting {where}: {first['msg']}{shown}") from error
    except (ValueError, SettingsError) as error:
        raise ConfigError(f"settings in {file} or the environment: {error}") from error


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
