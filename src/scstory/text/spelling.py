"""How far words are from each other in spelling."""

from collections.abc import Iterator

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def spelling_distance(one: str, other: str, limit: int) -> int:
    """Return how many letters to add, drop, replace or swap make one word the other.

    More than the limit is returned as the limit and one.

    >>> spelling_distance("strkie", "strike", 2), spelling_distance("ferry", "flood", 2)
    (1, 3)
    """
    if abs(len(one) - len(other)) > limit or _letters(one, other) > 2 * limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, theirs in enumerate(other, 1):
            cost = min(row[-1] + 1, last[j] + 1, last[j - 1] + (letter != theirs))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == theirs:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)


def _letters(one: str, other: str) -> int:
    """Return how many letters only one of the words has: it takes half as many steps at least."""
    return len(set(one) ^ set(other))


def starts_misspelled(word: str, letters: int) -> Iterator[str]:
    """Yield all words that differ in one of the first letters.

    >>> "ferry" in set(starts_misspelled("verry", 2)), "ferry" in set(starts_misspelled("efrry", 2))
    (True, True)
    """
    known = dict.fromkeys(_LETTERS + word)
    for place in range(min(letters, len(word))):
        start, rest = word[:place], word[place:]
        yield start + rest[1:]
        if len(rest) > 1:
            yield start + rest[1] + rest[0] + rest[2:]
        for letter in known:
            yield start + letter + rest
            yield start + letter + rest[1:]
