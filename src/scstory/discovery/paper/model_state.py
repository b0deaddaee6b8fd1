"""The weights of M and the moments of Adam as arrays, and back again."""

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray

from scstory.discovery.adam import Adam
from scstory.discovery.method import unprefixed
from scstory.discovery.paper.article_encoder import ArticleEncoder


def model_arrays(model: ArticleEncoder, optimiser: Adam) -> dict[str, NDArray[Any]]:
    """Return the weights of M and the moments of Adam."""
    parts = {"model": model.state_dict(), "adam": optimiser.state()}
    return {
        f"{part}.{name}": value.numpy(force=True)
        for part, values in parts.items()
        for name, value in values.items()
    }


def restore_model(
    model: ArticleEncoder, optimiser: Adam, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Give M and Adam back what `model_arrays` returned."""
    weights, moments = (
        {name: torch.from_numpy(value.copy()) for name, value in unprefixed(part, arrays).items()}
        for part in ("model", "adam")
    )
    model.load_state_dict(weights)
    optimiser.restore(moments)
