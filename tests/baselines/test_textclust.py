from collections import Counter

from river.cluster import TextClust as River

from scstory.baselines import textclust
from scstory.baselines.baseline import DAY, article_terms
from tests.baselines.slides import make_engine, member, process, stories_of
from tests.conftest import make_stream


def test_it_is_river_that_decides():
    engine = make_engine("textclust", radius=0.6)
    bare = River(radius=0.6, fading_factor=1 / 7, tgap=7)
    for article in make_stream():
        process(engine, [article])
        terms = Counter(article_terms(engine.scope.window.members[-1]))
        bare.learn_one(terms, t=article.published.timestamp() / DAY)
    assert engine.method.model.micro_clusters.keys() == bare.micro_clusters.keys()
    assert len(bare.micro_clusters) > 1
    for ours, theirs in zip(
        engine.method.model.micro_clusters.values(), bare.micro_clusters.values(), strict=True
    ):
        assert (ours.weight, ours.n, ours.tf) == (theirs.weight, theirs.n, theirs.tf)


def test_the_radius_is_a_distance():
    # River leaves out terms it has never seen: a similarity of 1 / sqrt(3), a distance of 0.42.
    for radius, stories in ((0.5, [1, 1]), (0.4, [1, 2])):
        engine = make_engine("textclust", radius=radius)
        process(engine, [member("river flood dam"), member("river court jury")])
        assert stories_of(engine) == stories


def test_merged_micro_clusters_are_one_story():
    engine = make_engine("textclust", radius=0.3)
    process(
        engine,
        [member("river flood " * 3 + "dam boat"), member("river flood" + " dam boat" * 3)],
    )
    for day in (1, 2, 3):  # they get more and more alike, and the next clean-up merges them
        process(engine, [member("river flood river flood dam boat", day=day)])
        process(engine, [member("river flood dam boat dam boat", day=day)])
    assert stories_of(engine) == [1, 2] * 4
    decided = process(engine, [member("court jury", day=textclust.CLEANUP)])
    assert [(d.story, d.was) for d in decided] == [(1, 2), (1, 2), (1, 2), (3, None)]
    assert engine.method.stories_of.keys() == engine.method.model.micro_clusters.keys()
    (decision,) = process(engine, [member("dam boat", day=textclust.CLEANUP)])
    assert decision.story == 1


def test_what_faded_away_does_not_come_back():
    engine = make_engine("textclust")
    process(engine, [member("river flood dam")])
    process(engine, [member("court jury judge", day=textclust.CLEANUP + 1)])
    (decision,) = process(engine, [member("river flood dam", day=textclust.CLEANUP + 2)])
    assert decision.story == 3
    assert set(engine.method.stories_of.values()) == {2, 3}


def test_an_article_that_joins_what_is_dropped_at_once_still_has_a_story():
    engine = make_engine("textclust")
    process(engine, [member("river flood dam")])
    (decision,) = process(engine, [member("river flood dam", day=60)])
    assert decision.story == 1
    assert not engine.method.model.micro_clusters
    assert not engine.method.stories_of


def test_an_article_without_terms_stands_alone():
    engine = make_engine("textclust")
    process(engine, [member(""), member("river"), member("of the"), member("river")])
    assert stories_of(engine) == [1, 2, 3, 2]
