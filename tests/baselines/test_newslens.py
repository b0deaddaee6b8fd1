import numpy as np

from scstory.baselines import newslens
from scstory.baselines.newslens import article_keywords, owners
from scstory.text import TermStatistics, term_counts
from tests.baselines.slides import make_engine, member, process, stories_of

FLOOD = "river flood dam rain"
TRIAL = "court jury judge fraud"


def at(degrees, *, day=0.0):
    angle = np.radians(degrees)
    return member("text", day=day, vector=(np.cos(angle), np.sin(angle)))


def test_keywords_are_the_rarest_of_the_most_used_terms_and_the_names(monkeypatch):
    monkeypatch.setattr(newslens, "TERMS", 2)
    monkeypatch.setattr(newslens, "NAMES", 1)
    statistics = TermStatistics()
    statistics.update(term_counts([["river", "alder"]] * 8 + [["kelby"]]))
    article = member(
        "the river, the river, a dam and a flood on the Alder near Kelby", title="A River Flood"
    )
    # river is used most but is everywhere; flood is used twice; the dam comes first of the rest
    assert article_keywords(article, statistics) == ["flood", "dam", "kelby"]


def test_an_edge_needs_k_shared_keywords_and_weighs_as_many():
    engine = make_engine("newslens", k=2)
    process(engine, [member("river flood dam"), member("flood dam rain"), member("rain boat")])
    assert engine.method._edges(3) == ([(0, 1)], [2.0])
    assert stories_of(engine) == [1, 1, 2]


def test_a_community_is_owned_by_most_of_its_articles_seen_before():
    assert owners([0, 0, 1, 1], [5, 5, 3]) == [5, 3]
    assert owners([0, 0, 0, 0], [5, 3, 5]) == [5]
    assert owners([0, 0, 0], [5, 3]) == [3]  # the older of two
    assert owners([0, 1, 0, 1], [5, 5]) == [5, 5]
    assert owners([0, 1], []) == [None, None]


def test_a_bridge_merges_stories():
    engine = make_engine("newslens", k=2)
    process(engine, [member("river flood dam rain")])
    process(engine, [member("levee boat rescue", day=1)])
    assert stories_of(engine) == [1, 2]
    decided = process(engine, [member("dam rain levee boat", day=2)])
    assert stories_of(engine) == [1, 1, 1]
    assert [(d.story, d.was) for d in decided] == [(1, 2), (1, None)]


def test_a_lapsed_story_is_resumed_by_similar_keywords():
    # of the keywords of the lapsed story, the new article has 3 of 4: a cosine of 0.75
    for T, story in ((0.7, 1), (0.8, 2)):
        engine = make_engine("newslens", T=T)
        process(engine, [member(FLOOD)])
        (decision,) = process(engine, [member("river flood dam boat", day=10)])
        assert decision.story == story


def test_a_lapsed_story_is_all_its_articles():
    engine = make_engine("newslens", k=2)
    process(engine, [member("river flood dam")])
    process(engine, [member("river flood boat", day=1)])
    process(engine, [member(TRIAL, day=20)])
    assert engine.method.left.stories == [1]
    words = ("river", "flood", "dam", "boat")
    columns = [term_counts([[word]]).indices[0] for word in words]
    assert engine.method.left.sums.toarray()[0, columns].tolist() == [2, 2, 1, 1]
    assert engine.method.left.sums.nnz == 4


def test_an_ongoing_story_is_not_resumed_as_lapsed():
    engine = make_engine("newslens", k=4, T=0.5)
    process(engine, [member(FLOOD)])
    process(engine, [member(FLOOD, day=5)])
    # its first article has left the window, its second has not; too little is shared for an edge
    process(engine, [member("river flood dam boat", day=9)])
    assert engine.method.left.stories == [1]
    assert stories_of(engine) == [1, 2]


def test_only_the_latest_lapsed_stories_are_kept(monkeypatch):
    monkeypatch.setattr(newslens, "LAPSED", 2)
    engine = make_engine("newslens")
    for day, text in enumerate([FLOOD, TRIAL, "comet probe orbit", FLOOD]):
        process(engine, [member(text, day=10 * day)])
    assert engine.method.left.stories == [2, 3]
    assert stories_of(engine) == [4]  # the flood of day 0 was let go as the comet left
    process(engine, [member("comet probe orbit", day=40)])
    assert engine.method.left.stories == [3, 4]
    assert stories_of(engine) == [3]


def test_pse_needs_a_cosine_instead_of_shared_keywords():
    for edge, stories in ((0.76, [1, 1]), (0.77, [1, 2])):
        engine = make_engine("newslens+pse", edge=edge)
        process(engine, [at(0), at(40)])  # a cosine of 0.766
        assert stories_of(engine) == stories


def test_pse_resumes_a_lapsed_story_by_its_vectors():
    for T, story in ((0.76, 1), (0.77, 2)):
        engine = make_engine("newslens+pse", T=T)
        process(engine, [at(0)])
        (decision,) = process(engine, [at(40, day=10)])
        assert decision.story == story


def test_articles_without_keywords_stand_alone():
    engine = make_engine("newslens", k=1)
    process(engine, [member(""), member("")])
    process(engine, [member("", day=10)])
    assert stories_of(engine) == [3]
