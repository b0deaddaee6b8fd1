"""Names that a dictionary cuts into pieces are put together again."""

import pytest

from scstory.text import TermStatistics, keywords, split_article, wording_of
from scstory.text.joining import joined
from scstory.types import Article
from tests.conftest import START


def wording(language, title, text):
    one = Article("1", START, title, text, language=language)
    return wording_of(one, split_article(one))


def texts(name, count=3):
    """Return the wordings of some articles that have a name twice each."""
    said = f"{name}周一表示，法院将审理此案。{name}的律师没有回应。"
    return [wording("zh", f"法院审理{name}案件", said) for _ in range(count)]


@pytest.mark.parametrize("name", ["昂山素季", "杜新枝", "孔子学院"])
def test_a_name_whose_pieces_never_stand_apart_is_one(name):
    found = joined(texts(name))
    assert all(name in {*text.names, *text.words} for text in found)
    assert name in keywords(found, TermStatistics())


def test_pieces_that_also_stand_apart_stay_apart():
    apart = wording("zh", "孔子的思想", "孔子是思想家。孔子教育学生。学院位于北京。学院今年招生。")
    found = joined([*texts("孔子学院", 2), apart])
    assert not any("孔子学院" in {*text.names, *text.words} for text in found)


def test_where_spaces_divide_words_nothing_is_joined():
    one = wording("en", "Ann Lanning warns Kelby", "On Monday Ann Lanning warned Kelby.")
    assert not one.together
    assert joined([one]) == [one]
