"""An article's text, parsed once: what it is compared by, and what its story may be called."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scstory.text.keywords import wording_of
from scstory.text.names import names_in
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.terms import BUCKETS, Hashes, hashes, look_up, pair_hashes, words
from scstory.types import Article, Reading

FIELDS = ("terms", "title", "lede", "names", "bigrams")
"""All terms; those of the title; of the title and the first sentences; names; pairs of terms."""


def read(
    article: Article,
    *,
    max_sentences: int = MAX_SENTENCES,
    lede: int = 4,
    sentences: Sequence[str] | None = None,
) -> Reading:
    """Read an article: its sentences, and the terms of each of the `FIELDS`.

    `lede` is the number of sentences after the title that make the lede. `sentences` are given
    where the article was split before, and some of them may have been dropped since.

    >>> from datetime import UTC, datetime
    >>> time = datetime(2026, 3, 3, tzinfo=UTC)
    >>> reading = read(Article("1", time, "Alder rises", "The river Alder rose."))
    >>> reading.sentences
    ('Alder rises', 'The river Alder rose.')
    >>> {name: int(count) for name, count in zip(FIELDS, field_totals(reading))}
    {'terms': 5, 'title': 2, 'lede': 5, 'names': 2, 'bigrams': 4}
    """
    if sentences is None:
        sentences = split_article(article, max_sentences=max_sentences)
    title, text = article.title, article.text
    body = sentences[1:] if title.strip() else sentences
    in_title, in_text, in_lede = words(title), words(text), words(" ".join(body[:lede]))
    uses = Counter(in_title + in_text)
    known = {word: look_up(word) for word in uses}
    numbers = {word: found.hash for word, found in known.items()}
    numbers |= {word: look_up(word).hash for word in in_lede if word not in numbers}

    def terms_of(found: list[str]) -> Hashes:
        hashed = np.fromiter(map(numbers.__getitem__, found), dtype=np.int64, count=len(found))
        return hashed[hashed >= 0].astype(np.uint64)

    everything = terms_of(in_title + in_text)
    names = names_in(title, body)
    fields = (
        everything,
        terms_of(in_title),
        terms_of(in_title + in_lede),
        hashes([name.lower() for name in names.title + names.body]),
        pair_hashes(everything),
    )
    columns = [part.astype(np.int64) % BUCKETS + n * BUCKETS for n, part in enumerate(fields)]
    distinct, counts = np.unique(np.concatenate(columns), return_counts=True)
    return Reading(
        tuple(sentences),
        distinct.astype(np.int32),
        counts.astype(np.float32),
        wording_of(uses, known, names),
        lede,
    )


def field_totals(reading: Reading) -> list[float]:
    """Return how many terms each field has, repetitions included."""
    field = reading.columns // BUCKETS
    return list(np.bincount(field, reading.counts, minlength=len(FIELDS)))
