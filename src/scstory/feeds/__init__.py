"""Sources of articles: files, feeds, pages and archives. Bad items are reported and skipped."""

from scstory.feeds.article import parse_article
from scstory.feeds.dates import parse_date
from scstory.feeds.files import FileSource
from scstory.feeds.registry import is_web, open_source
from scstory.feeds.source import Item, Source, SourceOptions

__all__ = [
    "FileSource",
    "Item",
    "Source",
    "SourceOptions",
    "is_web",
    "open_source",
    "parse_article",
    "parse_date",
]
