"""What readers look for, and the stories that they expect, on both kinds of database."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scstory.errors import BadQuery
from scstory.sample import load_sample
from scstory.store.records import StoryQuery
from scstory.store.search.finding import find_stories

LABELS = list(dict.fromkeys(item.label for item in load_sample()))
"""The sample's stories in the order of their numbers."""

EXPECTED = {
    # short words
    "gas": ["halcyon-probe"],
    "GAS": ["halcyon-probe"],
    "gave": ["pardo-flood", "ferry-strike", "measles-outbreak"],
    "US": [],  # the sample has only "us"
    "IT": ["pardo-flood"],  # a sign that reads BOIL IT
    "E. coli": ["salad-recall"],
    # names, possessives, accents
    "Nadia Brandt": ["mayor-recount"],
    "hathersage's": ["mayor-recount"],
    "Thele guilty": ["thele-trial"],
    "lucia": ["vrooman-trial", "pardo-flood", "pharmacy-breach"],
    "LUCÍA": ["vrooman-trial", "pardo-flood", "pharmacy-breach"],
    "Acuna": ["film-festival"],
    # other forms of a word, but no other words
    "flooded valley": ["pardo-flood"],
    "vaccinated children": ["measles-outbreak"],
    "teacher": ["teachers-strike", "pharmacy-breach", "mountain-rescue"],
    "salad": ["salad-recall"],
    # phrases
    '"ferry strike"': ["ferry-strike"],
    '"strike ferry"': [],
    "“Quay Nine”": ["vrooman-trial"],
    '"Ansel Sound" strike': ["ferry-strike"],
    '"ferry str': ["ferry-strike"],
    # OR, parentheses
    "measles OR cholera": ["measles-outbreak", "pardo-flood"],
    "(measles OR cholera) hospital": ["measles-outbreak"],
    "museum heron OR avalanche": ["mountain-rescue", "museum-theft"],  # in a summary
    "ferry sailing OR": ["ferry-strike", "museum-theft"],
    # words to leave out
    "flood -Kelby": ["pardo-flood"],
    "strike -ferry": ["teachers-strike"],
    "trial NOT Vrooman": ["thele-trial"],
    "strike -(ferry OR teachers)": [],
    # outlets
    'outlet:"El Mirador" lettuce': ["salad-recall"],
    "source:mirador flood": ["pardo-flood"],
    "jury outlet:Meridian": ["thele-trial", "film-festival"],
    '-outlet:"Channel 6" measles -bunkum': ["measles-outbreak"],
    "outlet:Herald": [],
    # dates
    "measles since:2026-03-12 until:2026-03-14": ["measles-outbreak"],
    "flood since:2026-03-16": [],
    "since:2026-03-22": ["rovers-cup", "film-festival", "museum-theft"],
    "outlet:Ledger since:2026-03-22": ["rovers-cup"],
    # numbers and joined words
    "187,406": ["mayor-recount"],
    "$310,000": ["ferry-strike"],
    "Halcyon-2": ["halcyon-probe"],
    "halcyon 2": ["halcyon-probe"],
    "run-off": ["mayor-recount"],
    # unfinished words
    "hathers": ["mayor-recount"],
    "semicond": ["chip-merger"],
    "comet enc": ["halcyon-probe"],
    "evac*": ["kelby-flood"],
    # nothing
    "dragon": [],
    "recount lettuce": [],
}


def labels(reader, text, **more):
    rows, _ = reader.story_page(StoryQuery(text=text, sort="relevance", **more))
    return [LABELS[row.id - 1] for row in rows]


@pytest.mark.parametrize("text", EXPECTED)
def test_readers_find_what_they_look_for(reader, text):
    assert labels(reader, text) == EXPECTED[text]


def test_the_most_telling_story_comes_first(reader):
    assert labels(reader, "ferry")[0] == "ferry-strike"  # in the summary
    assert labels(reader, "Ansel Sound")[0] == "film-festival"  # more of its articles have it
    assert labels(reader, "walkout OR recount")[:2] == ["teachers-strike", "mayor-recount"]


def test_a_word_that_exists_is_not_taken_for_the_beginning_of_another(reader):
    assert labels(reader, "trial")
    assert "ferry-strike" not in labels(reader, "dam")  # damage, damp
    assert labels(reader, "dam*") != labels(reader, "dam")


