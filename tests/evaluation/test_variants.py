"""Test streams: what each variant changes, what it leaves, and what it refuses."""

import re
import statistics
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from scstory.errors import ConfigError, UsageError
from scstory.evaluation.variants import (
    VARIANTS,
    Labelled,
    Transformation,
    headlines,
    jitter,
    noisy,
    one_affair,
    parse_variant,
    singles,
    small,
)
from scstory.feeds import Item
from tests.conftest import START, Article

DAY = timedelta(days=1)


def sentence(label, number, place):
    return f"Sentence {place} of article {number} is about the affair {label}."


def make(sizes, *, days=20.0, sentences=4):
    """Return a stream with stories of these sizes, all of them spread over the same days."""
    items = []
    for story, size in enumerate(sizes):
        for number in range(size):
            published = START + timedelta(days=days * (number + 0.5) / size, minutes=story)
            text = " ".join(sentence(story, number, place) for place in range(sentences))
            article = Article(f"{story}-{number}", published, f"Title {story} {number}", text)
            items.append(Labelled(article, str(story)))
    return sorted(items, key=lambda item: item.article.published)


def ids(items):
    return [item.article.id for item in items]


def stories(items):
    return Counter(item.label for item in items)


def test_jitter_moves_dates_forward_and_keeps_all_else():
    items = make([40] * 25)
    moved = jitter(items, 2.0)
    assert sorted(ids(moved)) == sorted(ids(items))
    assert ids(moved) != ids(items)
    times = [item.article.published for item in moved]
    assert times == sorted(times)
    before = {item.article.id: item for item in items}
    gaps = []
    for item in moved:
        known = before[item.article.id]
        assert item.label == known.label
        assert replace(item.article, published=known.article.published) == known.article
        gaps.append((item.article.published - known.article.published) / DAY)
    assert min(gaps) >= -1e-4  # whole seconds
    assert statistics.mean(gaps) == pytest.approx(2, rel=0.1)
    assert statistics.stdev(gaps) == pytest.approx(2, rel=0.15)  # exponential: as the mean


def test_jitter_gives_a_time_of_day_to_dates_without_one():
    midnight = START.replace(hour=0)
    items = [
        Labelled(replace(item.article, published=midnight), item.label) for item in make([500])
    ]
    hours = [(item.article.published - midnight) / DAY * 24 for item in jitter(items, 1e-6)]
    assert 0 <= hours[0] < 1
    assert 23 < hours[-1] < 24
    assert statistics.mean(hours) == pytest.approx(12, abs=1)


def test_noise_is_one_block_of_other_stories_of_the_same_days():
    items = make([20, 20, 20])
    published = {item.article.id: item.article.published for item in items}
    places = Counter()
    for before, after in zip(items, noisy(items), strict=True):
        own = [f"{s}." for s in before.article.text.rstrip(".").split(". ")]
        found = [f"{s}." for s in after.article.text.rstrip(".").split(". ")]
        assert len(found) == 6  # half as many again
        inserted = [place for place, s in enumerate(found) if s not in own]
        assert [s for s in found if s in own] == own
        assert inserted[1] == inserted[0] + 1
        places[inserted[0]] += 1
        for place in inserted:
            words = found[place].rstrip(".").split()
            number, story = words[4], words[-1]
            assert story != before.label
            distance = published[f"{story}-{number}"] - before.article.published
            assert abs(distance) <= 3 * DAY
        assert replace(after.article, text=before.article.text) == before.article
    assert set(places) == {2, 4}  # in the middle or at the end
    assert min(places.values()) > 15


def test_the_share_of_noise():
    items = make([20, 20], sentences=8)

    def count(share):
        return [item.article.text.count("Sentence") for item in noisy(items, share)]

    assert count(0) == [8] * 40
    assert count(0.01) == [9] * 40  # at least one
    assert count(0.25) == [10] * 40
    assert count(2) == [24] * 40


def test_noise_comes_from_labelled_articles():
    items = make([3, 20], days=0.5)
    some = [Labelled(a, None if label == "1" else label) for a, label in items]
    for before, after in zip(some, noisy(some), strict=True):
        assert (before == after) == (before.label == "0")


def test_noise_comes_from_sixty_articles_ahead_at_most():
    (one,) = make([1], sentences=60)
    first = Labelled(replace(one.article, published=START), "0")
    changed, *_ = noisy([first, *make([0, 200], days=0.5)], 2)
    found = re.findall(r"article (\d+) is about the affair 1", changed.article.text)
    assert len(found) == 120
    assert 50 < max(map(int, found)) < 60


def test_noise_in_chinese():
    pair = [
        Labelled(Article(str(n), START, "标题", f"{word * 35}。{word * 40}！{word}。"), word)
        for n, word in enumerate("河雨")
    ]
    river, rain = noisy(pair)
    assert "雨" in river.article.text
    assert "河" in rain.article.text


