"""The loss on cases worked out by hand, and what an update does to M."""

import math

import numpy as np
import pytest
import torch

from scstory.discovery.adam import Adam
from scstory.discovery.attention import ArticleEncoder
from scstory.discovery.learn import (
    _distinct,
    contrastive_loss,
    embed,
    story_vectors,
    update,
)
from scstory.discovery.presets import make_parameters
from scstory.discovery.window import Window
from scstory.types import EncodedArticle
from scstory.vectors import encode_articles
from tests.conftest import START, make_article


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


def test_distinct_rows_keep_their_story_and_number():
    rows = np.array([[4, 5], [1, -1], [4, 5], [7, 8], [4, 5]])
    target = np.array([2, 0, 2, 1, 2])
    dropped = np.array([False, False, False, True, True])
    found, stories, marked, times = _distinct(rows, target, dropped)
    assert found.tolist() == [[1, -1], [4, 5], [7, 8], [4, 5]]
    assert stories.tolist() == [0, 2, 1, 2]
    assert marked.tolist() == [False, False, True, True]
    assert times.tolist() == [1, 2, 1, 1]


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


def test_story_vectors_are_means():
    vectors = np.array([[1, 0], [3, 0], [0, 5]], dtype=np.float32)
    ids, means = story_vectors(vectors, np.array([7, 7, 2]))
    assert ids.tolist() == [2, 7]
    np.testing.assert_allclose(means, [[0, 5], [2, 0]])


def make_window(encoder, count=6, topics=("flood", "trial")):
    window = Window(encoder.dim)
    articles = [make_article(n, topic) for n in range(count) for topic in topics]
    window.append(encode_articles(articles, encoder), not_before=START)
    window.story[:] = [topics.index(article.id.split("-")[0]) for article in articles]
    window.confidence[:] = 1
    return window


@pytest.mark.parametrize("learned", [True, False])
def test_embedding_does_not_depend_on_the_company_not_even_in_a_bit(hashing, learned):
    model = ArticleEncoder(hashing.dim) if learned else None
    centre, window = torch.full((hashing.dim,), 0.01), Window(hashing.dim)
    for n in range(90):
        sentences = tuple(f"Sentence {i} of {n}." for i in range(1 + n * 7 % 12))
        member = EncodedArticle(make_article(n, "flood"), sentences, hashing.encode(sentences))
        window.append([member], not_before=START)
    embed(model, window, np.arange(len(window)), centre)
    together = known_of(window)
    for chosen in (
        *np.arange(len(window))[:9, None],
        np.arange(40, 47),
        np.arange(len(window))[::-1],
    ):
        embed(model, window, chosen, centre)
        assert known_of(window) == together


def known_of(window):
    parts = (window.pooling, window.shares, window.received)
    return [window.vectors.tobytes(), *(np.concatenate(part).tobytes() for part in parts)]


def loss_now(model, window, centre):
    embed(model, window, np.arange(len(window)), centre)
    _, means = story_vectors(window.vectors, window.story)
    vectors, target = torch.from_numpy(window.vectors), torch.from_numpy(window.story)
    return contrastive_loss(vectors, torch.from_numpy(means), target, tau=0.2).item()


def test_updates_lower_the_loss(hashing):
    model = ArticleEncoder(hashing.dim)
    window, centre = make_window(hashing), torch.zeros(hashing.dim)
    optimiser = Adam(model.parameters(), 1e-3)
    before = loss_now(model, window, centre)
    rng = np.random.default_rng(0)
    for _ in range(10):
        embed(model, window, np.arange(len(window)), centre)
        update(model, optimiser, window, make_parameters("paper"), centre=centre, rng=rng)
    assert loss_now(model, window, centre) < before / 2


def test_one_story_teaches_nothing(hashing):
    model = ArticleEncoder(hashing.dim)
    window, centre = make_window(hashing, topics=("flood",)), torch.zeros(hashing.dim)
    optimiser = Adam(model.parameters(), 1e-3)
    before = model.query.weight.clone()
    embed(model, window, np.arange(len(window)), centre)
    rng = np.random.default_rng(0)
    update(model, optimiser, window, make_parameters("paper"), centre=centre, rng=rng)
    assert torch.equal(model.query.weight, before)


def test_articles_below_delta_are_not_replayed_but_pairs_still_teach(hashing):
    model = ArticleEncoder(hashing.dim)
    window, centre = make_window(hashing), torch.zeros(hashing.dim)
    embed(model, window, np.arange(len(window)), centre)
    window.confidence[:] = 0.1
    optimiser = Adam(model.parameters(), 1e-3)
    before = model.query.weight.clone()
    rng = np.random.default_rng(0)
    update(model, optimiser, window, make_parameters("paper"), centre=centre, rng=rng)
    assert not torch.equal(model.query.weight, before)


@pytest.mark.parametrize(("batches", "steps"), [(0, 4), (1, 1), (3, 3), (9, 4)])
def test_a_slide_is_learned_from_in_so_many_batches_at_most(hashing, batches, steps):
    class Counting(Adam):
        taken = 0

        def step(self, gradients):
            Counting.taken += 1
            super().step(gradients)

    model = ArticleEncoder(hashing.dim)
    window, centre = make_window(hashing), torch.zeros(hashing.dim)
    embed(model, window, np.arange(len(window)), centre)
    parameters = make_parameters("paper", {"batch": 4, "batches": batches})
    optimiser, rng = Counting(model.parameters(), 1e-3), np.random.default_rng(0)
    update(model, optimiser, window, parameters, centre=centre, rng=rng)
    assert Counting.taken == steps  # ⌊12 / 4⌋ + 1, or less
