"""The web service: the JSON API, live events, pages, feeds, webhooks and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scstory._lazy import lazy_names

if TYPE_CHECKING:
    from scstory.serve.app import make_app
    from scstory.serve.service import Service

__all__ = ["Service", "make_app"]

__getattr__ = lazy_names(
    __name__, {"Service": "scstory.serve.service", "make_app": "scstory.serve.app"}
)
