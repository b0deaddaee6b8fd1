"""The language of searches: what readers and engineers type, and what it means."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.errors import BadQuery
from scstory.store.search.query import All, Either, Not, Outlet, Published, Term, parse, unfinished


def short(node):
    """Return a tree in few letters: the first form of a term stands for all."""
    if isinstance(node, Term):
        return " ".join(node.forms[0]) + "*" * node.prefix
    if isinstance(node, Outlet):
        return f"@{' '.join(node.words)}"
    if isinstance(node, Published):
        return f">={node.since:%d %b %Y}" if node.since else f"<{node.until:%d %b %Y}"
    if isinstance(node, Not):
        return {"not": short(node.part)}
    kind = "all" if isinstance(node, All) else "either"
    assert isinstance(node, All | Either)
    return {kind: [short(part) for part in node.parts]}


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("ferry", "ferry"),
        ("ferry strike", {"all": ["ferry", "strike"]}),
        ("ferry AND strike", {"all": ["ferry", "strike"]}),
        ("a ferry or the strike", {"all": ["ferry", "strike"]}),  # common words; or is a word
        ("the a", {"all": ["the", "a"]}),
        ('"the ferry"', "the ferry"),
        ("ferry strike OR walkout", {"either": [{"all": ["ferry", "strike"]}, "walkout"]}),
        ("ferry (strike OR walkout)", {"all": ["ferry", {"either": ["strike", "walkout"]}]}),
        ("ferry -strike", {"all": ["ferry", {"not": "strike"}]}),
        ('ferry -"last strike"', {"all": ["ferry", {"not": "last strike"}]}),
        ("-(a1 OR b1) c1", {"all": [{"not": {"either": ["a1", "b1"]}}, "c1"]}),
        ("NOT strike", {"not": "strike"}),
        ("run-off", "run off"),
        ("O'Neill's", "o neill"),
        ("Brandt’s", "brandt"),
        ("U.S.", "us"),
        ("stri*", "stri*"),
        ('"ferry stri"*', "ferry stri*"),
        ("outlet:Herald", "@herald"),
        ('SOURCE:"Evening Herald"', "@evening herald"),
        ("outlet:“Evening Herald”", "@evening herald"),
        ("12:30 https://news.example/a", {"all": ["12 30", "https news example a"]}),
        ("since:2026-03-03", ">=03 Mar 2026"),
        ("since:2026-03", ">=01 Mar 2026"),
        ("until:2026-03-03", "<04 Mar 2026"),
        ("until:2026-12", "<01 Jan 2027"),
        ("until:2024", "<01 Jan 2025"),
        # not finished, or too much
        ('"ferry str', "ferry str"),
        ("(ferry", "ferry"),
        ("ferry)", "ferry"),
        ("ferry OR", "ferry"),
        ("OR ferry AND", "ferry"),
        ("ferry - NOT", "ferry"),
    ],
)
def test_a_search_means(text, tree):
    assert short(parse(text)) == tree


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
def test_nothing_typed_is_no_condition(text):
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("OR", "search for OR: has no word to search for; write a word beside it"),
        ("a*", r"a\*: a \* needs at least 2 letters before it"),
        ("outlet:", 'outlet: names no outlet; write outlet:Herald or outlet:"Evening Herald"'),
        ("since:soon", "since:soon: write a date like since:2026-03-03"),
        ("until:2026-02-30", "until:2026-02-30: write a date like until:2026-03-03"),
        ("since:0001", "since:0001: write a date"),
        ("x" * 201, "search of 201 characters: it can have at most 200; shorten it"),
        ("(" * 21, "search of 21 parentheses: it can have at most 20; shorten it"),
        ("xy " * 41, "search of 41 words: it can have at most 40; shorten it"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_way_out(text, message):
    with pytest.raises(BadQuery, match=message):
        parse(text)


def test_capitals_make_an_acronym():
    assert parse("GAS").forms == (("gas",), ("g", "a", "s"))
    assert parse("US").capitals == ("US", "U.S")
    assert parse("us").capitals == ()
    assert ("strikes",) in parse("STRIKE").forms


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("ferry str", {"all": ["ferry", "str*"]}),
        ('"ferry str', "ferry str*"),
        ('"ferry str"', None),
        ("stri*", None),
        ("ferry -str", None),
        ("str outlet:Herald", None),
        ("US", None),
        ("ferry OR", None),
    ],
)
def test_the_last_word_may_be_unfinished(text, longer):
    found = unfinished(parse(text))
    assert (found and short(found)) == longer


def test_dates_are_in_utc():
    assert parse("since:2026-03-03").since == datetime(2026, 3, 3, tzinfo=UTC)


@given(text=st.text(st.sampled_from(" \n()\"-*:.'ORANDT” outletsince2026é\0"), max_size=60))
def test_anything_typed_is_a_search_or_refused(text):
    said = ""
    try:
        parse(text)
    except BadQuery as error:
        said = str(error)
    assert "\n" not in said
