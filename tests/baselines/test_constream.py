from datetime import timedelta

import numpy as np
import pytest

from scstory.baselines import constream, make_baseline
from scstory.baselines.baseline import DAY, article_terms
from scstory.baselines.constream import limit
from scstory.discovery.slides import cut_slides
from scstory.text import term_counts
from tests.baselines.slides import make_engine, member, process, stories_of
from tests.conftest import make_stream


def counts_of(engine, droplet, *words):
    columns = [term_counts([[word]]).indices[0] for word in words]
    return engine.method.sums.toarray()[droplet, columns].tolist()


def test_the_limit_is_r_deviations_below_the_mean_of_past_similarities():
    past = np.array([2.0, 1.0, 0.52])  # 0.6 and 0.4
    assert limit(past, 0) == pytest.approx(0.5)
    assert limit(past, 2) == pytest.approx(0.3)


def test_untuned_a_young_droplet_asks_what_the_single_pass_asks():
    assert limit(make_baseline("constream")._founding_past(), 2) == pytest.approx(0.2)
    assert limit(make_baseline("constream+pse")._founding_past(), 2) == pytest.approx(0.5)


def test_a_droplet_halves_in_a_week_and_then_takes_the_article_in():
    engine = make_engine("constream")
    process(engine, [member("river river flood")])
    process(engine, [member("river dam", day=7)])
    assert stories_of(engine) == [1]  # the first article has left the window, its droplet has not
    assert counts_of(engine, 0, "river", "flood", "dam") == pytest.approx([2, 0.5, 1])
    similarity = 2 / np.sqrt(5 * 2)
    weight, mean, square = 4.0, 0.4, 0.4**2 + 0.1**2
    expected = [weight / 2 + 1, weight * mean / 2 + similarity, weight * square / 2 + similarity**2]
    assert engine.method.past[0] == pytest.approx(expected)


def test_an_outlier_opens_a_droplet_and_a_higher_r_lets_it_in():
    articles = [member("river flood dam rain"), member("river trial court judge jury vote deal")]
    # the cosine is 1 / sqrt(4 * 7) = 0.19
    for r, stories in ((2.0, [1, 2]), (3.0, [1, 1])):
        engine = make_engine("constream", r=r)
        process(engine, articles)
        assert stories_of(engine) == stories


def test_sharing_nothing_never_joins_however_wide_the_past():
    engine = make_engine("constream", r=3.0)
    process(engine, [member("river")])
    engine.method.past[0] = [2.0, 1.0, 1.0]  # 0 and 1: three deviations below the mean is -1
    process(engine, [member("trial"), member(""), member("")])
    assert stories_of(engine) == [1, 2, 3, 4]


def test_the_stalest_beyond_the_cap_are_let_go(monkeypatch):
    monkeypatch.setattr(constream, "CAP", 2)
    engine = make_engine("constream")
    for day, word in enumerate(["river", "trial", "river", "comet"]):
        process(engine, [member(word, day=day)])
    assert engine.method.numbers.tolist() == [1, 3]
    process(engine, [member("trial", day=4)])
    assert stories_of(engine) == [1, 2, 1, 3, 4]


def test_faint_counts_are_let_go():
    engine = make_engine("constream")
    process(engine, [member("river flood")])
    process(engine, [member("river", day=77)])
    assert counts_of(engine, 0, "river", "flood") == pytest.approx([1 + 2**-11, 0])
    assert engine.method.sums.nnz == 1


def test_pse_sums_mean_vectors():
    engine = make_engine("constream+pse")
    process(engine, [member("a", vector=(2, 0)), member("b", vector=(3, 4))])
    assert stories_of(engine) == [1, 1]
    assert engine.method.sums.toarray()[0, :3] == pytest.approx([1.6, 0.8, 0])
    process(engine, [member("c", vector=(-4, 3))])
    assert stories_of(engine) == [1, 1, 2]


@pytest.mark.parametrize("r", [0.5, 2.0])
def test_a_slide_is_decided_as_if_one_by_one(r):
    """The products that follow the droplets agree with droplets made afresh each time."""
    sums, pasts, touched, expected = [], [], [], []
    engine = make_engine("constream", r=r, window="90d", slide="3d")
    for slide in cut_slides(make_stream(), timedelta(days=3)):
        process(engine, slide)
    window = engine.scope.window
    counts = term_counts([article_terms(article) for article in window.members])
    for i, row in enumerate(counts[:, np.unique(counts.indices)].toarray()):
        now = window.times[i] / DAY
        cosines = [row @ s / np.linalg.norm(row) / np.linalg.norm(s) for s in sums]
        best = int(np.argmax(cosines)) if sums else -1
        if sums and cosines[best] >= limit(pasts[best], r):
            decay = 2 ** (-(now - touched[best]) / 7)
            sums[best] = sums[best] * decay + row
            pasts[best] = pasts[best] * decay + cosines[best] ** np.arange(3)
            touched[best] = now
        else:
            best = len(sums)
            sums.append(row)
            pasts.append(engine.method._founding_past())
            touched.append(now)
        expected.append(best + 1)
    assert stories_of(engine) == expected
    assert len(set(expected)) > 2
    assert engine.method.past == pytest.approx(np.array(pasts))
