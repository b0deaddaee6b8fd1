"""Labels of the map: whole words that cover nothing."""

import random
from itertools import combinations
from types import SimpleNamespace

import pytest

from scstory.serve.map_layout import FRAMES, MAX_LABEL, Box, arrange, label_texts, text_width

WORDS = ["river", "levee", "Port", "Ansel", "mayor", "Halcyon-2", "comet", "協議会", "Überfall"]


def places(number, spread=1.0, seed=0):
    draw = random.Random(seed)
    return [
        (
            SimpleNamespace(
                id=i,
                title=" ".join(draw.choices(WORDS, k=6)),
                size=draw.randint(1, 90),
                momentum=draw.random(),
                keywords=tuple(" ".join(draw.choices(WORDS, k=draw.randint(1, 3))) for _ in "abc"),
            ),
            draw.uniform(-spread, spread),
            draw.uniform(-spread, spread),
        )
        for i in range(number)
    ]


def box_of(dot, frame):
    wide, high = text_width(dot.label) * frame.letter, frame.letter
    left = dot.label_x - {"start": 0, "middle": wide / 2, "end": wide}[dot.anchor]
    return Box(left, dot.label_y - high / 2, left + wide, dot.label_y + high / 2)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.name)
@pytest.mark.parametrize("number", [1, 12, 60, 400])
def test_no_label_lies_over_a_dot_or_another_label_or_the_frame(frame, number):
    dots = arrange(places(number), frame)
    labelled = [dot for dot in dots if dot.label]
    assert len(dots) == number
    assert labelled
    boxes = [box_of(dot, frame) for dot in labelled]
    assert not any(one.meets(other) for one, other in combinations(boxes, 2))
    for box in boxes:
        assert 0 <= box.left < box.right <= frame.width
        assert 0 <= box.top < box.bottom <= frame.height
        assert not any(box.covers(dot.x, dot.y, dot.radius) for dot in dots)


def test_the_first_stories_are_labelled_first():
    frame = FRAMES[0]
    dots = arrange(places(400, seed=3), frame)
    named = [bool(dot.label) for dot in dots]
    assert sum(named[:50]) > sum(named[-50:])


@pytest.mark.parametrize(
    ("keywords", "texts"),
    [
        (("river", "levee", "rain"), ["river, levee", "river"]),
        (("International Atomic Energy Agency", "Vienna"), ["Vienna"]),
        (("International Atomic Energy Agency",), ["International Atomic Energy"]),
        (("A" * 50, "river"), ["river"]),
        (("A" * 50,), []),
        ((), ["The river rose by a metre"]),
    ],
)
def test_a_label_is_made_of_whole_words(keywords, texts):
    story = SimpleNamespace(keywords=keywords, title="The river rose by a metre overnight")
    assert label_texts(story) == texts
    assert all(len(text) <= MAX_LABEL for text in texts)
