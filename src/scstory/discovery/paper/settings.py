"""The settings of the paper's method; the defaults are the paper's."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from scstory.config import parse_duration
from scstory.discovery.settings import LearningSettings, duration, number

Augmentation = Literal["attention", "pooling", "shuffle", "dropout", "none"]


@dataclass(frozen=True, kw_only=True)
class ContinualSettings(LearningSettings):
    """What the paper's method is run with, alone or as a part of another one."""

    delta: float = number(0.5, -1, 1)
    """δ: the confidence from which an article joins a story rather than founds one."""
    pooling_width: int = number(1, 1, 65_536)
    """Columns of W_a. The paper does not say; its parameter counts allow one to four."""
    seed_size: int = number(8, 1, 1_000_000)
    """Articles per cluster that the first window is divided into."""
    warm_epochs: int = number(10, 0, 10_000)
    """Epochs for which M is trained on the clusters of the first window."""
    replay: Literal["confidence", "new"] = "confidence"
    """What M learns from: the memory by confidence, or only the new articles of the slide."""
    replay_from: float = number(-1.0, -1, 1)
    """The confidence from which an article is replayed, if higher than delta."""
    memory: str = duration("", optional=True)
    """How far back replay reaches, as in 14d; as far as the window if empty."""
    augmentation: Augmentation = "attention"
    """How augmented articles are made: of halves of two articles ranked by attention received, by
    pooling weight or at random; or of one article with some of its features dropped."""
    update: Literal["always", "first"] = "always"
    """Whether M learns after every slide or in the first window only."""
    update_share: float = number(1.0, 0, 1)
    """The share of slides, drawn at random, after which M learns."""

    @property
    def memory_length(self) -> timedelta:
        """How far back replay reaches, as a duration."""
        return parse_duration(self.memory or self.window, what="memory")


@dataclass(frozen=True, kw_only=True)
class PaperSettings(ContinualSettings):
    """Everything that decides which stories come out of the paper's method."""

    pretrained: str = ""
    """A file with an M that was learned on another stream. The first window is then embedded by it
    and clustered once, and M is not trained on the clusters. Later slides update it as usual."""
