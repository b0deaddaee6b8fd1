"""HRSTORY: its encoder, the sentences it drops, and that it looks again."""

import math
from datetime import timedelta

import numpy as np
import pytest
import torch

from scstory.baselines.hrstory import HrStory, SequentialEncoder
from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.window import cut_slides
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream

DAY = timedelta(days=1)
ENCODER = HashingEncoder(dim=64)


def make(**overrides):
    return HrStory(encoder=ENCODER, **{"batch": 16, "warm_epochs": 1, **overrides})


def test_its_parameters():
    parameters = make().parameters
    assert (parameters.delta, parameters.replay_from) == (0.45, 0.55)
    assert (parameters.review, parameters.review_below) == (4, 0.85)


def test_both_branches_make_the_article():
    torch.manual_seed(0)
    model = SequentialEncoder(16, heads=4, pooling_width=1, seed=0)
    sentences, mask = torch.randn(2, 5, 16), torch.ones(2, 5, dtype=torch.bool)
    mask[1, 3:] = False
    whole = model(sentences, mask)
    assert torch.allclose(whole.pooling.sum(1), torch.ones(2))
    assert (whole.pooling[1, 3:] == 0).all()
    # What is behind the mask is not seen, by the LSTM neither; the order of sentences is.
    other = sentences.clone()
    other[1, 3:] = 7
    assert torch.allclose(model(other, mask).articles, whole.articles)
    turned = model(sentences.flip(1), mask).articles
    assert not torch.allclose(turned[0], whole.articles[0], atol=1e-4)
    plain = ArticleEncoder(16, seed=0)
    assert torch.allclose(
        plain(sentences.flip(1), mask).articles[0], plain(sentences, mask).articles[0], atol=1e-5
    )


def test_attention_begins_as_that_of_torch():
    dim = 64
    model = SequentialEncoder(dim, heads=4, pooling_width=1, seed=0)
    theirs = torch.nn.MultiheadAttention(dim, 4)
    for branch in (model, model.order):
        for layer in (branch.query, branch.key, branch.value):
            assert layer.weight.std().item() == pytest.approx(
                theirs.in_proj_weight.std().item(), rel=0.05
            )
        assert branch.output.weight.std().item() == pytest.approx(
            theirs.out_proj.weight.std().item(), rel=0.05
        )
        assert branch.output.weight.abs().max() <= 1 / math.sqrt(dim)


@pytest.mark.parametrize(("sentences", "kept"), [(4, 4), (5, 4), (12, 9), (29, 22), (40, 32)])
def test_the_lowest_weighted_sentences_are_dropped_for_good(sentences, kept):
    system = make(cold_start="none")
    article = make_article(0, "flood", sentences=sentences - 1)  # the title is one, too
    slide = encode_articles([article], ENCODER)
    weights = {}
    mask = system._mask

    def watched(new):
        weights[0] = system._window.pooling[0].copy()
        mask(new)

    system._mask = watched
    system.process(slide)
    window = system._window
    assert len(weights[0]) == sentences
    assert len(window.members[0].sentences) == window.lengths[0] == kept
    best = np.sort(np.argsort(weights[0], kind="stable")[sentences - kept :])
    assert window.members[0].sentences == tuple(slide[0].sentences[i] for i in best)
    # The article is at once what is left of it.
    again = system._model(window.sentences[None], torch.ones(1, kept, dtype=torch.bool))
    assert np.allclose(window.vectors, again.articles.detach().numpy(), atol=1e-6)


def test_only_new_articles_lose_sentences():
    system = make(cold_start="none")
    days = [encode_articles(some, ENCODER) for some in cut_slides(make_stream(3), DAY)]
    system.process(days[0])
    before = system._window.lengths.copy()
    system.process(days[1])
    assert system._window.lengths[: len(before)].tolist() == before.tolist()


def test_no_article_depends_on_its_company_in_a_bit():
    model = SequentialEncoder(16, heads=4, pooling_width=1, seed=0)
    lengths = [3, 1, 7, 3]
    sentences = torch.randn(sum(lengths), 16, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        together = model.each(sentences, lengths)
        for i, own in enumerate(sentences.split(lengths)):
            start = sum(lengths[:i])
            alone, part = model.each(own, lengths[i : i + 1]), slice(start, start + lengths[i])
            assert torch.equal(alone.articles[0], together.articles[i])
            for one, other in zip(alone[1:], together[1:], strict=True):
                assert torch.equal(one, other[part])
