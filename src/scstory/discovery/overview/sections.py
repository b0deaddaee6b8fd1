"""Sections: topics, found from the stream itself as coarse clusters of its stories.

Sections are clusters of story vectors. They are found when there are enough stories, and found
again, from where they are, whenever there are twice as many. In between, a story goes to the
nearest section and moves that a little; what a section is about fades with time. So sections keep
their numbers, and cost in proportion to what changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.overview.settings import OverviewSettings
from scstory.discovery.window import Floats


@dataclass(slots=True)
class Section:
    """The fading sum of the vectors of its stories, and of their keywords."""

    number: int
    vector: Floats
    words: dict[str, float] = field(default_factory=dict)
    name: tuple[str, ...] = ()

    def fade(self, factor: float) -> None:
        """Let everything so far count less."""
        self.vector = self.vector * factor
        self.words = {word: weight * factor for word, weight in self.words.items()}

    def add(self, vector: Floats, keywords: Sequence[str]) -> None:
        """Add a story."""
        self.vector = self.vector + vector
        for word in keywords:
            self.words[word] = self.words.get(word, 0.0) + 1.0


def is_due(stories: int, found_at: int, settings: OverviewSettings) -> bool:
    """Say whether sections are to be found again, once there are twice as many stories."""
    return stories >= max(settings.first_stories, 2 * found_at)


def find_sections(
    vectors: Floats,
    keywords: Sequence[Sequence[str]],
    before: Sequence[Section],
    settings: OverviewSettings,
) -> list[Section]:
    """Return sections of stories, whose centred vectors have unit length; earlier ones stay."""
    wanted = round(sqrt(len(vectors) / settings.section_stories))
    wanted = min(max(wanted, settings.fewest_sections), settings.most_sections, len(vectors))
    centres = [section.vector / max(_norm(section.vector), 1e-12) for section in before]
    while len(centres) < wanted:
        centres.append(_next_centre(vectors, centres))
    places, means = _k_means(vectors, np.array(centres), settings.rounds)
    numbers = [section.number for section in before]
    numbers += range(max(numbers, default=0) + 1, max(numbers, default=0) + 1 + len(centres))
    names = {section.number: section.name for section in before}
    found = []
    for place, number in enumerate(numbers[: len(centres)]):
        own = np.flatnonzero(places == place)
        counted = Counter(word for i in own.tolist() for word in keywords[i])
        vector = means[place] * max(len(own), 1)
        words = {word: float(times) for word, times in sorted(counted.items())}
        found.append(Section(number, vector, words, names.get(number, ())))
    return found


def nearest_section(
    vector: Floats, sections: Sequence[Section], own: int | None, settings: OverviewSettings
) -> tuple[int, float] | None:
    """Return the section of a story and how close it is; its own, unless another is much closer."""
    close = {
        section.number: float(vector @ section.vector) / max(_norm(section.vector), 1e-12)
        for section in sections
    }
    best = max(close, key=lambda number: (close[number], -number), default=None)
    if best is None:
        return None
    if own in close and close[best] < close[own] + settings.stays:
        best = own
    return (best, close[best]) if close[best] >= settings.outside else None


def name_sections(sections: Sequence[Section], settings: OverviewSettings) -> None:
    """Name sections by the keywords that are common in each and rare in the others."""
    total = Counter[str]()
    for section in sections:
        kept = sorted(section.words.items(), key=lambda one: (-one[1], one[0]))[
            : settings.section_words
        ]
        section.words = dict(sorted(kept))
        total.update(section.words)
    every = sum(total.values())
    taken = set[str]()
    for section in sorted(sections, key=lambda one: (-_norm(one.vector), one.number)):
        section.name = _name(section, total, every, taken, settings)
        taken.update(section.name)


def _name(
    section: Section,
    total: Mapping[str, float],
    every: float,
    taken: set[str],
    settings: OverviewSettings,
) -> tuple[str, ...]:
    own = sum(section.words.values()) or 1.0
    telling = {
        word: max(weight - 1, settings.alone) * log((weight / own) / (total[word] / every))
        for word, weight in section.words.items()
        if word not in taken and weight / own > total[word] / every
    }
    for word in section.name:
        if word in telling:
            telling[word] *= settings.keeps_name
    best = sorted(telling, key=lambda word: (-telling[word], word))
    chosen: list[str] = []
    for word in best:
        # No two words of a name say the same: "Trump" and "Donald Trump", "virus" and "viruses".
        if not any(_alike(word, other) for other in chosen):
            chosen.append(word)
        if len(chosen) == settings.named_by:
            break
    return tuple(chosen)


def _alike(one: str, other: str) -> bool:
    few, many = sorted((one.lower(), other.lower()), key=len)
    return few in many


def _norm(vector: Floats) -> float:
    return float(np.sqrt(vector @ vector))


def _next_centre(vectors: Floats, centres: Sequence[Floats]) -> Floats:
    """Return the mean of the stories around the one that is farthest from all centres."""
    if not centres:
        mean = vectors.mean(axis=0)
        first = vectors[int(np.argmax(vectors @ mean))]
    else:
        first = vectors[int(np.argmin((vectors @ np.array(centres).T).max(axis=1)))]
    around = np.argsort(-(vectors @ first), kind="stable")[: max(len(vectors) // 20, 1)]
    mean = vectors[around].mean(axis=0)
    return np.asarray(mean / max(_norm(mean), 1e-12))


def _k_means(vectors: Floats, centres: Floats, rounds: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the cluster of each vector, and the clusters' means at unit length."""
    places = np.full(len(vectors), -1)
    for _ in range(rounds):
        now = np.argmax(vectors @ centres.T, axis=1)
        if (now == places).all():
            break
        places = now
        for place in np.unique(places).tolist():
            mean = vectors[places == place].mean(axis=0)
            centres[place] = mean / max(_norm(mean), 1e-12)
    return places, centres
