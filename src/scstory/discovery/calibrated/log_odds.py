"""Probabilities and log-odds."""

import numpy as np

from scstory.discovery.window import Floats


def sigmoid(log_odds: Floats) -> Floats:
    """Return log-odds as a probability."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -40, 40))))


def log_odds(probability: float) -> float:
    """Return a probability as log-odds."""
    return float(np.log(probability / (1 - probability)))
