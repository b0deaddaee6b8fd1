"""How well the stories found match the true ones of a labelled stream."""

from scstory.evaluation.metrics import Scores, score
from scstory.evaluation.protocol import Result, evaluate

__all__ = ["Result", "Scores", "evaluate", "score"]
