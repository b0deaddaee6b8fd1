"""The index of keys: it finds the latest rows that have a key, whatever its runs look like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery import key_index
from scstory.discovery.key_index import KeyIndex

ROWS = st.lists(st.sets(st.integers(0, 6), max_size=4), max_size=40)


@given(ROWS, st.integers(0, 10), st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_it_finds_the_latest_rows_that_have_a_key(rows, first, most, pending) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_index, "PENDING", pending)
        index = KeyIndex()
        for serial, keys in enumerate(rows):
            index.add(serial, np.array(sorted(keys), dtype=np.int32))
    wanted = np.array([3, 0, 9])
    places, serials = index.find(wanted, first=first, most=most)
    for place, key in enumerate(wanted.tolist()):
        latest = [serial for serial, keys in enumerate(rows) if key in keys][-most:]
        found = sorted(serials[places == place].tolist())
        assert found == [serial for serial in latest if serial >= first]


def test_rows_that_were_added_at_once_are_found_with_later_ones() -> None:
    index = KeyIndex()
    index.add_many(np.array([0, 0, 1, 2]), np.array([5, 6, 5, 7]))
    index.add(3, np.array([5]))
    places, serials = index.find(np.array([5, 7]), first=1, most=9)
    assert sorted(zip(places.tolist(), serials.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 2)]
