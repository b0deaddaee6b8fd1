"""The paper's method: the first window held back, and Algorithm 1 after it."""

import numpy as np

from scstory.discovery.slides import cut_slides
from tests.conftest import make_article, make_stream
from tests.discovery.engines import DAY, decisions, discover, make, process, run


def test_the_first_window_is_held_back():
    engine = make("paper")
    slides = list(cut_slides(make_stream(9), DAY))
    assert [len(process(engine, slide)) > 0 for slide in slides[:6]] == [False] * 6
    assert engine.stories() == []
    decided = process(engine, slides[6])
    assert len(decided) == sum(len(slide) for slide in slides[:7])
    assert all(decision.was is None for decision in decided)
    assert len(engine.decide(slides[7])) == len(slides[7])
    assert engine.close() == []


def test_a_first_window_without_its_last_days_is_decided_when_time_passes_it():
    engine = make("paper")
    process(engine, [make_article(n, "flood") for n in range(3)])
    decided = engine.decide([make_article(5, "flood", day=30)])
    assert [a.article for a in decided] == ["flood-0", "flood-1", "flood-2", "flood-5"]
    assert decided[-1].new


def test_while_it_is_held_back_an_article_would_found_a_story():
    discovery = discover("paper")
    process(discovery.engine, make_stream(1))
    guess = discovery.predict_one(make_article(9, "flood", day=1))
    assert (guess.new, guess.story, guess.runners_up) == (True, 1, ())
    other = discover("paper")
    other.engine.decide(make_stream(1))
    assert other.predict_one(make_article(9, "flood", day=0)).new
    assert decisions(discovery.finish())


def test_what_was_predicted_while_it_was_held_back_is_forgotten():
    discovery, other = discover("paper"), discover("paper")
    for one in (discovery, other):
        process(one.engine, make_stream(3))
    discovery.predict_one(make_article(99, "flood", day=2))
    assert decisions(discovery.finish()) == decisions(other.finish())
    article = make_article(98, "flood", day=2)
    assert decisions([discovery.predict_one(article)]) == decisions([other.predict_one(article)])
    assert decisions(discovery.learn_one(article)) == decisions(other.learn_one(article))


def test_seed_matters_where_chance_does():
    first, second = (run(make("paper", seed=seed), make_stream(9)) for seed in (1, 2))
    assert [a.confidence for a in first] != [a.confidence for a in second]


def test_an_epoch_is_as_many_batches_as_the_window_holds_and_one(monkeypatch):
    """⌊|W| / batch size⌋ + 1"""
    asked = []

    def spy(model, optimiser, window, sampler, *, batches, **options):
        asked.append((len(window), batches))

    monkeypatch.setattr("scstory.discovery.paper.method.update", spy)
    run(make("paper", batch_size=7, warm_epochs=0), make_stream(12))
    assert len(asked) == 5  # one a slide after the first window
    assert all(batches == size // 7 + 1 for size, batches in asked)


def test_after_a_slide_vectors_and_confidences_are_those_of_m_as_it_is_now():
    engine = make("paper", learning_rate=1e-3)
    run(engine, make_stream(9))
    window = engine.scope.window
    before = window["vectors"].copy(), window.confidence.copy()
    engine.method.embed(window, np.arange(len(window)))
    assert np.array_equal(window["vectors"], before[0])
    assert np.array_equal(window.confidence, before[1])
    assert (window.confidence > 0.5).all()
