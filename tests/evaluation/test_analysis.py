"""The identities of docs/analysis.md, on random vectors and on the loss as it is implemented."""

import numpy as np
import pytest
import torch

from scstory.discovery.paper.loss import contrastive_loss
from scstory.evaluation.studies.embedding_quality import alignment


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.fixture
def members():
    """Vectors of the articles of one story, which have something in common."""
    rng = np.random.default_rng(3)
    return unit(rng.normal(size=(40, 8)) + rng.normal(size=8))


def test_alignment_follows_from_the_distances_to_the_story(members):
    story = unit(members.mean(axis=0))
    a = np.square(members - story).sum(axis=1).mean()
    r = np.linalg.norm(members.mean(axis=0))
    assert a == pytest.approx(2 - 2 * r)
    pairs = (members @ members.T).ravel()  # each article also with itself
    assert alignment(pairs) == pytest.approx(2 - 2 * r**2)
    assert alignment(pairs) == pytest.approx(2 * a - a**2 / 2)


def test_the_cosine_to_a_story_is_the_mean_cosine_to_its_articles_over_r(members):
    mean = members.mean(axis=0)
    mean_cosine = (members @ members.T).mean(axis=1)
    assert members @ unit(mean) == pytest.approx(mean_cosine / np.linalg.norm(mean))


@pytest.mark.parametrize("tau", [0.1, 0.2, 0.5])
def test_the_loss_is_alignment_and_a_gaussian_potential(tau):
    rng = np.random.default_rng(4)
    articles, stories = unit(rng.normal(size=(6, 8))), unit(rng.normal(size=(5, 8)))
    target = np.array([0, 1, 2, 3, 4, 0])
    found = contrastive_loss(*map(torch.from_numpy, (articles, stories, target)), tau=tau)
    squares = np.square(articles[:, None] - stories).sum(axis=-1)
    own = squares[np.arange(6), target]
    potential = np.log(np.exp(-squares / (2 * tau)).sum(axis=1))
    assert float(found) == pytest.approx((own / (2 * tau) + potential).sum())


def test_the_gradient_is_between_the_own_story_and_the_nearest_others():
    tau, rng = 0.2, np.random.default_rng(5)
    article, stories = unit(rng.normal(size=8)), unit(rng.normal(size=(5, 8)))
    u = torch.from_numpy(article[None]).requires_grad_()
    contrastive_loss(u, torch.from_numpy(stories), torch.tensor([2]), tau=tau).backward()
    p = np.exp(stories @ article / tau)
    gradient = -(stories[2] - (p / p.sum()) @ stories) / tau
    on_the_sphere = gradient - (gradient @ article) * article
    assert u.grad.numpy()[0] == pytest.approx(on_the_sphere)
