"""Settings of a method: every number that can change which stories come out.

They are frozen, documented field by field, checked when they are made, and saved with the state.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from scstory.config import parse_duration
from scstory.errors import ConfigError, StoreError
from scstory.text import read
from scstory.types import Article, Reading

MAX_DURATION = timedelta(days=300_000)
"""Longer than any stream, and short enough for dates."""


def number(default: float, low: float, high: float) -> Any:
    """Return a field for a number between two bounds, both included."""
    return field(default=default, metadata={"range": (low, high)})


def duration(default: str, *, optional: bool = False) -> Any:
    """Return a field for a duration such as 7d, which may be empty if it is optional."""
    return field(default=default, metadata={"duration": True, "optional": optional})


@dataclass(frozen=True, kw_only=True)
class MethodSettings:
    """What every method is run with."""

    window: str = duration("7d")
    """Time scope of ongoing stories."""
    slide: str = duration("1d")
    """How far the window moves at a time; a method learns when a slide closes."""
    max_sentences: int = number(50, 1, 10_000)
    """L: sentences read of an article, its title included."""
    lede_sentences: int = number(4, 0, 10_000)
    """Sentences after the title that make the lede."""
    english_share: float = number(0.9, 0, 1)
    """The share of the first articles in English from which the encoder `auto` is the one for
    English."""

    @property
    def window_length(self) -> timedelta:
        """The window as a duration."""
        return parse_duration(self.window, what="window")

    @property
    def slide_length(self) -> timedelta:
        """The slide as a duration."""
        return parse_duration(self.slide, what="slide")

    def read(self, article: Article) -> Reading:
        """Read an article as these settings say."""
        return self.reader()(article)

    def reader(self) -> partial[Reading]:
        """Return what reads an article as these settings say; it can be sent to other processes."""
        return partial(read, max_sentences=self.max_sentences, lede=self.lede_sentences)

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """Return these settings with some replaced by values from flags, files or variables."""
        kinds = get_type_hints(type(self))
        converted = {}
        for name, value in changes.items():
            if name not in kinds:
                near = get_close_matches(str(name), kinds, n=1)
                known = f"is {near[0]} meant?" if near else f"there are {', '.join(sorted(kinds))}"
                raise ConfigError(f"parameter {name!r}: no such parameter; {known}")
            converted[name] = convert(name, value, kinds[name])
        return replace(self, **converted).checked()

    def checked(self) -> Self:
        """Return these settings if all are usable, else raise with the value and its range."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            given = entry.metadata.get("duration") and (value or not entry.metadata["optional"])
            if given and parse_duration(value, what=entry.name) > MAX_DURATION:
                raise ConfigError(f"{entry.name} of {value}: must be at most {MAX_DURATION.days}d")
            if "range" in entry.metadata:
                low, high = entry.metadata["range"]
                if not low <= value <= high:  # also refuses NaN
                    raise ConfigError(f"{entry.name} of {value}: must be between {low} and {high}")
        if self.slide_length < timedelta(seconds=1):
            raise ConfigError(f"slide of {self.slide}: must be at least 1s; set slide")
        if self.window_length < self.slide_length:
            raise ConfigError(
                f"window of {self.window}: must be at least as long as the slide "
                f"({self.slide}); set window"
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a checkpoint."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the settings that a checkpoint holds."""
        try:
            return cls().with_changes(values)
        except (ConfigError, TypeError, AttributeError) as error:
            raise StoreError(f"saved parameters: damaged ({error}); restore a backup") from error


@dataclass(frozen=True, kw_only=True)
class LearningSettings(MethodSettings):
    """What every method with an article encoder M is run with."""

    heads: int = number(4, 1, 1024)
    """n: heads of the self-attention in M."""
    epochs: int = number(1, 0, 10_000)
    """Epochs after every slide."""
    batch_size: int = number(128, 1, 100_000)
    """Replayed articles in a batch, and as many augmented ones."""
    temperature: float = number(0.2, 1e-4, 1e4)
    """τ of the contrastive loss."""
    learning_rate: float = number(1e-5, 0, 10)
    """Step size of Adam."""
    learned: bool = True
    """Whether M is used at all; without it an article is the mean of its sentence vectors."""
    seed: int = number(0, 0, 2**63 - 1)
    """Seeds every random draw."""


def convert(name: str, value: Any, kind: Any) -> Any:
    """Return a value from a flag, file or variable as the type that a setting has."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"{name} of {value!r}: there are {', '.join(get_args(kind))}")
        return value
    if get_origin(kind) is Mapping and isinstance(value, Mapping):
        return dict(value)
    if kind is bool:
        if (word := str(value).lower()) in ("true", "1", "yes", "on", "false", "0", "no", "off"):
            return word in ("true", "1", "yes", "on")
        raise ConfigError(f"{name} of {value!r}: must be true or false")
    try:
        whole = not isinstance(value, float) or value.is_integer()
        if isinstance(value, bool) or (kind is int and not whole):
            raise ValueError
        return kind(value)
    except (TypeError, ValueError):
        noun = {int: "a whole number", float: "a number"}.get(kind, "text")
        raise ConfigError(f"{name} of {value!r}: must be {noun}") from None
