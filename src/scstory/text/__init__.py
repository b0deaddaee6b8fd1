"""From an article's text to its sentences and terms."""

from scstory.text.keywords import keywords
from scstory.text.names import names_in
from scstory.text.reading import FIELDS, read
from scstory.text.sentences import split_article
from scstory.text.terms import BUCKETS, TermStatistics, field_of, term_counts, terms
from scstory.text.wording import wording_of

__all__ = [
    "BUCKETS",
    "FIELDS",
    "TermStatistics",
    "field_of",
    "keywords",
    "names_in",
    "read",
    "split_article",
    "term_counts",
    "terms",
    "wording_of",
]
