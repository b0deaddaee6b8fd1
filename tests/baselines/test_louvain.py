import random

from scstory.baselines.louvain import louvain

TRIANGLES = [(0, 2), (2, 4), (0, 4), (1, 3), (3, 5), (1, 5)]


def test_communities_are_numbered_by_their_first_vertex():
    assert louvain(6, [*TRIANGLES, (0, 1)], [1.0] * 6 + [0.1]) == [0, 1, 0, 1, 0, 1]


def test_vertices_without_edges_stand_alone():
    assert louvain(3, [], []) == [0, 1, 2]
    assert louvain(4, [(1, 3)], [0.2]) == [0, 1, 2, 1]
    assert louvain(0, [], []) == []


def test_weights_decide():
    path = [(0, 1), (1, 2), (2, 3)]
    assert louvain(4, path, [1.0, 0.1, 1.0]) == [0, 0, 1, 1]
    assert louvain(4, path, [0.1, 1.0, 0.1]) != [0, 0, 1, 1]


def test_same_seed_same_communities_and_the_callers_randomness_untouched():
    rng = random.Random(3)
    edges = [(a, b) for a in range(40) for b in range(a) if rng.random() < 0.1]
    weights = [rng.random() for _ in edges]
    random.seed(1)
    expected = random.random()
    random.seed(1)
    first = louvain(40, edges, weights)
    assert random.random() == expected
    assert all(louvain(40, edges, weights) == first for _ in range(5))
