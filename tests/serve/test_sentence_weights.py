"""Paragraphs and shades of an article's sentences."""

from dataclasses import replace

import pytest

from scstory.serve.sentence_weights import paragraphs, shades
from scstory.store.records import ArticleRow
from tests.conftest import make_article


def row(text, *, title="Alder rises", weights=()):
    article = replace(make_article(1, "flood"), title=title, text=text)
    values = {name: getattr(article, name) for name in type(article).__slots__}
    return ArticleRow(
        **values,
        sequence=1,
        late=False,
        story=1,
        confidence=1.0,
        new=True,
        weights=weights,
        runners_up=(),
        evidence={},
    )


def texts(found):
    return [[text for text, _ in sentences] for sentences in found]


def test_empty_lines_part_paragraphs_and_line_ends_do_not():
    text = "The river rose\nby a metre. It rained.\n\n  \nDr. Lanning left.\n\n\nNobody stayed."
    assert texts(paragraphs(row(text))) == [
        ["The river rose by a metre.", "It rained."],
        ["Dr. Lanning left."],
        ["Nobody stayed."],
    ]


def test_line_ends_part_paragraphs_where_there_is_no_empty_line():
    assert texts(paragraphs(row("It rained. It poured.\nThe river rose.\n"))) == [
        ["It rained.", "It poured."],
        ["The river rose."],
    ]


def test_sentences_have_the_shades_of_their_weights_and_the_rest_none():
    found = paragraphs(row("One came.\n\nTwo went. Three.", weights=(0.2, 0.2, 0.6)))
    assert found == [[("One came.", 0)], [("Two went.", 7), ("Three.", None)]]


@pytest.mark.parametrize("title", ["", "  "])
def test_an_article_without_a_title_keeps_its_first_sentence(title):
    assert texts(paragraphs(row("It rained.\n\nIt poured.", title=title))) == [
        ["It rained."],
        ["It poured."],
    ]


def test_nothing_of_a_long_text_is_lost():
    text = "\n\n".join(f"Sentence number {i} is here." for i in range(200))
    found = paragraphs(row(text, weights=(0.02,) * 50))
    assert [sentence for part in texts(found) for sentence in part] == text.split("\n\n")


def test_shades_show_even_small_differences():
    assert shades([0.124998, 0.125001, 0.125006]) == [0, 3, 7]
    assert shades([0.5, 0.5]) == [0, 0]
    assert shades([]) == []
