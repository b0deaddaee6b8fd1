import numpy as np

from scstory.baselines.densps import above, edges_above, similarities
from tests.baselines.slides import make_engine, member, process


def at(degrees, *, day=0):
    """Return an article of one sentence whose vector points somewhere in the plane."""
    angle = np.radians(degrees)
    return member(f"at {degrees}", day=day, vector=(np.cos(angle), np.sin(angle)))


def link(products, communities, clusters, *, least):
    return above(similarities(products, communities, clusters), least)


def test_an_edge_needs_more_than_the_threshold():
    products = np.array([[1.0, 0.2, 0.5], [0.2, 1.0, 0.1], [0.5, 0.1, 1.0]])
    assert edges_above(products, 0.2) == ([(0, 2)], [0.5])
    assert edges_above(products, 0.1) == ([(0, 1), (0, 2)], [0.2, 0.5])


def test_a_community_joins_the_most_similar_cluster():
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [-1.0, 0.0]])
    products = directions @ directions.T
    # Articles 0 and 1 were clusters 0 and 1; 2 and 3 are new, each a community of its own.
    assert link(products, [0, 1, 2, 3], [0, 1], least=0.75) == [0, 1, 0, None]
    assert link(products, [0, 1, 2, 3], [0, 1], least=0.8 + 1e-9) == [0, 1, None, None]


def test_clusters_are_compared_by_their_sums():
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    # The sum of the first two lies at 45 degrees, cos 0.707 from the third.
    assert link(directions @ directions.T, [0, 0, 1], [0, 0], least=0.7) == [0, 0]
    assert link(directions @ directions.T, [0, 0, 1], [0, 0], least=0.71) == [0, None]


def test_without_clusters_all_communities_are_new():
    assert link(np.eye(2), [0, 1], [], least=0.5) == [None, None]


def test_a_bridge_between_stories_moves_articles():
    engine = make_engine("densps+pse", edge=0.7, join=0.75)
    first, second, bridge = at(0), at(70), at(30, day=1)
    before = process(engine, [first, second])
    assert [decision.story for decision in before] == [1, 2]
    after = process(engine, [bridge])
    assert [(d.article, d.story, d.was) for d in after] == [
        (second.article.id, 1, 2),
        (bridge.article.id, 1, None),
    ]


def test_a_story_keeps_its_number_while_the_window_moves():
    engine = make_engine("densps")
    texts = ["flood river dam", "river dam rain", "dam rain boats", "rain boats river"]
    for day, text in enumerate(texts):
        (decision,) = process(engine, [member(text, day=3 * day)])
        assert decision.story == 1
    (other,) = process(engine, [member("comet probe orbit", day=10)])
    assert other.story == 2
    assert other.new


def test_with_memory_a_cluster_is_joined_after_it_left_the_window():
    for memory, stories in (("", [1, 2]), ("9d", [1, 2]), ("20d", [1, 1])):
        engine = make_engine("densps", memory=memory)
        first = process(engine, [member("flood river dam")])
        second = process(engine, [member("flood river dam rain", day=10)])
        assert [d.story for d in (*first, *second)] == stories
        assert second[0].new == (stories == [1, 2])


def test_a_remembered_cluster_must_be_more_similar_than_those_of_the_window():
    engine = make_engine("densps+pse", memory="30d", join=0.75)
    process(engine, [at(0), at(90)])
    process(engine, [at(20, day=8), at(90, day=8)])  # resumes both
    (decision,) = process(engine, [at(70, day=16)])
    assert decision.story == 2


def test_sentence_vectors_ask_for_higher_cosines():
    near, apart = [at(0), at(44)], [at(0), at(47)]  # cosines of 0.72 and 0.68
    for articles, stories in ((near, 1), (apart, 2)):
        decided = process(make_engine("densps+pse"), articles)
        assert len({decision.story for decision in decided}) == stories
