"""Look-alikes from the first day on, many or few, before anything is known of the stream."""

from collections import Counter

import pytest

from scstory.discovery import StoryDiscovery
from scstory.evaluation.metrics import b_cubed
from scstory.vectors.hashing import HashingEncoder
from tests.discovery.world import crowd, story_of


@pytest.mark.parametrize(
    ("days", "a_day", "stories", "seed"),
    [(4, 80, 40, 0), (4, 80, 40, 1), (8, 3, 8, 1), (10, 4, 20, 1), (10, 2, 30, 0), (10, 2, 30, 2)],
)
def test_no_story_swallows_the_others(days, a_day, stories, seed):
    stream = crowd(days, a_day, stories, seed)
    engine = StoryDiscovery(encoder=HashingEncoder(dim=64), learned=False)
    found = {decision.article: decision.story for decision in engine.stream(stream)}
    truth = [story_of(article.id) for article in stream]
    precision, recall, _ = b_cubed(truth, [found[article.id] for article in stream])
    assert precision > 0.95
    assert recall > 0.95
    assert Counter(found.values()).most_common(1)[0][1] <= Counter(truth).most_common(1)[0][1]
