"""The window's articles put through M."""

import numpy as np
import pytest
import torch

from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.embedding import begin_embedding, embed, indicative_weights
from tests.conftest import START, encoded, make_article
from tests.discovery.paper.windows import at, empty_window, make_window

COLUMNS = ("vectors", "pooling", "received", "weights")


def known_of(window):
    return [window[name].tobytes() for name in COLUMNS]


@pytest.mark.parametrize("learned", [True, False])
def test_embedding_does_not_depend_on_the_company_not_even_in_a_bit(hashing, learned):
    model = ArticleEncoder(hashing.dim) if learned else None
    centre, window = torch.full((hashing.dim,), 0.01), empty_window(hashing.dim)
    for n in range(90):
        sentences = tuple(f"Sentence {i} of {n}." for i in range(1 + n * 7 % 12))
        member = encoded(make_article(n, "flood"), sentences, hashing.encode(sentences))
        window.append([member], not_before=START.timestamp())
    embed(model, window, np.arange(len(window)), at(centre))
    together = known_of(window)
    for chosen in (
        *np.arange(len(window))[:9, None],
        np.arange(40, 47),
        np.arange(len(window))[::-1],
    ):
        for name in COLUMNS:
            window[name][:] = np.where(np.isnan(window[name]), 0, window[name])
        embed(model, window, chosen, at(centre))
        assert known_of(window) == together


@pytest.mark.parametrize("centred", [True, False])
def test_an_article_gets_what_m_makes_of_its_sentences(hashing, centred):
    model, window = ArticleEncoder(hashing.dim), make_window(hashing)
    centre = torch.linspace(-1, 1, hashing.dim) if centred else None
    embed(model, window, np.array([3, 1]), at(centre))
    for i in range(len(window)):
        if i not in (1, 3):
            assert not window["vectors"][i].any()
            assert not window.of("weights", i).any()
            continue
        own = torch.from_numpy(window.members[i].vectors)
        found = model(own - centre if centred else own, [len(own)])
        expected = [part.detach().numpy() for part in found]
        np.testing.assert_allclose(window["vectors"][i], expected[0][0], atol=1e-5)
        np.testing.assert_allclose(window.of("pooling", i), expected[1], atol=1e-5)
        np.testing.assert_allclose(window.of("received", i), expected[2], atol=1e-5)
        positive = np.maximum(expected[3], 0)
        np.testing.assert_allclose(window.of("weights", i), positive / positive.sum(), atol=1e-5)


def test_without_m_an_article_is_the_mean_and_sentences_count_the_same(hashing):
    window = make_window(hashing)
    embed(None, window, np.arange(len(window)))
    for i, member in enumerate(window.members):
        np.testing.assert_allclose(window["vectors"][i], member.vectors.mean(axis=0), atol=1e-6)
        even = [1 / len(member.vectors)] * len(member.vectors)
        np.testing.assert_allclose(window.of("pooling", i), even, atol=1e-6)
        np.testing.assert_allclose(window.of("received", i), even, atol=1e-6)


def test_nothing_is_set_before_it_is_waited_for(hashing):
    model, window = ArticleEncoder(hashing.dim), make_window(hashing)
    finish = begin_embedding(model, window, np.arange(len(window)))
    assert not window["vectors"].any()
    finish()
    assert window["vectors"].any(axis=1).all()


def test_embedding_nothing(hashing):
    window = make_window(hashing)
    embed(ArticleEncoder(hashing.dim), window, np.empty(0, dtype=np.int64))
    assert not window["vectors"].any()


def test_a_sentence_that_points_elsewhere_has_no_weight():
    shares = np.array([0.9, -0.3, 0.4, 1.0, -0.2, -0.1], dtype=np.float32)
    found = indicative_weights(shares, np.array([3, 1, 2]))
    np.testing.assert_allclose(found, [0.9 / 1.3, 0, 0.4 / 1.3, 1, 0, 0], atol=1e-6)
