"""The devices on which models compute: the CPU, or a GPU that is really there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scstory.errors import ConfigError

if TYPE_CHECKING:
    import torch


def torch_device(name: str) -> torch.device:
    """Return the device of that name, after a first use."""
    import torch

    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0]
        raise ConfigError(
            f"device {name}: cannot be used ({reason}); leave out --device to use the CPU"
        ) from error
    return device
