"""What a reader gets of a story."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from scstory.discovery.describe import Change, describe
from scstory.discovery.method import Scope
from scstory.discovery.profile import MOST
from scstory.discovery.settings import MethodSettings
from scstory.types import Article, Milestone
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START
from tests.discovery.engines import make, process

FLOOD = "Alder floods Kelby after a week of rain"
ROSE = "The river Alder flooded the town of Kelby on Tuesday after a week of rain, police said."
BANK = "The earth bank behind Mill Lane collapsed on Wednesday, Ann Lanning told the Herald."
TRIAL = "A court in Ansel ordered the builder Ray Ortiz on Friday to pay for the broken bank."


def article(number, title, text, day=0):
    return Article(f"a{number}", START + timedelta(days=day, minutes=number), title, text)


def tell():
    engine = make()
    process(
        engine,
        [
            article(
                0,
                "Alder floods Kelby",
                "The river Alder flooded Kelby. Homes in Mill Lane are wet.",
            ),
            article(
                1, "Kelby under water", "Kelby is flooded by the river Alder. Mill Lane is lost."
            ),
            article(2, "Comet probe silent", "The probe Halcyon fell silent. Its antenna is dead."),
        ],
    )
    return engine


class Told:
    """A story that is described by hand, a few articles at a time."""

    def __init__(self):
        self.scope, self.story = Scope(MethodSettings(), ()), None

    def add(self, *articles, left=()):
        """Add articles to the story, and describe it."""
        encoded = encode_articles(articles, HashingEncoder(dim=512))
        rows = self.scope.window.append(encoded, not_before=START.timestamp())
        self.scope.window.story[rows] = 1
        rows = np.flatnonzero(self.scope.window.story == 1)
        change = Change([a.published for a in articles], self.story, left)
        self.story = describe(self.scope, 1, rows, change)
        return self.story

    def evict(self, days):
        self.scope.window.evict((START + timedelta(days=days)).timestamp())


def test_title_is_a_headline_and_keywords_are_its_names():
    story = next(s for s in tell().stories() if s.size == 2)
    assert story.title in ("Alder floods Kelby", "Kelby under water")
    assert {"Kelby", "Alder", "Mill Lane"} <= set(story.keywords)
    assert "Halcyon" not in story.keywords
    in_title = [word in story.title for word in story.keywords if not word.islower()]
    assert in_title == sorted(in_title, reverse=True)


@pytest.mark.parametrize(
    "other",
    [
        "Why did the Alder flood Kelby this week?",
        "ALDER FLOODS KELBY AFTER WEEK OF RAIN",
        "“The Alder was in our kitchen in Kelby”",
        "Opinion: Kelby and the art of living with the Alder",
        "Cat found on a wardrobe",
    ],
)
def test_a_plain_title_that_tells_the_story_is_its_headline(other):
    story = Told().add(article(0, other, ROSE), article(1, FLOOD, ROSE))
    assert (story.title, story.title_article, story.headlines) == (FLOOD, "a1", ())


def test_an_opinion_is_no_headline_where_there_is_news():
    other = "Alder floods Kelby after a week of heavy rain"
    opinion = replace(article(0, FLOOD, ROSE), url="https://herald.example/opinion/2026/flood")
    assert Told().add(article(0, FLOOD, ROSE), article(1, other, ROSE)).title == FLOOD
    assert Told().add(opinion, article(1, other, ROSE)).title == other


def test_a_headline_that_ends_within_a_word_gives_way():
    cut = article(0, "Alder floods the town of Kelby after a wee", ROSE)
    assert Told().add(cut, article(1, FLOOD, ROSE)).title == FLOOD


def test_a_headline_says_what_the_others_say():
    ortiz = "Ray Ortiz leaves Kelby for Ansel"
    said = [article(n, f"{FLOOD}, {who} says", f"{ROSE} {ortiz}.") for n, who in enumerate("abc")]
    assert FLOOD in Told().add(article(4, ortiz, f"{ROSE} {ortiz}."), *said).title


def test_a_headline_stays_unless_another_is_clearly_better():
    told = Told()
    told.add(article(0, "Alder floods Kelby after a week of heavy rain", ROSE))
    story = told.add(article(1, FLOOD, ROSE, day=1))
    assert (story.title_article, story.headlines) == ("a0", ())


def test_an_earlier_headline_is_kept_with_the_time_of_the_news_that_replaced_it():
    told = Told()
    told.add(article(0, "What we know so far?", ROSE))
    better = article(1, FLOOD, ROSE, day=1)
    story = told.add(better)
    assert story.title == FLOOD
    assert story.headlines == (("What we know so far?", "a0", better.published),)
    # It also stays when its article has left the window.
    told.evict(days=2)
    story = told.add(article(2, "Kelby dries after the flood of the Alder", ROSE, day=3))
    assert (story.title, len(story.headlines)) == (FLOOD, 1)


def test_a_headline_goes_with_an_article_that_moves_to_another_story():
    told = Told()
    told.add(article(0, FLOOD, ROSE), article(1, "Kelby bank breaks", BANK))
    told.scope.window.story[0] = 2
    story = told.add(left={"a0"})
    assert (story.title, story.headlines[0].article) == ("Kelby bank breaks", "a0")
    said = {quote.article for quote in (*story.summary, *story.milestones)}
    assert said == {"a1"}


def test_a_summary_tells_how_the_story_began_and_where_it_stands():
    told = Told()
    for day, (title, text) in enumerate(
        [(FLOOD, ROSE), (FLOOD, BANK), ("Builder of Kelby bank must pay", TRIAL)]
    ):
        story = told.add(article(day, title, text, day=day))
    assert [quote.text for quote in story.summary] == [ROSE, BANK, TRIAL]
    assert [quote.article for quote in story.summary] == ["a0", "a1", "a2"]


def test_a_summary_introduces_people_before_it_speaks_of_them():
    said = "Lanning told the BBC in a brief interview that boats, tents and water were needed."
    mayor = "Ann Lanning, the mayor of Kelby, cut short a journey to Port Ansel on Tuesday."
    first = article(0, FLOOD, f"{ROSE} Ann Lanning came home. {said}")
    assert said not in [quote.text for quote in Told().add(first).summary]
    summary = [quote.text for quote in Told().add(first, article(1, FLOOD, mayor)).summary]
    assert summary.index(mayor) < summary.index(said)


def test_a_summary_that_can_stay_does():
    told = Told()
    before = told.add(article(0, FLOOD, ROSE), article(1, FLOOD, BANK)).summary
    other = "The river Alder flooded Kelby, a town of 9,000 people, after heavy rain, police said."
    assert told.add(article(2, FLOOD, other)).summary == before


def test_nothing_is_said_twice():
    told = Told()
    again = ROSE.replace("a week of rain", "heavy rain")
    story = told.add(*(article(n, FLOOD, text) for n, text in enumerate([ROSE, ROSE, again])))
    assert len(story.summary) == len(story.milestones) == 1
    story = told.add(article(3, FLOOD, again, day=1))
    assert len(story.summary) == len(story.milestones) == 1


def test_milestones_are_the_days_on_which_something_new_was_said():
    told = Told()
    told.add(article(0, FLOOD, ROSE))
    told.add(article(1, FLOOD, ROSE, day=1))
    fell = "On Thursday the mayor, Ann Lanning, said in Kelby that all schools would open again."
    story = told.add(article(2, FLOOD, fell, day=2))
    days = [(START + timedelta(days=day)).date() for day in (0, 2)]
    assert story.milestones == (Milestone(days[0], ROSE, "a0"), Milestone(days[1], fell, "a2"))


def test_other_news_on_the_page_of_the_only_article_is_no_milestone():
    other = "Clerks of all counties met in Ansel on Monday to learn how records are kept."
    assert [said.text for said in Told().add(article(0, FLOOD, f"{other} {ROSE}")).milestones] == [
        ROSE
    ]


def test_milestones_stay_when_their_articles_have_left_the_window():
    told = Told()
    told.add(article(0, FLOOD, ROSE))
    told.evict(days=5)
    story = told.add(article(1, FLOOD, BANK, day=6))
    assert [milestone.text for milestone in story.milestones] == [ROSE, BANK]
    assert [quote.text for quote in story.summary] == [ROSE, BANK]


def test_a_description_does_not_depend_on_how_often_the_story_was_described():
    articles = [article(n, FLOOD, text) for n, text in enumerate([ROSE, BANK, TRIAL])]
    once = make()
    process(once, articles)
    often = make()
    for one in articles:
        often.decide([one])
        often.stories()
    often.finish()
    assert once.stories() == often.stories()


def test_the_work_does_not_grow_with_the_story():
    told = Told()
    told.add(*(article(n, FLOOD, ROSE) for n in range(3 * MOST)))
    looked_at = []
    told.scope.window.of = lambda name, row: looked_at.append(row) or np.ones(2)
    told.add(article(999, FLOOD, BANK))
    assert 0 < len(set(looked_at)) <= MOST


def test_key_sentences_come_from_the_body_with_their_place():
    for story in tell().stories():
        assert story.key_sentences
        for sentence in story.key_sentences:
            assert sentence.article in story.articles
            assert sentence.text.endswith(".")
            assert sentence.weight > 0


def test_span_and_articles_are_in_order():
    story = next(s for s in tell().stories() if s.size == 2)
    assert story.articles == ("a0", "a1")
    assert story.first_seen < story.last_seen
    assert 0 < story.confidence <= 1


def test_a_story_keeps_its_description_while_its_articles_leave():
    engine = tell()
    before = {s.id: (s.title, s.keywords, s.summary) for s in engine.stories()}
    process(engine, [article(9, "Trial opens", "A trial opened in court.", day=4)])
    after = {s.id: (s.title, s.keywords, s.summary) for s in engine.stories()}
    assert all(after[story] == described for story, described in before.items())


def test_articles_without_titles_lend_their_first_sentence():
    engine = make()
    process(engine, [article(0, "", "The river rose. People left.")])
    assert engine.stories()[0].title == "The river rose."


GERMAN = Article(
    "g1",
    START + timedelta(hours=2),
    "Alder überschwemmt Kelby nach einer Woche Regen",
    "Der Fluss Alder hat die Stadt Kelby am Dienstag überschwemmt. Tausende mussten fliehen.",
)
ENGLISH = [article(n, FLOOD, ROSE) for n in range(2)]


def test_a_story_in_one_language_has_no_other_editions():
    story = Told().add(*ENGLISH)
    assert (story.language, story.editions) == ("en", ())


def test_a_story_in_two_languages_has_a_title_and_a_summary_in_both():
    story = Told().add(*ENGLISH, GERMAN)
    assert (story.language, story.title) == ("en", FLOOD)
    assert {quote.article for quote in story.summary} <= {"a0", "a1"}
    (german,) = story.editions
    assert (german.language, german.title, german.title_article) == ("de", GERMAN.title, "g1")
    assert [quote.article for quote in german.summary][:1] == ["g1"]
    assert {quote.article for quote in german.summary} == {"g1"}


def test_an_edition_stays_as_its_articles_leave_the_window():
    told = Told()
    was = told.add(*ENGLISH, GERMAN).editions
    told.evict(days=1)
    now = told.add(article(7, "Kelby counts the cost of the flood", BANK, day=1))
    assert now.editions == was


def test_an_edition_goes_with_its_articles_to_another_story():
    told = Told()
    told.add(*ENGLISH, GERMAN)
    told.scope.window.story[2] = 2
    assert told.add(left=["g1"]).editions == ()


def test_the_title_of_before_becomes_an_edition_where_another_language_takes_over():
    told = Told()
    told.add(GERMAN)
    plain = article(9, "Alder floods Kelby: thousands flee", f"{ROSE} {BANK}", day=1)
    title = "Was wir über die Flut wissen"
    told.story = replace(told.story, title=title, title_article="gone")
    story = told.add(plain, *(replace(one, published=plain.published) for one in ENGLISH))
    assert story.language == "en"
    assert [edition.language for edition in story.editions] == ["de"]
