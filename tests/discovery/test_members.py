"""The articles of a window: those that are not in memory come back as they were."""

import os
import resource
from pathlib import Path

import numpy as np
import pytest

from scstory.discovery import Engine, members
from scstory.discovery.member_records import extract_bytes, extract_from
from scstory.discovery.members import Members, temporary_folder
from scstory.discovery.presets import make_engine, make_settings
from scstory.errors import StoreError
from scstory.text.extract import Extract, Quotable, extract_of
from scstory.text.wording import Wording
from scstory.types import EncodedArticle
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream


@pytest.fixture
def few_in_memory(monkeypatch):
    monkeypatch.setattr(members, "IN_MEMORY", 4)
    monkeypatch.setattr(members, "TO_FILE", 2)
    monkeypatch.setattr(members, "IN_A_FILE", 5)


@pytest.fixture
def articles():
    return encode_articles(make_stream(5), HashingEncoder(dim=8))


def parts(one: EncodedArticle):
    reading = one.reading
    numbers = [part.tolist() for part in (reading.columns, reading.uses, reading.used_in)]
    return one.article, one.sentences, reading.lede, reading.language, numbers, one.vectors.tolist()


def open_files() -> int:
    """Count the open files that have no name any more."""
    folder = Path("/proc/self/fd")
    return sum(
        os.readlink(folder / name).endswith("(deleted)")
        for name in os.listdir(folder)
        if (folder / name).is_symlink()
    )


@pytest.mark.usefixtures("few_in_memory")
def test_articles_in_files_come_back_as_they_were(articles):
    some = Members()
    for one in articles:
        some.extend([one])
    assert open_files()
    assert [*map(parts, some)] == [*map(parts, articles)]
    assert [*map(parts, some[3:9])] == [*map(parts, articles[3:9])]
    assert some.ids == [one.article.id for one in articles]
    assert some.dates == [one.article.published for one in articles]
    assert np.array_equal(some.vectors(0), articles[0].vectors)


@pytest.mark.usefixtures("few_in_memory")
def test_files_go_with_the_last_article_that_is_in_them(articles):
    before = open_files()
    some = Members(articles)
    held = some[:3]
    assert open_files() > before
    some.drop(len(some))  # the file that would be written next stays open, and that of `held`
    assert (len(some), open_files()) == (0, before + 2)
    assert parts(held[2]) == parts(articles[2])
    del held, some
    assert open_files() == before


@pytest.mark.usefixtures("few_in_memory")
def test_an_article_may_be_replaced_wherever_it_is(articles):
    some = Members(articles)
    some[0], some[len(some) - 1] = articles[5], articles[6]
    assert parts(some[0]) == parts(articles[5])
    assert parts(some[len(some) - 1]) == parts(articles[6])


@pytest.mark.usefixtures("few_in_memory")
def test_a_full_disk_is_reported_with_the_way_out(articles):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written .*set TMPDIR to a folder"):
            Members(articles)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_folder_can_be_named(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert temporary_folder() != Path("/var/tmp")


def run(preset: str) -> tuple[list, Engine]:
    engine = make_engine(make_settings(preset), HashingEncoder(dim=32))
    decided = [decision for article in make_stream(9) for decision in engine.decide([article])]
    return [*decided, *engine.finish()], engine


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_decisions_and_descriptions_are_the_same_from_files(preset, request):
    in_memory, first = run(preset)
    request.getfixturevalue("few_in_memory")
    from_files, second = run(preset)
    assert open_files()
    assert in_memory == from_files
    assert first.stories() == second.stories()
    one, other = first.state(), second.state()
    assert one.meta == other.meta
    assert all(np.array_equal(value, other.arrays[name]) for name, value in one.arrays.items())


@pytest.mark.usefixtures("few_in_memory")
def test_what_is_known_of_an_article_stays_known_in_files(articles):
    some, known = Members(), []
    for one in articles:
        some.extend([one])
        known.append(some.extract(len(some) - 1))
    expected = [extract_of(one.article, one.sentences, one.reading.language) for one in articles]
    chinese = Wording({}, {"a": 1}, {}, together={("洪", "水"): 2, ("洪",): 3}, language="zh")
    quote = Quotable(1, "洪水", True, frozenset({frozenset({"洪", "水"}), frozenset()}))
    written = Extract(chinese, "洪水", 0.5, (quote,))
    assert extract_from(extract_bytes(written)) == written
    assert known == expected
    assert [some.extract(row) for row in range(len(some))] == expected
    unasked = Members(articles)
    assert [unasked.extract(0), unasked.extract(0)] == [expected[0], expected[0]]
    some.drop(len(some) - 1)
    assert some.extract(0) == expected[-1]
