"""The parameters of the algorithm, named as in the paper, and the settings that are known good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import timedelta
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

from scstory.config import parse_duration
from scstory.discovery.views import LEARNED, VIEWS
from scstory.errors import ConfigError, StoreError


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    """Everything that decides which stories come out. The defaults are the paper's."""

    window: str = "7d"
    """Time scope of ongoing stories."""
    slide: str = "1d"
    """How far the window moves at a time; articles are decided a slide at a time."""
    max_sentences: int = 50
    """L: sentences kept of an article, its title included."""
    delta: float = 0.5
    """δ: the confidence from which an article joins a story rather than found one."""

    heads: int = 4
    """n: heads of the self-attention in M."""
    attention_width: int = 0
    """Columns of all heads together; as many as a sentence vector has if 0."""
    pooling_width: int = 1
    """Columns of W_a; the paper's parameter counts leave room for one."""
    start: Literal["random", "identity"] = "random"
    """How M begins: drawn at random, or as the plain mean of the sentence vectors."""

    cold_start: Literal["kmeans", "none"] = "kmeans"
    """The first window: clustered as a whole, or assigned article by article like any other."""
    seed_size: int = 8
    """Articles per cluster that the first window is divided into."""
    warm_epochs: int = 10
    """Epochs M is trained on the first window's clusters."""

    epochs: int = 1
    """Epochs after every slide, of ⌊|W| / batch⌋ + 1 iterations each."""
    batch: int = 128
    """Replayed articles in a batch, and as many augmented ones."""
    batches: int = 0
    """Iterations an epoch has at most, however large the window; as many as above if 0."""
    refresh: int = 0
    """Articles that get a new vector after a slide at most, those that had theirs for longest
    first; all of the window if 0. Of a larger window, those whose story grew are rated anew."""
    temperature: float = 0.2
    """τ of the contrastive loss."""
    learning_rate: float = 1e-5
    """Step size of Adam."""

    learned: bool = True
    """Whether M is used at all; without it an article is the mean of its sentence vectors."""
    replay: Literal["confidence", "new"] = "confidence"
    """What M learns from: the memory by confidence, or just the slide's new articles."""
    memory: str = ""
    """How far back replay reaches, as in 14d; as far as the window if empty."""
    augmentation: Literal["attention", "pooling", "shuffle", "dropout", "none"] = "attention"
    """How augmented articles are made: halves of two articles ranked by attention received, by
    pooling weight or at random; or one article with some of its features dropped."""
    update: Literal["always", "first"] = "always"
    """Whether M learns after every slide or in the first window only."""
    update_share: float = 1.0
    """The share of slides, drawn at random, after which M learns."""
    replay_from: float = -1.0
    """The confidence from which an article is replayed, if higher than delta."""

    review: int = 0
    """Passes over the window after every slide: where confidence is calibrated, over articles that
    fit clearly better elsewhere; otherwise over the doubtful ones, which are assigned anew."""
    review_below: float = 0.85
    """The confidence below which an article is doubtful."""
    review_frozen: bool = False
    """Whether a pass holds the stories' vectors fixed while it reassigns."""

    centring: bool = False
    """Subtract the stream's running mean from every sentence vector."""
    views: str = LEARNED
    """What articles and stories are compared by, separated by commas (see `views`)."""
    calibrated: bool = False
    """Whether confidence is a probability fitted to the stream rather than the cosine of R."""
    timing: bool = True
    """Whether the time between article and story counts; only where confidence is calibrated."""
    resume: str = ""
    """How long a story that left the window can be taken up again, as in 30d; not at all if empty;
    only where confidence is calibrated."""

    seed: int = 0
    """Drives everything that is drawn at random."""

    @property
    def window_length(self) -> timedelta:
        """The window as a duration."""
        return parse_duration(self.window, what="window")

    @property
    def slide_length(self) -> timedelta:
        """The slide as a duration."""
        return parse_duration(self.slide, what="slide")

    @property
    def memory_length(self) -> timedelta:
        """How far back replay reaches, as a duration."""
        return parse_duration(self.memory or self.window, what="memory")

    @property
    def resume_length(self) -> timedelta:
        """How long a story can be taken up again, as a duration."""
        return parse_duration(self.resume, what="resume") if self.resume else timedelta(0)

    @property
    def compared(self) -> tuple[str, ...]:
        """The views by name, in the order they are listed in `VIEWS`."""
        given = [name.strip() for name in self.views.split(",")]
        for name in given:
            if name not in VIEWS:
                raise ConfigError(f"views of {self.views!r}: there are {', '.join(VIEWS)}")
        return tuple(name for name in VIEWS if name in given)

    def checked(self) -> Parameters:
        """Return these parameters if all are usable, else raise with the value and its range."""
        window, slide, _ = self.window_length, self.slide_length, self.memory_length
        _ = self.resume_length, self.compared
        if slide < timedelta(seconds=1):
            raise ConfigError(f"slide of {self.slide}: must be at least 1s; set slide")
        if window < slide:
            raise ConfigError(
                f"window of {self.window}: must be at least as long as the slide "
                f"({self.slide}); set window"
            )
        for name, low, high in (
            ("max_sentences", 1, 10_000),
            ("delta", -1, 1),
            ("heads", 1, 1024),
            ("attention_width", 0, 65_536),
            ("pooling_width", 1, 65_536),
            ("seed_size", 1, 1_000_000),
            ("warm_epochs", 0, 10_000),
            ("epochs", 0, 10_000),
            ("batch", 1, 100_000),
            ("batches", 0, 1_000_000),
            ("refresh", 0, 1_000_000_000),
            ("temperature", 1e-4, 1e4),
            ("learning_rate", 0, 10),
            ("update_share", 0, 1),
            ("replay_from", -1, 1),
            ("review", 0, 100),
            ("review_below", -1, 1),
            ("seed", 0, 2**63 - 1),
        ):
            value = getattr(self, name)
            if not low <= value <= high:  # also refuses NaN
                raise ConfigError(f"{name} of {value}: must be between {low} and {high}")
        if not self.calibrated and (self.compared != (LEARNED,) or self.resume):
            raise ConfigError(
                f"views of {self.views!r} and resume of {self.resume!r}: only {LEARNED!r} and '' "
                "where confidence is not calibrated; set calibrated to true"
            )
        if self.calibrated and not (0 < self.delta < 1 and LEARNED in self.compared):
            raise ConfigError(
                f"delta of {self.delta} and views of {self.views!r}: where confidence is "
                f"calibrated, delta is a probability and {LEARNED!r} one of the views"
            )
        if self.calibrated and self.cold_start != "none":
            raise ConfigError(
                f"cold_start of {self.cold_start!r}: must be none where confidence is calibrated"
            )
        return self


