"""M against the paper's counts, an independent computation, and finite differences."""

import math

import numpy as np
import pytest
import torch

from scstory.discovery.paper.article_encoder import BLOCK_ROWS, ArticleEncoder
from scstory.errors import ConfigError


def make(dim=8, **options):
    return ArticleEncoder(dim, **options)


def randn(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def parameters_of(dim, width):
    model = make(dim, pooling_width=width)
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_has_as_many_parameters_as_the_paper_says(width):
    """5.25 million at 1024 dimensions and 2.95 at 768: so with one to four columns in W_a."""
    assert round(parameters_of(1024, width) / 1e6, 2) == 5.25
    assert round(parameters_of(768, width) / 1e6, 2) == 2.95


def test_the_papers_counts_exclude_a_fifth_column():
    # 5 h² weights, 3 h of the normalisation and b_c, and h + 2 for each column of W_a
    assert parameters_of(768, 5) == 5 * 768**2 + 3 * 768 + 5 * 770
    assert round(parameters_of(768, 5) / 1e6, 2) == 2.96


def by_hand(model, sentences):
    """The equations, article by article and head by head, in numpy."""
    get = {name: value.detach().numpy() for name, value in model.named_parameters()}
    n, heads = len(sentences), model.attention.heads
    size = len(get["attention.query.weight"]) // heads
    found, received = [], np.zeros(n)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        q = sentences @ get["attention.query.weight"].T[:, part]
        k = sentences @ get["attention.key.weight"].T[:, part]
        v = sentences @ get["attention.value.weight"].T[:, part]
        weights = np.exp(q @ k.T / math.sqrt(size))
        weights /= weights.sum(axis=1, keepdims=True)
        found.append(weights @ v)
        received += weights.sum(axis=0) / heads
    x = np.hstack(found) @ get["attention.output.weight"].T + sentences
    x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    x = x * get["indicative.norm.weight"] + get["indicative.norm.bias"]
    c = np.tanh(x @ get["indicative.linear.weight"].T + get["indicative.linear.bias"])
    hidden = np.tanh(c @ get["pooling.hidden.weight"].T + get["pooling.hidden.bias"])
    score = np.exp(hidden @ get["pooling.score.weight"].T)[:, 0]
    alpha = score / score.sum()
    article = alpha @ c
    return article, alpha, received, alpha * (c @ article) / (article @ article)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("width", "pooling_width"), [(0, 1), (0, 5), (4, 1)])
def test_computes_the_papers_equations(width, pooling_width, exact):
    model = make(heads=2, width=width, pooling_width=pooling_width, seed=3)
    sentences = randn(5, 8)
    found = model(sentences, [5], exact=exact)
    vector, alpha, received, shares = by_hand(model, sentences.numpy())
    np.testing.assert_allclose(found.articles[0].detach(), vector, atol=1e-5)
    np.testing.assert_allclose(found.pooling.detach(), alpha, atol=1e-5)
    np.testing.assert_allclose(found.received.detach(), received, atol=1e-5)
    np.testing.assert_allclose(found.shares.detach(), shares, atol=1e-5)


def several(count, dim, seed=1):
    """Return articles of different lengths, below each other."""
    lengths = [1 + n % 7 for n in range(count)]
    return randn(sum(lengths), dim, seed=seed), lengths


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("dim", [8, 64])
@pytest.mark.parametrize("count", [1, 3, BLOCK_ROWS])
def test_an_article_is_what_it_is_by_itself(dim, count, exact):
    model = make(dim, heads=2, seed=5)
    sentences, lengths = several(count, dim)
    with torch.no_grad():
        together = model(sentences, lengths, exact=exact)
        parts = [part.split(lengths) for part in (sentences, *together[1:])]
        for i, (own, *rest) in enumerate(zip(*parts, strict=True)):
            alone = model(own, [len(own)], exact=exact)
            torch.testing.assert_close(alone.articles[0], together.articles[i])
            for one, other in zip(alone[1:], rest, strict=True):
                torch.testing.assert_close(one, other)


