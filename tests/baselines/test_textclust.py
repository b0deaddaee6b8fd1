from collections import Counter
from datetime import timedelta

import numpy as np
from river.cluster import TextClust as River

from scstory.baselines import make_baseline, textclust
from scstory.baselines.base import article_terms, days
from scstory.discovery.window import EPOCH
from scstory.types import Article, EncodedArticle
from tests.conftest import START, make_stream


def encoded(text, *, day=0.0):
    article = Article(f"{day} {text}", START + timedelta(days=day), "", text)
    return EncodedArticle(article, (text or "-",), np.ones((1, 2), dtype=np.float32))


def test_it_is_river_that_decides():
    system = make_baseline("textclust", radius=0.6)
    bare = River(radius=0.6, fading_factor=1 / 7, tgap=7)
    for article in make_stream():
        member = EncodedArticle(article, (article.title,), np.ones((1, 2), dtype=np.float32))
        system.process([member])
        terms = Counter(article_terms(member))
        bare.learn_one(terms, t=days(article.published, EPOCH))
    assert system.model.micro_clusters.keys() == bare.micro_clusters.keys()
    assert len(bare.micro_clusters) > 1
    for ours, theirs in zip(
        system.model.micro_clusters.values(), bare.micro_clusters.values(), strict=True
    ):
        assert (ours.weight, ours.n, ours.tf) == (theirs.weight, theirs.n, theirs.tf)


def test_the_radius_is_a_distance():
    # River leaves out terms it has never seen: a similarity of 1 / sqrt(3), a distance of 0.42.
    for radius, stories in ((0.5, [1, 1]), (0.4, [1, 2])):
        system = make_baseline("textclust", radius=radius)
        system.process([encoded("river flood dam"), encoded("river court jury")])
        assert system.story == stories


def test_merged_micro_clusters_are_one_story():
    system = make_baseline("textclust", radius=0.3)
    system.process(
        [encoded("river flood " * 3 + "dam boat"), encoded("river flood" + " dam boat" * 3)]
    )
    for day in (1, 2, 3):  # they get more and more alike, and the next clean-up merges them
        system.process([encoded("river flood river flood dam boat", day=day)])
        system.process([encoded("river flood dam boat dam boat", day=day)])
    assert system.story == [1, 2] * 4
    decided = system.process([encoded("court jury", day=textclust.CLEANUP)])
    assert [(d.story, d.was) for d in decided] == [(1, 2), (1, 2), (1, 2), (3, None)]
    assert system.stories_of.keys() == system.model.micro_clusters.keys()
    (decision,) = system.process([encoded("dam boat", day=textclust.CLEANUP)])
    assert decision.story == 1


def test_what_faded_away_does_not_come_back():
    system = make_baseline("textclust")
    system.process([encoded("river flood dam")])
    system.process([encoded("court jury judge", day=textclust.CLEANUP + 1)])
    (decision,) = system.process([encoded("river flood dam", day=textclust.CLEANUP + 2)])
    assert decision.story == 3
    assert set(system.stories_of.values()) == {2, 3}


def test_an_article_that_joins_what_is_dropped_at_once_still_has_a_story():
    system = make_baseline("textclust")
    system.process([encoded("river flood dam")])
    (decision,) = system.process([encoded("river flood dam", day=60)])
    assert decision.story == 1
    assert not system.model.micro_clusters
    assert not system.stories_of


def test_an_article_without_terms_stands_alone():
    system = make_baseline("textclust")
    system.process([encoded(""), encoded("river"), encoded("of the"), encoded("river")])
    assert system.story == [1, 2, 3, 2]
