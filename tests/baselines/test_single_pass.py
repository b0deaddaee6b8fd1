"""The reference points that a table starts from."""

import numpy as np

from tests.baselines.slides import make_engine, member, process, stories_of


def at(degrees, *, day=0.0):
    angle = np.radians(degrees)
    return member(f"at {degrees}", day=day, vector=(np.cos(angle), np.sin(angle)))


def test_all_in_one_and_each_alone():
    articles = [member("river"), member("river"), member("court", day=3)]
    for name, stories in (("one", [1, 1, 1]), ("singletons", [1, 2, 3])):
        engine = make_engine(name)
        process(engine, articles[:2])
        process(engine, articles[2:])
        assert stories_of(engine) == stories


def test_an_article_joins_the_sum_that_is_near_enough():
    # The sum of 0 and 40 degrees lies at 20: 70 is 50 degrees from it, a cosine of 0.64.
    for threshold, stories in ((0.6, [1, 1, 1]), (0.7, [1, 1, 2])):
        engine = make_engine("mean", threshold=threshold)
        process(engine, [at(0), at(40), at(70)])
        assert stories_of(engine) == stories


def test_the_nearest_of_several_is_joined_also_of_earlier_slides():
    engine = make_engine("mean", threshold=0.5)
    process(engine, [at(0), at(90)])
    process(engine, [at(55, day=1), at(30, day=1)])
    assert stories_of(engine) == [1, 2, 2, 1]


def test_terms_count_by_the_articles_of_past_slides():
    # Nothing is known yet, so every term counts the same: 1 of 3 terms in common.
    for threshold, stories in ((0.33, [1, 1]), (0.34, [1, 2])):
        engine = make_engine("tfidf", threshold=threshold)
        process(engine, [member("river flood dam"), member("river court jury")])
        assert stories_of(engine) == stories
    # A term that many articles had tells less: the same two are now less similar.
    engine = make_engine("tfidf", threshold=0.3)
    process(engine, [member("river") for _ in range(20)])
    process(engine, [member("river flood dam", day=8), member("river court jury", day=8)])
    assert stories_of(engine) == [2, 3]


def test_similarity_fades_with_the_days_since_the_newest_article():
    # The same words twice, then again after 3 days: exp(-9/18) = 0.61 of a cosine of 1.
    for threshold, stories in ((0.6, [1, 1, 1]), (0.62, [1, 1, 2])):
        engine = make_engine("tfidf-time", threshold=threshold)
        process(engine, [member("river flood", day=day) for day in (0, 0.25)])
        process(engine, [member("river flood", day=3.25)])
        assert stories_of(engine) == stories


def test_of_two_stories_as_similar_the_later_one_is_joined():
    # Half of the words each, 5 days and 1 day ago; without time the first would be joined.
    early, late = "river flood dam", "river court jury"
    for name, story in (("tfidf-time", 2), ("tfidf", 1)):
        engine = make_engine(name, threshold=0.34)
        process(engine, [member(early)])
        process(engine, [member(late, day=4)])
        (decision,) = process(engine, [member("flood dam court jury", day=5)])
        assert decision.story == story


def test_stories_leave_with_their_articles():
    engine = make_engine("mean", threshold=0.5)
    process(engine, [at(0)])
    process(engine, [at(0, day=8)])
    assert stories_of(engine) == [2]
