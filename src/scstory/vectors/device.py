"""Where models compute: the CPU, or a GPU that is really there."""

from __future__ import annotations

import torch

from scstory.errors import ConfigError


def torch_device(name: str) -> torch.device:
    """Return the device of that name, after a try."""
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0]
        raise ConfigError(
            f"device {name}: cannot be used ({reason}); leave out --device to use the CPU"
        ) from error
    return device
