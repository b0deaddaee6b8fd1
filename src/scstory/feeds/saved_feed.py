"""A feed, RSS or Atom, that was saved as a file."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from scstory.errors import BadItem
from scstory.feeds.entries import make_article
from scstory.feeds.feed_parser import read_feed
from scstory.feeds.source import Item, SourceOptions

_LINK = re.compile(
    rb"<(?:\w+:)?link[^<>]{0,300}?(?:>\s*|href=[\"'])(https?://[^\s<\"']{1,500})", re.IGNORECASE
)


def read_saved_feed(stream: IO[bytes], name: str, options: SourceOptions) -> Iterator[Item]:
    """Yield the items of a feed as far as it holds their texts; no pages are fetched."""
    limit = options.settings.max_bytes
    body = stream.read(limit + 1)
    if len(body) > limit:
        yield Item(name, None, f"more than {limit:,} bytes (feeds.max_bytes)")
        return
    # Items without an id of their own are told apart within the feed, wherever it was saved.
    link = _LINK.search(body[:20_000])
    url = link[1].decode("utf-8", "replace") if link else "https://feed.invalid/"
    try:
        listing = read_feed(body, url, max_items=options.settings.max_items)
    except BadItem as error:
        yield Item(name, None, str(error))
        return
    for problem in listing.problems:
        yield Item(problem.place.replace(url, name, 1), None, problem.problem)
    now = datetime.now(UTC)
    for entry in listing.entries:
        place = entry.place.replace(url, name, 1)
        try:
            article = make_article(entry, None, now, max_characters=options.max_characters)
        except BadItem as error:
            yield Item(place, None, str(error))
        else:
            yield Item(place, article)
