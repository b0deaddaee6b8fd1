"""Keywords of a group of texts: names and words that many of them share and few others have."""

from collections import Counter
from collections.abc import Mapping, Sequence

from scstory.text.names import Names
from scstory.text.terms import TermStatistics, Word, terms, without_possessive
from scstory.types import Wording


def wording_of(uses: Mapping[str, int], known: Mapping[str, Word], names: Names) -> Wording:
    """Return what may become a keyword of a text whose words are counted and looked up."""
    written: dict[str, str] = {}
    for word, (term, _) in known.items():
        # The form that is most common in this text; of equally common ones, with fewer capitals.
        best = written.get(term, term)
        if term and word != term and (uses[word], word) > (uses.get(best, 0), best):
            written[term] = word
    terms = dict.fromkeys(term for term, _ in known.values() if term)
    forms = {term: without_possessive(word) for term, word in written.items()}
    return Wording(tuple(terms), forms, tuple(names.longer))


def keywords(
    texts: Sequence[Wording],
    statistics: TermStatistics,
    *,
    earlier: Sequence[str] = (),
    count: int = 6,
) -> tuple[str, ...]:
    """Return the most telling names and words, most telling first.

    A term scores the number of texts it is in, times its idf in the stream so far; one of the
    `earlier` keywords that is still used counts as if it were in two texts more. A name of several
    words that accounts for most uses of its words stands in for them.

    >>> one = Wording(("kelby", "mill", "lane"), {"kelby": "Kelby"}, ("Mill Lane",))
    >>> other = Wording(("kelby",), {"kelby": "Kelby"}, ())
    >>> keywords([one, one, other], TermStatistics(), count=2)
    ('Kelby', 'Mill Lane')
    """
    inside: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for text in texts:
        inside.update(text.terms)
        names.update(text.names)

    for keyword in earlier:
        if keyword in names:
            names[keyword] += 2
        for term in set(terms(keyword)) & inside.keys():
            inside[term] += 2
    floor = min(2, len(texts))
    usable = [
        term
        for term, n in inside.items()
        if n >= floor and len(term) > 2 and not term[0].isdecimal()
    ]
    telling = statistics.idf_of(usable)
    scores = {term: inside[term] * idf for term, idf in zip(usable, telling, strict=True)}
    # In a fixed order: names that share a word compete for it.
    for name, n in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        if n < floor:
            break
        inner = terms(name)
        if len(inner) > 1 and all(2 * n >= inside[word] for word in inner):
            scores[name] = max(scores.pop(word, 0.0) for word in inner)
    best = sorted(scores, key=lambda term: (-scores[term], term))[:count]
    return tuple(term if term in names else _shown(term, texts) for term in best)


def _shown(term: str, texts: Sequence[Wording]) -> str:
    """Return the way most texts write a term: Kelby, but flood."""
    forms = Counter(text.written.get(term, term) for text in texts if term in text.terms)
    return max(forms, key=lambda form: (forms[form], form))
