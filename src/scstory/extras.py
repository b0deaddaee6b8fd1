"""Libraries that come with an extra of the package, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from scstory.errors import UsageError


def load_extra(module: str, *, extra: str, purpose: str) -> Any:
    """Return a module; where it is not installed, raise an error that says how to install it.

    >>> load_extra("json", extra="research", purpose="this example").loads("1")
    1
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise UsageError(
            f"{purpose} needs {library}, which is not installed ({error}); "
            f"install it with: pip install 'scstory[{extra}]'"
        ) from error
