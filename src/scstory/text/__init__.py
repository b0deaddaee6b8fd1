"""From an article's text to its sentences and terms."""

from scstory.text.fields import FIELDS, read_fields
from scstory.text.keywords import keywords
from scstory.text.names import entities, known_names
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.terms import BUCKETS, TermStatistics, field_counts, term_counts, terms

__all__ = [
    "BUCKETS",
    "FIELDS",
    "MAX_SENTENCES",
    "TermStatistics",
    "entities",
    "field_counts",
    "keywords",
    "known_names",
    "read_fields",
    "split_article",
    "term_counts",
    "terms",
]
