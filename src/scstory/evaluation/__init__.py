"""How well the stories match the truth, where somebody has told it."""

from scstory.evaluation.metrics import Scores, score
from scstory.evaluation.protocol import Result, evaluate

__all__ = ["Result", "Scores", "evaluate", "score"]
