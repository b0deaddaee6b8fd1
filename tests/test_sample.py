"""The bundled sample is what it claims to be."""

from collections import Counter
from datetime import timedelta

from scstory.sample import load_sample
from scstory.text import split_article


def test_sample():
    items = load_sample()
    assert all(item.article and item.label for item in items)
    articles = [item.article for item in items]
    assert len(articles) == len({a.id for a in articles}) == len({a.title for a in articles}) == 122
    assert [a.published for a in articles] == sorted(a.published for a in articles)
    assert timedelta(days=19) < articles[-1].published - articles[0].published < timedelta(days=21)
    stories = Counter(item.label for item in items)
    assert len(stories) == 16
    assert all(7 <= n <= 8 for n in stories.values())
    assert len({a.source for a in articles}) == 8


def test_no_sentence_is_used_twice():
    sentences = Counter(s for i in load_sample() for s in split_article(i.article))
    assert [s for s, n in sentences.items() if n > 1] == []
