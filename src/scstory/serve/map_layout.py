"""The map as a picture: dots, and labels that cover neither dots nor one another."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from scstory.serve.map import Places
from scstory.store.records import StoryRow

MAX_LABEL = 30
"""The most characters of a label."""
MARGIN, GAP = 16.0, 3.0
"""Space inside the frame, and around a label."""
STRENGTHS = 5
"""How many shades of dots there are, by momentum."""

_NARROW, _WIDE = frozenset(" fijlrtI.,:;'’!|()[]-"), frozenset("mwMW@%—…")


class Frame(NamedTuple):
    """The size of a picture and of its letters. There is one for screens and one for phones."""

    name: str
    width: float
    height: float
    letter: float
    dot: float


FRAMES = (Frame("wide", 1060, 600, 13, 1.0), Frame("narrow", 390, 520, 12, 0.75))


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Return whether two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def covers(self, x: float, y: float, radius: float) -> bool:
        """Return whether the rectangle overlaps a disc."""
        across = x - min(max(x, self.left), self.right)
        down = y - min(max(y, self.top), self.bottom)
        return across * across + down * down < radius * radius


@dataclass(frozen=True, slots=True)
class Dot:
    """A story on the map, and its label if there is room for one.

    The label is anchored at its side towards the dot, since it may be narrower than its box.
    """

    story: StoryRow
    x: float
    y: float
    radius: float
    strength: int
    label: str = ""
    label_x: float = 0.0
    label_y: float = 0.0
    anchor: str = "middle"


def arrange(places: Places, frame: Frame) -> list[Dot]:
    """Return the dots of a picture in the order of the places, the first ones labelled first."""
    dots = _dots(places, frame)
    taken: list[Box] = []
    labelled = []
    for dot in dots:
        for text, box in _candidates(dot, frame):
            free = not any(box.meets(other) for other in taken)
            if free and not any(box.covers(d.x, d.y, d.radius + 1) for d in dots):
                taken.append(box)
                dot = _labelled(dot, text, box)
                break
        labelled.append(dot)
    return labelled


def _labelled(dot: Dot, text: str, box: Box) -> Dot:
    x, anchor = (box.left + box.right) / 2, "middle"
    if box.left > dot.x:
        x, anchor = box.left + GAP, "start"
    elif box.right < dot.x:
        x, anchor = box.right - GAP, "end"
    middle = (box.top + box.bottom) / 2
    return replace(dot, label=text, label_x=x, label_y=middle, anchor=anchor)


def _dots(places: Places, frame: Frame) -> list[Dot]:
    wide = max((abs(x) for _, x, _ in places), default=0) or 1
    high = max((abs(y) for _, _, y in places), default=0) or 1
    most = max((story.momentum for story, _, _ in places), default=0) or 1
    found = []
    for story, x, y in places:
        radius = frame.dot * (4.5 + 2.6 * min(story.size, 60) ** 0.5)
        room = MARGIN + 14
        found.append(
            Dot(
                story,
                frame.width / 2 + x / wide * (frame.width / 2 - 2.5 * room),
                frame.height / 2 - y / high * (frame.height / 2 - room),
                radius,
                min(STRENGTHS - 1, int(STRENGTHS * (story.momentum / most) ** 0.5)),
            )
        )
    return found


def _candidates(dot: Dot, frame: Frame) -> Iterator[tuple[str, Box]]:
    """Yield labels with places for them beside a dot, the best first, all inside the frame."""
    high, texts = frame.letter * 1.3, label_texts(dot.story)
    for places in (_beside, _askew):  # a label that is askew may seem to be of another dot
        for text in texts:
            wide = text_width(text) * frame.letter + 2 * GAP
            for left, top in places(dot, wide, high):
                inside = left >= 2 and top >= 2 and left + wide <= frame.width - 2
                if inside and top + high <= frame.height - 2:
                    yield text, Box(left, top, left + wide, top + high)


def _beside(dot: Dot, wide: float, high: float) -> Iterator[tuple[float, float]]:
    near = dot.radius + GAP
    yield dot.x + near, dot.y - high / 2
    yield dot.x - near - wide, dot.y - high / 2
    yield dot.x - wide / 2, dot.y + near
    yield dot.x - wide / 2, dot.y - near - high


def _askew(dot: Dot, wide: float, high: float) -> Iterator[tuple[float, float]]:
    far = dot.radius * 0.75 + GAP
    yield dot.x + far, dot.y + far
    yield dot.x + far, dot.y - far - high
    yield dot.x - far - wide, dot.y + far
    yield dot.x - far - wide, dot.y - far - high


def label_texts(story: StoryRow) -> list[str]:
    """Return what may stand beside a story: its first keywords, or just the first of them."""
    words = [word for word in story.keywords if 0 < len(word) <= MAX_LABEL]
    words = words or [_whole_words((*story.keywords, story.title)[0])]
    both, first = ", ".join(words[:2]), words[0]
    return [text for text in dict.fromkeys((both, first)) if 0 < len(text) <= MAX_LABEL]


def _whole_words(text: str) -> str:
    """Return as many words of a text as there is room for.

    >>> _whole_words("International Atomic Energy Agency")
    'International Atomic Energy'
    """
    words = text.split()
    while words and len(" ".join(words)) > MAX_LABEL:
        words.pop()
    return " ".join(words)


def text_width(text: str) -> float:
    """Return how wide a text is at most in a sans-serif font, in ems."""
    return sum(_advance(character) for character in text)


def _advance(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.42
    return 1.02 if character in _WIDE else 0.78 if character.isupper() else 0.65
