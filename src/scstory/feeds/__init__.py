"""Articles in: files and standard input, item by item, bad ones reported and skipped."""

from scstory.feeds.article import MAX_CHARACTERS, parse_article, parse_date
from scstory.feeds.files import FileSource, Item, open_source

__all__ = ["MAX_CHARACTERS", "FileSource", "Item", "open_source", "parse_article", "parse_date"]