def test_headlines_keep_titles_only():
    items = make([3])
    items[1] = Labelled(replace(items[1].article, title=" "), "0")
    found = headlines(items)
    assert [item.article.text for item in found] == ["", sentence(0, 1, 0), ""]
    assert [item.article.title for item in found] == [item.article.title for item in items]


def test_nine_in_ten_stand_alone():
    items = make([4] * 200 + [1] * 20 + [90])
    kept = singles(items)
    sizes = stories(kept)
    assert len(sizes) == 221  # something of every story
    assert set(sizes.values()) == {1, 4}
    together = sum(size for size in sizes.values() if size > 1)
    assert 0.08 < together / len(kept) <= 0.1
    places = [items.index(item) for item in kept]
    assert places == sorted(places)


def test_one_affair_and_a_little_of_others_at_its_time():
    items = make([60] + [3] * 30, days=30)
    late = [
        Labelled(replace(a, id=f"late-{a.id}", published=a.published + 90 * DAY), f"late-{label}")
        for a, label in make([5] * 20)
    ]
    kept = one_affair([*items, *late])
    sizes = stories(kept)
    assert sizes.pop("0") == 60
    assert len(sizes) == 7  # one in ten
    assert set(sizes.values()) == {1}
    assert not any(label.startswith("late") for label in sizes)


def test_the_nearest_other_stories_where_none_is_of_the_time():
    affair = make([18], days=1)
    others = [
        Labelled(Article(f"o{n}", START + (n + 5) * DAY, "Title", "Text."), f"o{n}")
        for n in range(9)
    ]
    assert set(stories(one_affair([*affair, *others]))) == {"0", "o0", "o1"}


def test_sixty_articles_from_a_third_on():
    items = make([90])
    assert small(items) == items[30:90]
    assert small(make([300]))[0] == make([300])[100]


@pytest.mark.parametrize(
    ("variant", "items", "message"),
    [
        (small, make([89]), "variant small: 89 articles are too few; needs at least 90"),
        (
            singles,
            make([3] * 27),
            "27 stories are too few; .* at least 28 stories",
        ),
        (
            singles,
            make([1] * 50),
            "50 stories are too few; needs a story of several",
        ),
        (one_affair, make([8, 5]), "variant one-affair: the largest story has 8 articles; needs"),
        (one_affair, make([9]), "variant one-affair: there is only one story"),
        (noisy, make([9]), "variant noisy: no article has sentences of another story"),
    ],
)
def test_a_stream_that_is_too_small(variant, items, message):
    with pytest.raises(UsageError, match=message) as error:
        variant(items)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_the_same_every_time_and_leave_what_they_are_given(name):
    items = make([60] + [2] * 40)
    before = list(items)
    change = parse_variant(name).change
    assert change(items) == change(items)
    assert items == before
    assert all(item.article.title for item in change(items))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("loud", "variant 'loud': there are noisy, headlines, singles, one-affair, small"),
        ("", "variant '': there are noisy"),
        ("noisy=", "variant 'noisy=': the share must be a number from 0 to 2, as in noisy=0.5"),
        ("noisy=much", "the share must be a number from 0 to 2"),
        ("noisy=2.1", "the share must be a number from 0 to 2"),
        ("noisy=nan", "the share must be a number from 0 to 2"),
        ("small=3", "variant 'small=3': small takes no value; write --variant small"),
    ],
)
def test_wrong_names(text, message):
    with pytest.raises(ConfigError, match=message):
        parse_variant(text)


@pytest.mark.parametrize("days", [-1, 366, float("nan"), float("inf")])
def test_wrong_jitter(days):
    with pytest.raises(ConfigError, match="must be from 0 to 365 days"):
        Transformation.parse(days, [])


def as_items(stream):
    return [Item("x", article, label=label) for article, label in stream]


def test_a_transformation_goes_in_order_and_remembers_own_texts():
    stream = make([30, 30, 30])
    items = [Item("bad", None, "no date"), *as_items(stream)]
    found, own = Transformation().apply(items)
    assert [(i.article, i.label) for i in found] == stream
    assert own == {}
    found, own = Transformation.parse(1, ["noisy", "noisy=0.2", "small"]).apply(items)
    assert len(found) == 60
    for item in found:
        number = stream[ids(stream).index(item.article.id)].article
        assert own[item.article.id] == f"{number.title}\n{number.text}"
        assert item.article.text != number.text
    with pytest.raises(UsageError, match="no article has sentences of another story"):
        Transformation.parse(0, ["headlines", "noisy"]).apply(items)


def test_nothing_is_done_to_a_stream_that_cannot_be_evaluated():
    unlabelled = as_items([Labelled(item.article, None) for item in make([3])])
    for items in ([], unlabelled):
        found, own = Transformation.parse(1, ["small"]).apply(items)
        assert [i.article for i in found] == [i.article for i in items]
        assert own == {}


def test_the_summary():
    assert Transformation().summary() == ""
    assert Transformation.parse(1, []).summary() == "transformed: dates moved by 1 day on average"
    assert Transformation.parse(0, ["singles"]).summary() == "transformed: singles"
