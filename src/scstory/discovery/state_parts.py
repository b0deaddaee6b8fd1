"""A state in parts, of which the database gets those that have changed.

The columns of the window are cut into blocks. The blocks are numbered by how many articles or
sentences came before, also those long gone, so a block stays the same while others come and go.
Stories are in blocks by their numbers. So what a commit writes depends on what has changed, and
not on the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.state import dump_state, load_state
from scstory.types import State

META = "meta"
WINDOW = "window"
ARTICLES, SENTENCES = 1024, 16384
"""Rows of a block of the window."""
BY_STORY = {"stories": 16, "dormant": 16, "sizes": 4096}
"""The lists of stories, and how many numbers of stories a block is for."""


class Part(NamedTuple):
    """A part of a state."""

    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    def same(self, other: Part | None) -> bool:
        """Say whether another part has the same content."""
        if other is None or self.arrays.keys() != other.arrays.keys() or self.meta != other.meta:
            return False
        return all(_same_bytes(value, other.arrays[name]) for name, value in self.arrays.items())


def parts_of(state: State) -> dict[str, Part]:
    """Return the parts of a state by name, without its articles."""
    parts: dict[str, Part] = {}

    def part(name: str) -> Part:
        return parts.setdefault(name, Part({}, {}))

    part(META).meta.update({k: v for k, v in state.meta.items() if k not in BY_STORY})
    for kind, size in BY_STORY.items():
        for item in state.meta.get(kind, ()):
            number = item[0] if kind == "sizes" else item["id"]
            part(_block(kind, number // size)).meta.setdefault(kind, []).append(item)
    layout = state.meta.get(WINDOW, {})
    for name, value in state.arrays.items():
        group, _, column = name.partition(".")
        if group != WINDOW:
            part(group).arrays[name] = value
            continue
        kind, start, size = "rows", layout["articles"], ARTICLES
        if column in layout["of_sentences"]:
            kind, start, size = "sentences", layout["sentences"], SENTENCES
        elif value.ndim > 1:
            kind = column
        first, last = start // size, (start + max(len(value), 1) - 1) // size
        for number in range(first, last + 1):
            own = slice(max(number * size - start, 0), (number + 1) * size - start)
            part(_block(f"{WINDOW}-{kind}", number)).arrays[name] = value[own]
    return parts


def dump_parts(state: State, *, since: State | None = None) -> dict[str, bytes]:
    """Return a state as bytes in parts, without its articles: those that changed since another."""
    before = parts_of(since) if since else {}
    return {
        name: dump_state(State(part.meta, part.arrays, ()), members=False)
        for name, part in parts_of(state).items()
        if not part.same(before.get(name))
    }


def part_names(state: State) -> set[str]:
    """Return the names of the parts a state is divided into: what changes together."""
    return set(parts_of(state))


def load_parts(parts: Mapping[str, bytes], *, what: str = "state") -> State:
    """Return the state that `dump_parts` divided."""
    meta: dict[str, Any] = {}
    by_story: dict[str, list[Any]] = {kind: [] for kind in BY_STORY if META in parts}
    arrays: dict[str, list[NDArray[Any]]] = {}
    for name in sorted(parts):
        part = load_state(parts[name], what=what)
        for key, value in part.meta.items():
            if key in BY_STORY:
                by_story.setdefault(key, []).extend(value)
            else:
                meta[key] = value
        for key, value in part.arrays.items():
            arrays.setdefault(key, []).append(value)
    joined = {k: v[0] if len(v) == 1 else np.concatenate(v) for k, v in arrays.items()}
    return State(meta | by_story, joined, ())


def _block(name: str, number: int) -> str:
    return f"{name}-{number:010d}"


def _same_bytes(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return np.array_equal(np.ravel(one).view(np.uint8), np.ravel(other).view(np.uint8))
