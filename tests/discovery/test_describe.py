"""What a reader gets of a story."""

from datetime import timedelta

from scstory.types import Article
from tests.conftest import START
from tests.discovery.engines import make, process


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


def test_title_is_a_headline_and_keywords_are_its_names():
    story = next(s for s in tell().stories() if s.size == 2)
    assert story.title in ("Alder floods Kelby", "Kelby under water")
    assert {"Kelby", "Alder", "Mill Lane"} <= set(story.keywords)
    assert "Halcyon" not in story.keywords


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
    before = {s.id: (s.title, s.keywords) for s in engine.stories()}
    process(engine, [article(9, "Trial opens", "A trial opened in court.", day=4)])
    after = {s.id: (s.title, s.keywords) for s in engine.stories()}
    assert all(after[story] == described for story, described in before.items())


def test_articles_without_titles_lend_their_first_sentence():
    engine = make()
    process(engine, [article(0, "", "The river rose. People left.")])
    assert engine.stories()[0].title == "The river rose."
