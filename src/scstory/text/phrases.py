"""Numbers and periods put into few words."""

from collections.abc import Mapping
from datetime import datetime


def span(first: datetime, last: datetime) -> str:
    """Return a period in few words.

    >>> span(datetime(2026, 3, 3), datetime(2026, 3, 15))
    '3–15 Mar 2026'
    """
    end = f"{last.day} {last:%b %Y}"
    if first.date() == last.date():
        return end
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{end}"
    start = f"{first.day} {first:%b}" if first.year == last.year else f"{first.day} {first:%b %Y}"
    return f"{start} – {end}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "article"), counted(1662, "article"), counted(2, "story")
    ('1 article', '1,662 articles', '2 stories')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def plain(text: str) -> str:
    """Return a sentence without what two copies of it may differ in: case and punctuation.

    >>> plain("“The river rose”, he said.") == plain("The river rose, he said")
    True
    """
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def by_words_alone(unserved: Mapping[str, int], encoder: str) -> str:
    """Return how many articles are in languages that the encoder does not serve.

    >>> by_words_alone({"cs": 12, "hi": 1}, "it")
    '13 articles in languages that it does not serve (cs 12, hi 1): compared by words alone'
    """
    named = ", ".join(f"{language} {count:,}" for language, count in unserved.items())
    return (
        f"{counted(sum(unserved.values()), 'article')} in languages that {encoder} does not serve "
        f"({named}): compared by words alone"
    )
