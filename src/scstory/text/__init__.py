"""From an article's text to its sentences and terms."""

from scstory.text.fields import FIELDS, Reading, read
from scstory.text.keywords import Wording, keywords, wording
from scstory.text.names import names_in
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.terms import BUCKETS, TermStatistics, field_counts, term_counts, terms

__all__ = [
    "BUCKETS",
    "FIELDS",
    "MAX_SENTENCES",
    "Reading",
    "TermStatistics",
    "Wording",
    "field_counts",
    "keywords",
    "names_in",
    "read",
    "split_article",
    "term_counts",
    "terms",
    "wording",
]
