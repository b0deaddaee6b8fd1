"""Threads: stories that belong to one longer affair, linked above the story level.

A story joins the thread of the story that it is most like, provided that it is also like the other
stories of that thread on average, so that no chain of neighbours links what has nothing in common.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from scstory.discovery.overview.outline import Outline, likeness
from scstory.discovery.window import Floats


def nearest(own: Outline, others: Mapping[int, Outline], centre: Floats) -> list[tuple[float, int]]:
    """Return how alike a story and others are, the most alike first."""
    found = [(likeness(own, other, centre), number) for number, other in others.items()]
    return sorted(found, key=lambda one: (-one[0], one[1]))


def fits(own: Outline, members: Sequence[Outline], centre: Floats, least: float) -> bool:
    """Say whether a story is as alike as that to the stories of a thread, on average."""
    alike = [likeness(own, one, centre) for one in members]
    return not alike or float(np.mean(alike)) >= least
