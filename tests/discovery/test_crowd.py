"""A crowd of look-alikes from the first day on, before anything is known of the stream."""

from collections import Counter

import numpy as np
import pytest

from scstory.discovery import StoryDiscovery
from scstory.evaluation.metrics import b_cubed
from scstory.vectors.hashing import HashingEncoder
from tests.discovery.world import World, story_of


def crowd(days, a_day, stories, seed):
    """Return a stream of many stories at once, all on one subject."""
    world, rng = World(seed), np.random.default_rng(seed)
    drawn = [(day, rng.integers(stories)) for day in range(days) for _ in range(a_day)]
    found = [world.write(f"trial{day // 2}.{n}", "trial", day) for day, n in drawn]
    return sorted(found, key=lambda article: article.published)


@pytest.mark.parametrize("seed", [0, 1])
def test_no_story_swallows_the_others(seed):
    stream = crowd(days=4, a_day=80, stories=40, seed=seed)
    engine = StoryDiscovery(encoder=HashingEncoder(dim=64), learned=False)
    found = {decision.article: decision.story for decision in engine.stream(stream)}
    truth = [story_of(article.id) for article in stream]
    precision, recall, _ = b_cubed(truth, [found[article.id] for article in stream])
    assert precision > 0.95
    assert recall > 0.95
    assert Counter(found.values()).most_common(1)[0][1] <= Counter(truth).most_common(1)[0][1]
