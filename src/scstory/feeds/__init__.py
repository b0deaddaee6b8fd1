"""Sources of articles: files, feeds, pages and archives. Bad items are reported and skipped."""

from typing import TYPE_CHECKING

from scstory._lazy import lazy_names

if TYPE_CHECKING:
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

# The store imports modules of this package that need neither an HTTP client nor an HTML parser.
__getattr__ = lazy_names(
    __name__,
    {
        "FileSource": "scstory.feeds.files",
        "Item": "scstory.feeds.source",
        "Source": "scstory.feeds.source",
        "SourceOptions": "scstory.feeds.source",
        "is_web": "scstory.feeds.registry",
        "open_source": "scstory.feeds.registry",
        "parse_article": "scstory.feeds.article",
        "parse_date": "scstory.feeds.dates",
    },
)
