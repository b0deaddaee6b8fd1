"""M against the paper's counts, an independent computation, and finite differences."""

import math

import numpy as np
import pytest
import torch

from scstory.discovery.attention import BLOCK, ArticleEncoder
from scstory.errors import ConfigError


def make(dim=8, **options):
    return ArticleEncoder(dim, **options)


@pytest.mark.parametrize(("dim", "millions"), [(1024, 5.25), (768, 2.95)])
def test_has_as_many_parameters_as_the_paper_says(dim, millions):
    count = sum(parameter.numel() for parameter in make(dim).parameters())
    assert round(count / 1e6, 2) == millions


def by_hand(model, sentences):
    """The equations, article by article and head by head, in numpy."""
    get = {name: value.detach().numpy() for name, value in model.named_parameters()}
    n = len(sentences)
    size = model.query.out_features // model.heads
    heads, received = [], np.zeros(n)
    for head in range(model.heads):
        part = slice(head * size, (head + 1) * size)
        q = sentences @ get["query.weight"].T[:, part]
        k = sentences @ get["key.weight"].T[:, part]
        v = sentences @ get["value.weight"].T[:, part]
        weights = np.exp(q @ k.T / math.sqrt(size))
        weights /= weights.sum(axis=1, keepdims=True)
        heads.append(weights @ v)
        received += weights.sum(axis=0) / model.heads
    x = np.hstack(heads) @ get["output.weight"].T + sentences
    x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    x = x * get["norm.weight"] + get["norm.bias"]
    c = np.tanh(x @ get["sentence.weight"].T + get["sentence.bias"])
    hidden = np.tanh(c @ get["pool_hidden.weight"].T + get["pool_hidden.bias"])
    score = np.exp(hidden @ get["pool_score.weight"].T)[:, 0]
    alpha = score / score.sum()
    return alpha @ c, alpha, received


@pytest.mark.parametrize(("width", "pooling_width"), [(0, 1), (0, 5), (4, 1)])
def test_computes_the_papers_equations(width, pooling_width):
    model = make(heads=2, width=width, pooling_width=pooling_width, seed=3)
    sentences = torch.randn(5, 8, generator=torch.Generator().manual_seed(1))
    result = model(sentences[None], torch.ones(1, 5, dtype=torch.bool))
    vector, alpha, received = by_hand(model, sentences.numpy())
    np.testing.assert_allclose(result.articles[0].detach(), vector, atol=1e-5)
    np.testing.assert_allclose(result.pooling[0].detach(), alpha, atol=1e-5)
    np.testing.assert_allclose(result.received[0], received, atol=1e-5)


def test_padding_changes_nothing():
    model = make(heads=2)
    generator = torch.Generator().manual_seed(1)
    sentences = torch.randn(1, 3, 8, generator=generator)
    padded = torch.cat([sentences, 1e3 * torch.randn(1, 9, 8, generator=generator)], dim=1)
    mask = torch.arange(12)[None] < 3
    alone, beside = model(sentences, mask[:, :3]), model(padded, mask)
    torch.testing.assert_close(alone.articles, beside.articles)
    torch.testing.assert_close(alone.pooling, beside.pooling[:, :3])
    torch.testing.assert_close(alone.received, beside.received[:, :3])
    assert (beside.pooling[:, 3:] == 0).all()
    assert (beside.received[:, 3:] == 0).all()


@pytest.mark.parametrize("dim", [8, 64])
@pytest.mark.parametrize("count", [1, 3, BLOCK])
def test_each_article_by_itself_is_what_a_padded_batch_says(dim, count):
    model = make(dim, heads=2, seed=5)
    generator = torch.Generator().manual_seed(count)
    lengths = [1 + n % 7 for n in range(count)]
    sentences = torch.randn(sum(lengths), dim, generator=generator)
    parts = sentences.split(lengths)
    mask = torch.arange(7)[None] < torch.tensor(lengths)[:, None]
    padded = torch.zeros(count, 7, dim)
    padded[mask] = sentences
    with torch.no_grad():
        batch, each = model(padded, mask), model.each(sentences, lengths)
        torch.testing.assert_close(each.articles, batch.articles)
        for one, other in zip(each[1:], batch[1:], strict=True):
            torch.testing.assert_close(one, other[mask])
        for i, (own, length) in enumerate(zip(parts, lengths, strict=True)):
            assert torch.equal(model.each(own, [length]).articles[0], each.articles[i])


def test_padding_gets_no_gradient_and_gives_none():
    model = make(heads=2)
    sentences = torch.randn(2, 6, 8, requires_grad=True)
    mask = torch.tensor([[True] * 6, [True] * 2 + [False] * 4])
    model(sentences, mask).articles.square().sum().backward()
    assert (sentences.grad[1, 2:] == 0).all()
    assert (sentences.grad[1, :2] != 0).any()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters())


def test_gradients_match_finite_differences():
    model = make(4, heads=2).double()
    sentences = torch.randn(2, 3, 4, dtype=torch.double, requires_grad=True)
    mask = torch.tensor([[True, True, True], [True, True, False]])
    assert torch.autograd.gradcheck(lambda x: model(x, mask).articles, (sentences,))


def test_order_of_sentences_does_not_matter():
    model = make(heads=2)
    sentences = torch.randn(1, 5, 8)
    mask = torch.ones(1, 5, dtype=torch.bool)
    turned = model(sentences.flip(1), mask)
    torch.testing.assert_close(model(sentences, mask).articles, turned.articles)


def test_identity_start_is_the_mean_of_the_sentences():
    model = make(64, start="identity")
    sentences = torch.randn(1, 6, 64, generator=torch.Generator().manual_seed(0))
    sentences = sentences - sentences.mean(-1, keepdim=True)
    sentences = sentences / sentences.std(-1, correction=0, keepdim=True)
    result = model(sentences, torch.ones(1, 6, dtype=torch.bool))
    torch.testing.assert_close(result.pooling, torch.full((1, 6), 1 / 6))
    cosine = torch.cosine_similarity(result.articles, sentences.mean(1))
    assert cosine.item() > 0.999


def test_seed_decides_the_start():
    first, second, third = make(seed=1), make(seed=1), make(seed=2)
    assert torch.equal(first.query.weight, second.query.weight)
    assert not torch.equal(first.query.weight, third.query.weight)


def test_heads_must_divide_the_dimension():
    with pytest.raises(ConfigError, match=r"3 heads: must divide the attention's width \(8\)"):
        make(8, heads=3)
    with pytest.raises(ConfigError, match=r"4 heads: must divide the attention's width \(6\)"):
        make(8, heads=4, width=6)
