"""Stories across languages: kinds of pairs, parts of stories, and evidence that adds up."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.calibrated.centring import RunningMeans
from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.languages import (
    ACROSS,
    APART,
    NEVER,
    WITHIN,
    WORDS,
    Languages,
    Parts,
    language_code,
    part_number,
)
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.vectors.hashing import HashingEncoder
from scstory.vectors.use_multilingual import UseMultilingual
from tests.conftest import engine_with, make_article, make_stream
from tests.discovery.calibrated.posteriors import COHERENCE, DAY, FITTED, FOUR, SETTINGS
from tests.discovery.calibrated.rows import make_rows

DE, FR, CS = (language_code(language) for language in ("de", "fr", "cs"))
FOURFOLD = SETTINGS.with_changes({"features": ", ".join(FOUR)})


@pytest.mark.parametrize("language", ["en", "zh", "deu", "x", "", "ß9"])
def test_a_language_has_a_number_and_english_has_none(language):
    code = language_code(language)
    assert (code == 0) == (language == "en")
    assert 0 <= code < 27**3


def test_pairs_are_within_or_across_languages_or_of_words_alone():
    known = Languages.of({"en", "de", "fr"}, cross_lingual=True)
    parts = np.array([0, DE, CS])
    assert known.kinds(0, parts).tolist() == [WITHIN, ACROSS, WORDS]
    assert known.kinds(CS, parts).tolist() == [WORDS, WORDS, WORDS]
    assert known.kinds(DE, np.array([DE, DE])) is None
    assert not Languages.of(None, cross_lingual=True).told_apart
    assert Languages.of(None, cross_lingual=False).told_apart
    apart = Languages.of({"en", "de"}, cross_lingual=False)
    assert apart.kinds(0, parts).tolist() == [WITHIN, APART, APART]
    assert apart.kinds(CS, parts).tolist() == [APART, APART, WORDS]


def test_the_part_that_speaks_for_a_story_most_clearly_speaks_for_it():
    numbers = np.array([part_number(3, 0), part_number(8, 0), part_number(3, DE)])
    parts = Parts.of(numbers)
    assert parts.ids.tolist() == [3, 8]
    assert parts.several
    assert parts.best(np.array([1.0, 0.0, 2.0])).tolist() == [2, 1]
    assert parts.highest(np.array([[1.0, 0.0, 2.0], [4.0, 5.0, 3.0]])).tolist() == [[2, 0], [4, 5]]
    newest, oldest = parts.spans(np.array([9.0, 5.0, 7.0]), np.array([8.0, 4.0, 1.0]))
    assert (newest.tolist(), oldest.tolist()) == ([9, 5, 9], [1, 4, 1])


def mixed(count=16, stories=5, seed=1):
    """Return rows of three languages in some stories, and when they were published."""
    rng = np.random.default_rng(seed)
    rows, _ = make_rows(rng, count)
    rows.language[:] = np.array([0, DE, FR])[rng.integers(3, size=count)]
    return rng.integers(stories, size=count) + 1, np.sort(rng.uniform(0, 5, count)) * DAY, rows


def test_words_are_silent_across_languages_and_vectors_where_one_is_not_served():
    posteriors = PairPosteriors(FOURFOLD, Languages.of({"en", "de"}, cross_lingual=True))
    rng = np.random.default_rng(0)
    cosines, gaps = rng.uniform(0, 1, (5, 3)), Gaps(np.full(3, DAY), np.full(3, DAY))
    kinds = np.array([WITHIN, ACROSS, WORDS], dtype=np.int8)
    found = dict(zip(posteriors.names, posteriors.evidence(cosines, gaps, kinds), strict=True))
    for name in ("learned", "opening"):
        assert (found[name] != 0).tolist() == [True, True, False]
    for name in ("terms", "names"):
        assert (found[name] != 0).tolist() == [True, False, True]
    assert (found["sounds"] != 0).tolist() == [False, True, False]
    np.testing.assert_array_equal(
        posteriors.evidence(cosines, gaps)[:, 0], posteriors.evidence(cosines, gaps, kinds)[:, 0]
    )


def test_without_words_an_article_that_the_encoder_does_not_serve_stays_alone():
    class English(HashingEncoder):
        languages = frozenset({"en"})

    flood = make_article(7, "flood", day=1)
    chinese = [
        replace(flood, id=name, title="洪水来袭", text="数千人在洪水中撤离。", language="zh")
        for name in ("one", "two")
    ]
    engine = engine_with(English(dim=16), features="learned, headline", batch_size=16)
    decided = engine.decide([*make_stream(2), *chinese]) + engine.finish()
    story = {found.article: found.story for found in decided}
    assert list(story.values()).count(story["one"]) == 1
    assert list(story.values()).count(story["two"]) == 1


def test_how_names_sound_is_compared_only_where_stories_may_cross_languages():
    rng = np.random.default_rng(0)
    cosines, gaps = rng.uniform(0, 1, (5, 3)), Gaps(np.full(3, DAY), np.full(3, DAY))
    several = PairPosteriors(FOURFOLD, Languages.of({"en", "de"}, cross_lingual=True))
    assert several.features == (*FOUR, "sounds")
    found = several.evidence(cosines, gaps)
    for served, cross_lingual in (({"en"}, True), (None, True), ({"en", "de"}, False)):
        alone = PairPosteriors(FOURFOLD, Languages.of(served, cross_lingual=cross_lingual))
        assert alone.features == FOUR
        np.testing.assert_array_equal(
            alone.evidence(cosines[:4], gaps), np.delete(found, 4, axis=0)
        )
    assert not found[4].any()


def test_the_time_tells_the_same_in_all_languages():
    posteriors = PairPosteriors(FOURFOLD, Languages.of({"en", "de"}, cross_lingual=True))
    posteriors.within = FITTED
    gaps = Gaps(np.full(2, DAY), np.full(2, 3 * DAY))
    found = posteriors.evidence(np.full((5, 2), 0.5), gaps, np.array([WITHIN, ACROSS], np.int8))
    assert found[-2, 0] == found[-2, 1] != 0


@pytest.mark.parametrize("cross_lingual", [True, False])
def test_a_leave_one_out_comparison_is_that_with_each_part(cross_lingual):
    story, times, rows = mixed()
    languages = Languages.of(None, cross_lingual=cross_lingual)
    posteriors = PairPosteriors(FOURFOLD, languages)
    fit = LeaveOneOut.of(story, times, rows, coherence=COHERENCE)
    everything = np.arange(len(fit.ids))
    found = fit.log_odds_in(everything, posteriors, rows, times)
    own = fit.own_evidence(posteriors).sum(axis=0)
    for i in range(len(story)):
        left_out = [NEVER]
        for column, number in enumerate(fit.ids.tolist()):
            others = np.flatnonzero(story == number)
            rated = [NEVER] if len(others) else []
            for language in np.unique(rows.language[others]).tolist():
                part = others[rows.language[others] == language]
                rated.append(_rated(posteriors, rows, times, i, part, others))
                if number == story[i] and len(part[part != i]):
                    rest = others[others != i]
                    left_out.append(_rated(posteriors, rows, times, i, part[part != i], rest))
            assert found[i, column] == pytest.approx(max(rated))
        if (story == story[i]).sum() > 1:
            assert own[i] == pytest.approx(max(left_out))


def _rated(posteriors, rows, times, i, part, story):
    """Return the log-odds of an article and the articles of a part, as they are written down."""
    similar = [_cosine(view[i], view[part].sum(axis=0), len(part)) for view in rows.dense]
    terms = rows.terms.toarray().reshape(len(rows), rows.fields, -1)
    fields = terms.transpose(1, 0, 2)
    similar += [_cosine(view[i], view[part].sum(axis=0), len(part)) for view in fields]
    gaps = Gaps.between(times[i], times[story].max(keepdims=True), times[story].min(keepdims=True))
    kinds = posteriors.languages.kinds(rows.language[i], rows.language[part[:1]])
    return posteriors.evidence(np.array(similar)[:, None], gaps, kinds).sum()


def _cosine(one, other, size):
    length = max(np.linalg.norm(other), size * COHERENCE**0.5) * np.linalg.norm(one)
    return one @ other / length if length > 1e-12 else 0.0


def test_each_language_is_centred_by_itself_once_there_is_enough_of_it():
    rng = np.random.default_rng(0)
    means = RunningMeans(3, 10)
    assert not means.value(DE).any()
    english = rng.standard_normal((90, 3)).astype(np.float32)
    means.update(english)
    np.testing.assert_allclose(means.value(), english.sum(axis=0) / 100, rtol=1e-5)
    np.testing.assert_allclose(means.value(DE), means.value(), rtol=1e-5)  # nothing of its own
    german = rng.standard_normal((9990, 3)).astype(np.float32) + 1
    means.update(german, DE)
    np.testing.assert_allclose(means.value(DE), german.mean(axis=0), atol=1e-2)
    both = means.values(np.array([0, DE, 0]))
    np.testing.assert_array_equal(both, [means.value(), means.value(DE), means.value()])
    again = RunningMeans(3, 10)
    again.restore(means.state())
    np.testing.assert_array_equal(
        again.values(np.array([0, DE, FR])), means.values(np.array([0, DE, FR]))
    )


# -- the sample ------------------------------------------------------------------------------


@cache
def _encoder():
    return UseMultilingual(threads=1)


@cache
def _some():
    """Return the articles of three stories of the sample, in seven languages."""
    from scstory.sample import load_languages, load_sample

    items = [item for item in (*load_sample(), *load_languages()) if item.article]
    told = ("halcyon-probe", "chip-merger", "sea-cable")
    some = [item for item in items if item.label in told]
    return sorted(some, key=lambda item: item.article.published)


def _found(**settings):
    discovery = StoryDiscovery(encoder=_encoder(), learned=False, **settings)
    decided = list(discovery.stream(item.article for item in _some()))
    return discovery, decided, {decision.article: decision.story for decision in decided}


def test_stories_are_found_across_languages_and_kept_apart_if_so_set():
    language = {i.article.id: i.article.language or "en" for i in _some()}
    truth = {i.article.id: i.label for i in _some()}
    for cross_lingual in (True, False):
        _, decided, found = _found(cross_lingual=cross_lingual)
        pairs = [(a, b) for a in found for b in found if language[a] < language[b]]
        together = [(a, b) for a, b in pairs if found[a] == found[b]]
        if not cross_lingual:
            assert not together
            continue
        right = [(a, b) for a, b in together if truth[a] == truth[b]]
        assert len(right) > 0.9 * len(together)
        assert len(right) > 0.5 * sum(truth[a] == truth[b] for a, b in pairs)
        joined = [d for d in decided if d.evidence and d.was is None]
        for decision in joined:
            log_odds = sum(decision.evidence.values())
            assert decision.confidence == pytest.approx(float(sigmoid(np.float64(log_odds))))
        assert any(d.evidence["terms"] == 0 and d.evidence["learned"] > 0 for d in joined)


def test_a_stream_in_many_languages_can_be_stopped_anywhere():
    from scstory.discovery.presets import load_engine

    articles = [item.article for item in _some()]
    _, decided, _ = _found()
    engine = StoryDiscovery(encoder=_encoder(), learned=False).engine
    again = []
    for n, article in enumerate(articles):
        again += engine.decide([article])
        if n in (7, 16):
            engine = load_engine(engine.state(), _encoder())
    again += engine.finish()
    assert [(d.article, d.story, d.confidence) for d in again] == [
        (d.article, d.story, d.confidence) for d in decided
    ]
