"""What an update does to M."""

import numpy as np
import pytest
import torch

from scstory.discovery.adam import Adam
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.embedding import embed
from scstory.discovery.paper.loss import contrastive_loss
from scstory.discovery.paper.story_vectors import story_vectors
from scstory.discovery.paper.training_samples import Sampler
from scstory.discovery.paper.update import update
from tests.discovery.paper.windows import at, make_window


def embed_all(model, window, centre=None):
    embed(model, window, np.arange(len(window)), at(centre))


def train(model, window, *, batches=1, optimiser=None, rng=None, centre=None, **options):
    known = {"count": 128, "replay_from": 0.5, "max_sentences": 50} | options
    update(
        model,
        optimiser or Adam(model.parameters(), 1e-3),
        window,
        Sampler(**known),
        batches=batches,
        temperature=0.2,
        rng=rng or np.random.default_rng(0),
        scope=np.arange(len(window)),
        centre=at(centre),
    )


def start(model):
    return [parameter.detach().clone() for parameter in model.parameters()]


def unchanged(model, before):
    return all(torch.equal(a, b) for a, b in zip(model.parameters(), before, strict=True))


def loss_now(model, window, centre):
    embed_all(model, window, centre)
    _, means = story_vectors(window["vectors"], window.story)
    vectors, target = torch.from_numpy(window["vectors"]), torch.from_numpy(window.story)
    return contrastive_loss(vectors, torch.from_numpy(means), target, tau=0.2).item()


@pytest.mark.parametrize("augmentation", ["attention", "dropout"])
@pytest.mark.parametrize("centred", [True, False])
def test_updates_lower_the_loss(hashing, centred, augmentation):
    model, window = ArticleEncoder(hashing.dim), make_window(hashing)
    centre = torch.full((hashing.dim,), 0.01) if centred else None
    optimiser, rng = Adam(model.parameters(), 1e-3), np.random.default_rng(0)
    before = loss_now(model, window, centre)
    for _ in range(10):
        embed_all(model, window, centre)
        train(model, window, optimiser=optimiser, rng=rng, centre=centre, augmentation=augmentation)
    assert loss_now(model, window, centre) < before / 2


def test_one_story_teaches_nothing(hashing):
    model, window = ArticleEncoder(hashing.dim), make_window(hashing, topics=("flood",))
    before = start(model)
    embed_all(model, window)
    train(model, window)
    assert unchanged(model, before)


def test_articles_below_delta_are_not_replayed_but_pairs_still_teach(hashing):
    model, window = ArticleEncoder(hashing.dim), make_window(hashing)
    embed_all(model, window)
    window.confidence[:] = 0.1
    before = start(model)
    train(model, window, augmentation="none")
    assert unchanged(model, before)
    train(model, window)
    assert not unchanged(model, before)


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_so_many_batches_are_so_many_steps(hashing, batches):
    class Counting(Adam):
        taken = 0

        def step(self, gradients):
            self.taken += 1
            super().step(gradients)

    model, window = ArticleEncoder(hashing.dim), make_window(hashing)
    embed_all(model, window)
    optimiser = Counting(model.parameters(), 1e-3)
    train(model, window, batches=batches, optimiser=optimiser, count=4)
    assert optimiser.taken == batches


def test_the_gradient_is_that_of_the_loss_of_all_samples(hashing):
    """Also where they go through M in several chunks, each article once."""

    class Recording(Adam):
        def step(self, gradients):
            self.found = gradients

    model, window = ArticleEncoder(hashing.dim), make_window(hashing, count=100)
    embed_all(model, window)
    optimiser = Recording(model.parameters(), 1e-3)
    train(model, window, optimiser=optimiser, count=300)
    samples = Sampler(300, 0.5, 50).draw(
        window, window.story, np.arange(len(window)), np.random.default_rng(0)
    )
    assert len(samples.rows) > 256
    _, means = story_vectors(window["vectors"], window.story)
    every, loss = torch.from_numpy(window.sentence_vectors(np.arange(window.lengths.sum()))), 0.0
    for row, target, times in zip(samples.rows, samples.target, samples.times, strict=True):
        own = every[torch.from_numpy(row[row >= 0])]
        loss += contrastive_loss(
            model(own, [len(own)]).articles,
            torch.from_numpy(means),
            torch.tensor([target]),
            tau=0.2,
            times=torch.tensor([times]),
        )
    expected = torch.autograd.grad(loss, list(model.parameters()))
    for mine, other in zip(optimiser.found, expected, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-3)
