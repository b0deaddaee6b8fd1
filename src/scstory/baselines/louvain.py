"""Communities in a graph of articles, for the systems that cluster by graph."""

import random

from scstory.extras import load_extra


def louvain(
    count: int, edges: list[tuple[int, int]], weights: list[float], *, seed: int = 0
) -> list[int]:
    """Return the community of each vertex, numbered in the order of their first vertices.

    >>> louvain(5, [(0, 1), (3, 4)], [1.0, 0.5])
    [0, 0, 1, 2, 2]
    """
    igraph = load_extra("igraph", extra="research", purpose="clustering by graph")
    if not edges:
        return list(range(count))
    graph = igraph.Graph(n=count, edges=edges)
    # Louvain visits the vertices in random order, by one generator for the whole process.
    igraph.set_random_number_generator(random.Random(seed))
    try:
        found: list[int] = graph.community_multilevel(weights=weights).membership
    finally:
        igraph.set_random_number_generator(random)
    order = {community: number for number, community in enumerate(dict.fromkeys(found))}
    return [order[community] for community in found]