PRESETS: Mapping[str, Parameters] = {
    "paper": Parameters(),
    "default": Parameters(
        start="identity",
        cold_start="none",
        attention_width=96,
        batch=64,
        batches=1,
        refresh=64,
        learning_rate=1e-4,
        centring=True,
        delta=0.6,
        views=", ".join(VIEWS),
        calibrated=True,
        review=1,
        resume="30d",
    ),
}


def make_parameters(
    preset: str = "default", overrides: Mapping[str, Any] | None = None
) -> Parameters:
    """Return a preset with some of its parameters replaced.

    >>> make_parameters("paper", {"delta": "0.45"}).delta
    0.45
    """
    if preset not in PRESETS:
        raise ConfigError(f"preset {preset!r}: there are {', '.join(PRESETS)}")
    known = get_type_hints(Parameters)
    changes = {}
    for name, value in (overrides or {}).items():
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            way_out = f"is {near[0]} meant?" if near else f"there are {', '.join(sorted(known))}"
            raise ConfigError(f"parameter {name!r}: no such parameter; {way_out}")
        changes[name] = _convert(name, value, known[name])
    return replace(PRESETS[preset], **changes).checked()


def to_dict(parameters: Parameters) -> dict[str, Any]:
    """Return parameters as plain values, for a checkpoint."""
    return asdict(parameters)


def from_dict(values: Mapping[str, Any]) -> Parameters:
    """Return the parameters a checkpoint holds; those it does not know take their default."""
    known = {field.name for field in fields(Parameters)}
    try:
        found = {name: value for name, value in values.items() if name in known}
        return Parameters(**found).checked()
    except (TypeError, AttributeError) as error:
        raise StoreError(f"saved parameters: damaged ({error}); restore a backup") from error


def _convert(name: str, value: Any, kind: Any) -> Any:
    """Return a value from a flag, file or variable as the type the parameter has."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"{name} of {value!r}: there are {', '.join(get_args(kind))}")
        return value
    if kind is bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() in ("true", "1", "yes", "on", "false", "0", "no", "off"):
            return str(value).lower() in ("true", "1", "yes", "on")
        raise ConfigError(f"{name} of {value!r}: must be true or false")
    try:
        whole = not isinstance(value, float) or value.is_integer()
        if isinstance(value, bool) or (kind is int and not whole):
            raise ValueError
        return kind(value)
    except (TypeError, ValueError):
        noun = {int: "a whole number", float: "a number"}.get(kind, "text")
        raise ConfigError(f"{name} of {value!r}: must be {noun}") from None
