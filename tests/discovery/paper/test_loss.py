"""Eq. 10 on cases worked out by hand."""

import math

import numpy as np
import pytest
import torch

from scstory.discovery.paper.loss import contrastive_loss


def test_loss_of_a_perfect_match_among_orthogonal_stories():
    loss = contrastive_loss(torch.tensor([[3.0, 0.0]]), torch.eye(2), torch.tensor([0]), tau=0.2)
    assert loss.item() == pytest.approx(math.log(1 + math.exp(-5)), abs=1e-6)


def test_loss_is_summed_over_the_batch():
    articles = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    loss = contrastive_loss(articles, torch.eye(2), torch.tensor([0, 1]), tau=1.0)
    expected = math.log(1 + math.exp(-1)) + math.log(1 + math.exp(1))
    assert loss.item() == pytest.approx(expected, abs=1e-6)


def test_repeated_articles_may_be_counted_instead():
    generator = torch.Generator().manual_seed(0)
    articles, stories = torch.randn(3, 4, generator=generator), torch.eye(4)[:2]
    target, times = torch.tensor([0, 1, 1]), torch.tensor([3.0, 1.0, 2.0])
    repeat = torch.tensor([0, 0, 0, 1, 2, 2])
    counted = contrastive_loss(articles, stories, target, tau=0.2, times=times)
    listed = contrastive_loss(articles[repeat], stories, target[repeat], tau=0.2)
    assert counted.item() == pytest.approx(listed.item(), rel=1e-5)


def test_loss_of_undecidable_articles_is_the_log_of_the_number_of_stories():
    stories = torch.eye(3)
    loss = contrastive_loss(torch.ones(1, 3), stories, torch.tensor([1]), tau=0.2)
    assert loss.item() == pytest.approx(math.log(3), abs=1e-6)


def test_gradient_by_hand():
    # Two stories (1,0) and (0,1), the article at 45°: cosines are equal, p = 1/2 each. The
    # gradient is (p − target)/τ pulled back through the normalisation of the article.
    article = torch.tensor([[1.0, 1.0]], requires_grad=True)
    contrastive_loss(article, torch.eye(2), torch.tensor([0]), tau=0.5).backward()
    raw = np.array([-0.5, 0.5]) / 0.5
    unit = np.array([1, 1]) / math.sqrt(2)
    expected = (raw - (raw @ unit) * unit) / math.sqrt(2)
    np.testing.assert_allclose(article.grad[0], expected, atol=1e-6)
