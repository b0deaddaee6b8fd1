"""Adam (Kingma and Ba, 2015): steps by running means of the gradient and of its square.

It is our own because torch's imports torch's compiler with its first step, which takes as long as
importing all the rest of torch, in every command that learns.
"""

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

MEAN_DECAY, SQUARE_DECAY = 0.9, 0.999
TINY = 1e-8


class Adam:
    """Changes parameters in place, against their gradients."""

    def __init__(self, parameters: Iterable[Tensor], rate: float) -> None:
        self._parameters, self._rate = list(parameters), rate
        self._steps = 0
        self._means = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]
        self._squares = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take a step against the gradients, one for each parameter."""
        self._steps += 1
        # Both means start at zero, and are too small by this share at first.
        mean_share = 1 - MEAN_DECAY**self._steps
        square_share = 1 - SQUARE_DECAY**self._steps
        for parameter, gradient, mean, square in zip(
            self._parameters, gradients, self._means, self._squares, strict=True
        ):
            mean += (1 - MEAN_DECAY) * (gradient - mean)
            square += (1 - SQUARE_DECAY) * (gradient.square() - square)
            parameter -= self._rate * (mean / mean_share) / ((square / square_share).sqrt() + TINY)

    def state(self) -> dict[str, Tensor]:
        """Return the running means; nothing before the first step."""
        found: dict[str, Tensor] = {}
        if self._steps:
            for index, (mean, square) in enumerate(zip(self._means, self._squares, strict=True)):
                found[f"{index}.step"] = torch.tensor(float(self._steps))
                found[f"{index}.exp_avg"] = mean
                found[f"{index}.exp_avg_sq"] = square
        return found

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what `state` returned."""
        self._steps = int(state["0.step"]) if state else 0
        for index, (mean, square) in enumerate(zip(self._means, self._squares, strict=True)):
            if state:
                mean.copy_(state[f"{index}.exp_avg"])
                square.copy_(state[f"{index}.exp_avg_sq"])
            else:
                mean.zero_()
                square.zero_()