@pytest.mark.parametrize("dim", [8, 64])
@pytest.mark.parametrize("count", [1, 3, BLOCK_ROWS])
def test_if_exact_to_the_last_bit(dim, count):
    model = make(dim, heads=2, seed=5)
    sentences, lengths = several(count, dim)
    with torch.no_grad():
        together = model(sentences, lengths, exact=True)
        for i, own in enumerate(sentences.split(lengths)):
            alone = model(own, [len(own)], exact=True)
            assert torch.equal(alone.articles[0], together.articles[i])
            for one, other in zip(alone[1:], together[1:], strict=True):
                assert torch.equal(one, other.split(lengths)[i])


def test_shares_add_up_to_one():
    model = make(heads=2)
    sentences, lengths = several(20, 8)
    for own in model(sentences, lengths).shares.split(lengths):
        assert own.sum().item() == pytest.approx(1, abs=1e-4)


def test_an_article_gets_its_own_gradient_and_no_other():
    """Neither padding nor neighbours take part."""
    model = make(heads=2)
    sentences = randn(8, 8).requires_grad_()
    articles = model(sentences, [6, 2]).articles
    (apart,) = torch.autograd.grad(articles[1].square().sum(), sentences, retain_graph=True)
    assert (apart[:6] == 0).all()
    assert (apart[6:] != 0).any()
    articles.square().sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters())
    alone = randn(8, 8)[6:].requires_grad_()
    model(alone, [2]).articles.square().sum().backward()
    torch.testing.assert_close(alone.grad, sentences.grad[6:])


@pytest.mark.parametrize("exact", [True, False])
def test_gradients_match_finite_differences(exact):
    model = make(4, heads=2).double()
    sentences = randn(5, 4).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: model(x, [3, 2], exact=exact).articles, (sentences,))


def test_order_of_sentences_does_not_matter():
    model = make(heads=2)
    sentences = randn(5, 8)
    turned = model(sentences.flip(0), [5])
    torch.testing.assert_close(model(sentences, [5]).articles, turned.articles)


def test_seed_decides_the_start():
    first, second, third = make(seed=1), make(seed=1), make(seed=2)
    assert torch.equal(first.attention.query.weight, second.attention.query.weight)
    assert not torch.equal(first.attention.query.weight, third.attention.query.weight)


def test_starts_as_torchs_own_layers_do():
    """Uniform up to torch's bounds: the largest of thousands of draws is just below each."""
    dim, width = 64, 32
    model = make(dim, seed=3)
    theirs = torch.nn.MultiheadAttention(dim, 4, bias=False)
    ours = {name: getattr(model.attention, name).weight for name in ("query", "key", "value")}
    for weight in ours.values():  # Xavier over the matrix of all three, (3 · 64, 64)
        assert weight.abs().max().item() == pytest.approx(math.sqrt(6 / (4 * dim)), rel=0.01)
        assert weight.std().item() == pytest.approx(theirs.in_proj_weight.std().item(), rel=0.05)
    output = model.attention.output.weight
    assert output.abs().max().item() == pytest.approx(1 / math.sqrt(dim), rel=0.01)
    assert output.std().item() == pytest.approx(theirs.out_proj.weight.std().item(), rel=0.05)
    narrow = make(dim, width=width, seed=3).attention
    assert narrow.query.weight.abs().max() <= math.sqrt(6 / (3 * width + dim))
    assert narrow.output.weight.abs().max().item() == pytest.approx(1 / math.sqrt(width), rel=0.01)


def test_attends_as_strongly_as_torchs_attention_at_its_start():
    dim = 256
    sentences = torch.nn.functional.normalize(randn(20, dim), dim=-1)
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(dim, 4, batch_first=True)
    expected = theirs(sentences[None], sentences[None], sentences[None])[0].norm().item()
    attention = make(dim, seed=3).attention
    context, _ = attention(attention.project(sentences), [20], exact=False)
    assert attention.output(context).norm().item() == pytest.approx(expected, rel=0.1)


def test_heads_must_divide_the_dimension():
    with pytest.raises(ConfigError, match=r"3 heads: must divide the attention's width \(8\)"):
        make(8, heads=3)
    with pytest.raises(ConfigError, match=r"4 heads: must divide the attention's width \(6\)"):
        make(8, heads=4, width=6)
