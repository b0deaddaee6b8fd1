"""An article of NewsAPI: `{"source": {"id", "name"}, "author", "title", "description", "url",
"urlToImage", "publishedAt", "content"}`.

NewsAPI cuts `content` after 200 characters and marks the cut; the rest is on the article's page.
"""

import re
from typing import Any

from scstory.errors import BadItem

REMOVED = "[Removed]"
_CUT = re.compile(r"\s*(…|\.\.\.)?\s*\[\+\d+ chars\]\s*$")


def article_fields(record: Any) -> dict[str, Any]:
    """Return the fields of an article under our names; raise BadItem if it is none."""
    if not isinstance(record, dict):
        raise BadItem("not a JSON object")
    if record.get("title") == REMOVED:
        raise BadItem("removed by its publisher")
    source = record.get("source")
    return {
        "date": record.get("publishedAt"),
        "title": record.get("title"),
        "text": _text(record.get("description"), record.get("content")),
        "url": record.get("url"),
        "source": source.get("name") if isinstance(source, dict) else None,
    }


def _text(description: Any, content: Any) -> Any:
    """Return the text as far as it is there; the content often begins with the description."""
    if not isinstance(content, str):
        return description if content is None else content
    content = _CUT.sub("", content)
    if isinstance(description, str) and (lead := description.strip().rstrip("….")):
        return content if lead in content else f"{description.strip()}\n{content}"
    return content