def test_all_but_a_word(reader):
    found = labels(reader, "-measles")
    assert "measles-outbreak" not in found
    assert len(found) == len(LABELS) - 1


def test_a_story_stays_that_has_a_word_left_out_in_passing(reader):
    assert "pardo-flood" in labels(reader, "dam -cholera")
    assert "measles-outbreak" not in labels(reader, "children -measles")


def test_dates_of_the_form_and_of_the_search_mean_the_same(reader):
    from scstory.store.search.query import parse

    day, next_day = parse("since:2026-03-12").since, parse("until:2026-03-14").until
    assert labels(reader, "measles OR flood", since=day, until=next_day) == labels(
        reader, "(measles OR flood) since:2026-03-12 until:2026-03-14"
    )


@pytest.mark.parametrize("text", ["OR", "-", '"', '""', "()", "?!", "NOT", "AND OR"])
def test_a_search_without_a_word_says_so(reader, text):
    with pytest.raises(BadQuery, match="has no word to search for"):
        reader.story_page(StoryQuery(text=text, sort="relevance"))


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("measels", "measles"),
        ("Hathersadge", "Hathersage"),
        ("fery strike", "ferry strike"),
        ("Valdanne merger", "Valdane merger"),
        ("rceount", "recount"),
        ('"ferry stirke"', '"ferry strike"'),
        ("lettuce outlet:Mirrador", 'lettuce outlet:"El Mirador"'),
        ("floodgate", "floodwater"),
        ("strike -ferry -teachers", None),
        ("xylophone", None),
    ],
)
def test_a_misspelled_search_is_corrected(reader, text, suggestion):
    query = StoryQuery(text=text, sort="relevance")
    assert reader.story_page(query)[0] == []
    assert reader.advice(query).suggestion == suggestion


def test_a_search_without_an_answer_names_what_is_nowhere(reader):
    reason = reader.advice(StoryQuery(text="xylophone dragon outlet:Tribune")).reason
    assert reason == "No article has: xylophone, dragon. No outlet has in its name: Tribune."


def snippet(reader, text):
    query = StoryQuery(text=text, sort="relevance")
    rows, _ = reader.story_page(query, limit=1)
    return reader.snippets(query, rows)[rows[0].id]


def test_snippets_mark_the_words_of_the_search(reader):
    hits = [piece for piece, hit in snippet(reader, "ferries boat") if hit]
    assert {hit.lower() for hit in hits} <= {"ferry", "ferries", "boat", "boats"}
    assert len({hit[0].lower() for hit in hits}) == 2
    assert ("BOIL IT", False) not in snippet(reader, "IT")
    assert ("IT", True) in snippet(reader, "IT")


def test_a_phrase_is_marked_as_one(reader):
    assert ("ferry strike", True) in snippet(reader, '"ferry strike"')


def test_a_story_found_by_its_summary_shows_it(file_reader, server_reader):
    assert snippet(file_reader, "ferry") == snippet(server_reader, "ferry")


WORDS_OF_SEARCHES = (
    "ferry strike flood the measles Brandt jury US IT Kelby Sound Ansel said not river ten a of "
    "Halcyon-2 5.10 Lucía judge's insurer stri hath* outlet:Mirador outlet:Ledger -outlet:Wire "
    "since:2026-03-10 until:2026-03-12 since:2026-03-20"
)
WORDS = st.sampled_from(WORDS_OF_SEARCHES.split())
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"')
SEARCHES = st.recursive(
    WORDS | PHRASES,
    lambda some: st.one_of(
        st.tuples(some, some).map(" ".join),
        st.tuples(some, some).map(" OR ".join),
        some.map(lambda one: f"-({one})"),
        some.map(lambda one: f"({one})"),
    ),
    max_leaves=5,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=SEARCHES)
def test_both_databases_find_the_same_in_the_same_order(file_reader, server_reader, text):
    def relevance(reader):
        try:
            return reader.db.read(lambda: find_stories(reader.db, text))
        except BadQuery as error:
            return str(error)

    assert relevance(file_reader) == relevance(server_reader)
