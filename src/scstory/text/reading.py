"""An article's text, parsed once: what it is compared by, and what its story may be called."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from scstory.text.hashed import Hashes, Word, hashes, pair_hashes
from scstory.text.language import language_of
from scstory.text.languages import profile_of
from scstory.text.names import names_in
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.sounds import number_keys
from scstory.text.terms import BUCKETS
from scstory.types import Article, Reading

FIELDS = ("terms", "title", "lede", "names", "bigrams", "sounds")
"""All terms; those of the title; of the title and the first sentences; names; pairs of terms; and
how names sound, with numbers, the only field that has anything in common across languages."""


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
    {'terms': 5, 'title': 2, 'lede': 5, 'names': 2, 'bigrams': 3, 'sounds': 2}
    """
    if sentences is None:
        sentences = split_article(article, max_sentences=max_sentences)
    language = language_of(article)
    profile = profile_of(language)
    titles = int(bool(article.title.strip()))
    found = [profile.words(sentence) for sentence in sentences]
    uses = Counter(chain.from_iterable(found))
    known = {word: profile.look_up(word) for word in uses}
    names = names_in(" ".join(sentences[:titles]), sentences[titles:], language)
    terms, stands_in = _terms(found, known)
    named = [*([names.title] if titles else []), *names.body]
    name_terms = [profile.name_term(name) for name in chain.from_iterable(named)]
    heard = [
        [*profile.sounds(sentence, own, its_names), *number_keys(sentence)]
        for sentence, own, its_names in zip(sentences, found, named, strict=True)
    ]
    pairs = np.flatnonzero(np.diff(stands_in) == 0)
    in_title, in_lede = stands_in < titles, stands_in < titles + lede
    fields = (
        (terms, stands_in),
        (terms[in_title], stands_in[in_title]),
        (terms[in_lede], stands_in[in_lede]),
        (hashes(name_terms), _repeated(named)),
        (pair_hashes(terms)[pairs], stands_in[pairs]),
        (hashes([*chain.from_iterable(heard)]), _repeated(heard)),
    )
    columns = [part.astype(np.int64) % BUCKETS + n * BUCKETS for n, (part, _) in enumerate(fields)]
    distinct, places = np.unique(np.concatenate(columns), return_inverse=True)
    return Reading(
        tuple(sentences),
        distinct.astype(np.int32),
        places.astype(np.int32),
        np.concatenate([part for _, part in fields]),
        lede,
        language,
    )


def _terms(
    found: Sequence[Sequence[str]], known: Mapping[str, Word]
) -> tuple[Hashes, NDArray[np.int32]]:
    """Return the hashes of all terms of the sentences, and the sentence each stands in."""
    hashed = np.array([known[word].hash for word in chain.from_iterable(found)], dtype=np.int64)
    is_term = hashed >= 0
    return hashed[is_term].astype(np.uint64), _repeated(found)[is_term]


def _repeated(found: Sequence[Sequence[str]]) -> NDArray[np.int32]:
    """Return the number of each sentence as often as something was found in it."""
    return np.repeat(np.arange(len(found), dtype=np.int32), [len(part) for part in found])


def field_totals(reading: Reading) -> list[float]:
    """Return how many terms each field has, repetitions included."""
    field = reading.columns // BUCKETS
    return list(np.bincount(field, reading.counts, minlength=len(FIELDS)))
