"""The index of the rows of stories: it always says what the column says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.story_rows import Changes, StoryRows

STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),  # rows that leave
        st.lists(st.integers(-1, 4), max_size=4),  # rows that arrive
        st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 4)), max_size=3),  # rows that move
    ),
    max_size=8,
)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_the_rows_of_stories_are_those_of_the_column(steps: list) -> None:
    rows, column, first = StoryRows(), np.empty(0, dtype=np.int64), 0
    for gone, arrived, moved in steps:
        gone = min(gone, len(column))
        column, first = np.concatenate([column[gone:], arrived]).astype(np.int64), first + gone
        for place, story in moved:
            if place < len(column):
                column[place] = story
        rows.update(column, first)
        assert set(rows) == set(column.tolist())
        for story in rows:
            assert rows.of(story).tolist() == np.flatnonzero(column == story).tolist()


def test_changes_are_said_once_with_what_was_before() -> None:
    changes, column = Changes(), np.array([5, 6, 7])
    assert changes.take(column, 0)[0].tolist() == [0, 1, 2]
    assert changes.take(column, 0)[0].tolist() == []
    column = np.array([6, 9, 8])  # one has left, one has changed, one has arrived
    serials, before, fresh = changes.take(column, 1)
    assert serials.tolist() == [0, 2, 3]
    assert before.tolist() == [5, 7]
    assert fresh.tolist() == [False, False, True]
