"""A new compared system is one class in one file, and one line in the registry."""

import pytest

from scstory.baselines import SYSTEMS
from scstory.baselines.baseline import Baseline, Range
from scstory.evaluation.systems import make_system, system_names, tuning_grid
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article


class ByTitle(Baseline):
    """Articles whose titles start with the same letters are one story."""

    name = "bytitle"
    ranges = {"letters": Range(3, (1, 2, 3))}  # noqa: RUF012

    def decide(self, scope, new):
        window, stories = scope.window, {}
        for i, member in enumerate(window.members):
            start = member.article.title[: int(self.parameters["letters"])]
            if i not in new:
                stories.setdefault(start, int(window.story[i]))
            else:
                if start not in stories:
                    stories[start] = scope.new_story()
                window.story[i] = stories[start]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(SYSTEMS, ByTitle.name, ByTitle)


def test_it_is_found_by_name_and_decides():
    assert ByTitle.name in system_names()
    engine = make_system(ByTitle.name, HashingEncoder(dim=8))
    stream = [make_article(n, topic, day=n) for n in range(3) for topic in ("flood", "trial")]
    decided = [a for article in stream for a in engine.decide([article])] + engine.finish()
    assert {a.article.partition("-")[0]: a.story for a in decided} == {"flood": 1, "trial": 2}
    assert [a.new for a in decided] == [True, True, False, False, False, False]


def test_its_parameters_can_be_set_and_tuned():
    engine = make_system(ByTitle.name, HashingEncoder(dim=8), parameters={"letters": 0})
    engine.decide([make_article(0, "flood"), make_article(0, "trial")])
    assert {a.story for a in engine.close()} == {1}
    assert tuning_grid(ByTitle.name) == [{"letters": n} for n in (1, 2, 3)]
