"""From an article's text to its sentences and terms."""

from scstory.text.keywords import keywords
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.terms import BUCKETS, TermStatistics, term_counts, terms

__all__ = [
    "BUCKETS",
    "MAX_SENTENCES",
    "TermStatistics",
    "keywords",
    "split_article",
    "term_counts",
    "terms",
]
