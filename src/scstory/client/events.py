"""Server-sent events, as the service streams them."""

import json
from datetime import datetime

from pydantic import BaseModel


class EventOut(BaseModel):
    """Something that happened to a story.

    A `reset` says that missed events are lost: read the stories again, then go on from `number`.
    """

    number: int
    kind: str
    story: int | None = None
    articles: list[str] = []
    time: datetime | None = None
    becomes: int | None = None
    title: str | None = None
    size: int | None = None
    url: str | None = None
    article_urls: list[str] = []


class EventReader:
    """Puts events together from the lines of a stream.

    >>> reader = EventReader()
    >>> lines = ["id: 4", "event: reset", 'data: {"number": 4, "kind": "reset"}', ""]
    >>> [event.number for line in lines if (event := reader.line(line))]
    [4]
    """

    def __init__(self) -> None:
        self._data: list[str] = []

    def line(self, line: str) -> EventOut | None:
        """Take a line; return the event that it ends, if it ends one."""
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        if line or not self._data:
            return None
        data, self._data = "\n".join(self._data), []
        return EventOut.model_validate(json.loads(data))
