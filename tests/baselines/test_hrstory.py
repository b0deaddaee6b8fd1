"""HRSTORY: its encoder, the sentences it drops, and that it looks again."""

import math
from datetime import timedelta

import numpy as np
import pytest
import torch

from scstory.baselines.hrstory import SequentialEncoder
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.slides import cut_slides
from scstory.evaluation.systems import make_system
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream

DAY = timedelta(days=1)
ENCODER = HashingEncoder(dim=64)
UNTRAINED = {"warm_epochs": 0, "epochs": 0}
"""So that M stays as it starts."""


def make(**overrides):
    return make_system("hrstory", ENCODER, parameters={"batch_size": 16, **overrides})


def process(engine, articles):
    return engine.decide(articles) + engine.close()


def test_its_settings():
    settings = make().settings
    assert (settings.delta, settings.replay_from) == (0.45, 0.55)
    assert (settings.review_passes, settings.review_below) == (4, 0.85)
    assert (settings.mask_from, settings.mask_less_from) == (5, 30)


def test_both_branches_make_the_article():
    torch.manual_seed(0)
    model = SequentialEncoder(16, heads=4, pooling_width=1, seed=0)
    lengths = [5, 3]
    sentences = torch.randn(8, 16)
    whole = model(sentences, lengths)
    assert torch.allclose(whole.pooling[:5].sum(), torch.ones(()))
    assert torch.allclose(whole.pooling[5:].sum(), torch.ones(()))
    # Other articles are not seen, by the LSTM neither; the order of sentences is.
    other = torch.cat([sentences[:5], torch.full((7, 16), 7.0), sentences[5:]])
    found = model(other, [5, 7, 3]).articles
    assert torch.allclose(found[[0, 2]], whole.articles, atol=1e-6)
    turned = torch.cat([sentences[:5].flip(0), sentences[5:].flip(0)])
    assert not torch.allclose(model(turned, lengths).articles, whole.articles, atol=1e-4)
    plain = ArticleEncoder(16, seed=0)
    assert torch.allclose(
        plain(turned, lengths).articles, plain(sentences, lengths).articles, atol=1e-5
    )


def test_attention_starts_as_that_of_torch():
    dim = 64
    model = SequentialEncoder(dim, heads=4, pooling_width=1, seed=0)
    theirs = torch.nn.MultiheadAttention(dim, 4)
    for attention in (model.attention, model.order.attention):
        for layer in (attention.query, attention.key, attention.value):
            assert layer.weight.std().item() == pytest.approx(
                theirs.in_proj_weight.std().item(), rel=0.05
            )
        assert attention.output.weight.std().item() == pytest.approx(
            theirs.out_proj.weight.std().item(), rel=0.05
        )
        assert attention.output.weight.abs().max() <= 1 / math.sqrt(dim)


@pytest.mark.parametrize(("sentences", "kept"), [(4, 4), (5, 4), (12, 9), (29, 22), (40, 32)])
def test_the_lowest_weighted_sentences_are_dropped_for_good(sentences, kept):
    engine = make(window="1d", **UNTRAINED)
    process(engine, [make_article(0, "trial")])  # the first window, which is only clustered
    article = make_article(0, "flood", day=1, sentences=sentences - 1)  # the title is one, too
    engine.decide([article])
    window = engine.scope.window
    before, weights = window.members[0].sentences, window.of("pooling", 0).copy()
    assert len(before) == len(weights) == sentences
    engine.close()
    (member,) = window.members
    assert len(member.sentences) == len(member.vectors) == window.lengths[0] == kept
    best = np.sort(np.argsort(weights, kind="stable")[sentences - kept :])
    assert member.sentences == tuple(before[i] for i in best)
    # The article is at once what is left of it.
    model = SequentialEncoder(ENCODER.dim, heads=4, pooling_width=1, seed=0)
    again = model(torch.from_numpy(ENCODER.encode(member.sentences)), [kept])
    assert np.allclose(window["vectors"], again.articles.detach().numpy(), atol=1e-6)
    assert window.of("pooling", 0).sum() == pytest.approx(1)


def test_only_new_articles_lose_sentences():
    engine = make(window="2d", warm_epochs=1)
    days = list(cut_slides(make_stream(5), DAY))
    lengths = {}
    for day, articles in enumerate(days):
        process(engine, articles)
        window = engine.scope.window
        now = {m.article.id: len(m.sentences) for m in window.members}
        assert lengths.items() & now.items() == {
            (article, n) for article, n in lengths.items() if article in now
        }
        lengths = now
        # Those of the first window lose none.
        assert [now[a.id] for a in articles] == [5 if day < 2 else 4] * len(articles)


def test_no_article_depends_on_its_company_in_a_bit():
    model = SequentialEncoder(16, heads=4, pooling_width=1, seed=0)
    lengths = [3, 1, 7, 3]
    sentences = torch.randn(sum(lengths), 16, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        together = model(sentences, lengths, exact=True)
        for i, own in enumerate(sentences.split(lengths)):
            start = sum(lengths[:i])
            alone = model(own, lengths[i : i + 1], exact=True)
            part = slice(start, start + lengths[i])
            assert torch.equal(alone.articles[0], together.articles[i])
            for one, other in zip(alone[1:], together[1:], strict=True):
                assert torch.equal(one, other[part])
        at_once = model(sentences, lengths)
    for one, other in zip(at_once, together, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_doubtful_articles_are_released_and_assigned_again():
    stream = list(cut_slides(make_stream(6), DAY))
    never, always = (
        make(window="2d", warm_epochs=1, **review)
        for review in ({"review_passes": 0}, {"review_below": 1.0})
    )
    moved = [
        [d for articles in stream for d in process(engine, articles) if d.was is not None]
        for engine in (never, always)
    ]
    assert not moved[0]
    assert moved[1]
    assert all(decision.was != decision.story for decision in moved[1])
