"""The web service: the JSON API, live events, pages, feeds, webhooks and metrics."""

from scstory.serve.app import make_app
from scstory.serve.service import Service

__all__ = ["Service", "make_app"]
