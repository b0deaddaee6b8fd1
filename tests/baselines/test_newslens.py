from datetime import timedelta

import numpy as np
import pytest

from scstory.baselines import make_baseline, newslens
from scstory.baselines.newslens import article_keywords, find_names, owners
from scstory.text import TermStatistics, term_counts
from scstory.types import Article, EncodedArticle
from tests.conftest import START

FLOOD = "river flood dam rain"
TRIAL = "court jury judge fraud"


def encoded(text, *, day=0.0, vector=(1.0, 0.0), title=""):
    article = Article(f"{day} {text}", START + timedelta(days=day), title, text)
    return EncodedArticle(article, (text or "-",), np.array([vector], dtype=np.float32))


def at(degrees, *, day=0.0):
    angle = np.radians(degrees)
    return encoded("text", day=day, vector=(np.cos(angle), np.sin(angle)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Police met Ann Lanning in Kelby.", ["ann lanning", "kelby"]),
        ("Yesterday it rained. Crews came.", []),
        ("Ann Lanning spoke. The Alder rose.", ["ann lanning"]),
        ("the mayor of Kelby’s Mill Lane, Ray Ortiz", ["kelby mill lane", "ray ortiz"]),
    ],
)
def test_names_are_runs_of_capitals_and_single_ones_only_inside_a_sentence(text, names):
    assert find_names(text) == names


def test_keywords_are_the_rarest_of_the_most_used_terms_and_the_names(monkeypatch):
    monkeypatch.setattr(newslens, "TERMS", 2)
    monkeypatch.setattr(newslens, "NAMES", 1)
    statistics = TermStatistics()
    statistics.update(term_counts([["river", "alder"]] * 8 + [["kelby"]]))
    member = encoded(
        "the river, the river, a dam and a flood on the Alder near Kelby", title="A River Flood"
    )
    # river is used most but is everywhere; flood is used twice; the dam comes first of the rest
    assert article_keywords(member, statistics) == ["flood", "dam", "kelby"]


def test_an_edge_needs_k_shared_keywords_and_weighs_as_many():
    system = make_baseline("newslens", k=2)
    system.process([encoded("river flood dam"), encoded("flood dam rain"), encoded("rain boat")])
    assert system._edges() == ([(0, 1)], [2.0])
    assert system.story == [1, 1, 2]


def test_a_community_is_owned_by_most_of_its_articles_seen_before():
    assert owners([0, 0, 1, 1], [5, 5, 3]) == [5, 3]
    assert owners([0, 0, 0, 0], [5, 3, 5]) == [5]
    assert owners([0, 0, 0], [5, 3]) == [3]  # the older of two
    assert owners([0, 1, 0, 1], [5, 5]) == [5, 5]
    assert owners([0, 1], []) == [None, None]


def test_a_bridge_merges_stories():
    system = make_baseline("newslens", k=2)
    system.process([encoded("river flood dam rain")])
    system.process([encoded("levee boat rescue", day=1)])
    assert system.story == [1, 2]
    decided = system.process([encoded("dam rain levee boat", day=2)])
    assert system.story == [1, 1, 1]
    assert [(d.story, d.was) for d in decided] == [(1, 2), (1, None)]


def test_a_lapsed_story_is_taken_up_by_similar_keywords():
    # of the keywords of the lapsed story, the new article has 3 of 4: a cosine of 0.75
    for T, story in ((0.7, 1), (0.8, 2)):
        system = make_baseline("newslens", T=T)
        system.process([encoded(FLOOD)])
        (decision,) = system.process([encoded("river flood dam boat", day=10)])
        assert decision.story == story


def test_a_lapsed_story_is_all_its_articles():
    system = make_baseline("newslens", k=2)
    system.process([encoded("river flood dam")])
    system.process([encoded("river flood boat", day=1)])
    system.process([encoded(TRIAL, day=20)])
    assert system.left_stories == [1]
    words = ("river", "flood", "dam", "boat")
    columns = [term_counts([[word]]).indices[0] for word in words]
    assert system.left.toarray()[0, columns].tolist() == [2, 2, 1, 1]
    assert system.left.nnz == 4


def test_an_active_story_is_not_taken_up_as_lapsed():
    system = make_baseline("newslens", k=4, T=0.5)
    system.process([encoded(FLOOD)])
    system.process([encoded(FLOOD, day=5)])
    # its first article has left the window, its second has not; too little is shared for an edge
    system.process([encoded("river flood dam boat", day=9)])
    assert system.left_stories == [1]
    assert system.story == [1, 2]


def test_only_the_latest_lapsed_stories_are_kept(monkeypatch):
    monkeypatch.setattr(newslens, "LAPSED", 2)
    system = make_baseline("newslens")
    for day, text in enumerate([FLOOD, TRIAL, "comet probe orbit", FLOOD]):
        system.process([encoded(text, day=10 * day)])
    assert system.left_stories == [2, 3]
    assert system.story == [4]  # the flood of day 0 was let go as the comet left
    system.process([encoded("comet probe orbit", day=40)])
    assert system.left_stories == [3, 4]
    assert system.story == [3]


def test_pse_needs_a_cosine_that_rises_with_k():
    for k, stories in ((3, [1, 1]), (4, [1, 2])):
        system = make_baseline("newslens+pse", k=k)
        system.process([at(0), at(40)])  # a cosine of 0.77, between 0.7 and 0.8
        assert system.story == stories


def test_pse_takes_up_a_lapsed_story_by_its_vectors():
    for T, story in ((0.5, 1), (0.8, 2)):  # cosines of 0.75 and 0.9
        system = make_baseline("newslens+pse", T=T)
        system.process([at(0)])
        (decision,) = system.process([at(40, day=10)])
        assert decision.story == story


def test_articles_without_keywords_stand_alone():
    system = make_baseline("newslens", k=1)
    system.process([encoded(""), encoded("")])
    system.process([encoded("", day=10)])
    assert system.story == [3]
