"""Whole collections: lists, records, columns and frames in; labels, frames and pictures out."""

import subprocess
import sys
from dataclasses import replace
from datetime import date

import matplotlib
import numpy as np
import pandas
import polars
import pytest

from scstory.errors import UsageError
from tests.conftest import make_article, make_stream
from tests.discovery.engines import discover, latest

matplotlib.use("Agg")

STREAM = make_stream(6)
COLUMNS = {
    "id": [article.id for article in STREAM],
    "date": [article.published for article in STREAM],
    "title": [article.title for article in STREAM],
    "text": [article.text for article in STREAM],
    "source": [article.source for article in STREAM],
    "views": [7 for _ in STREAM],
}
RECORDS = [
    {"id": a.id, "date": a.published.isoformat(), "title": a.title, "text": a.text} for a in STREAM
]


@pytest.fixture(scope="module")
def expected():
    """The stories that the articles have at the end of the stream."""
    last = latest(list(discover().stream(STREAM)))
    return [last[article.id].story for article in STREAM]


@pytest.fixture(scope="module")
def discovered():
    """Articles of three topics, one of which ends before the last window."""
    discovery = discover()
    discovery.discover(make_stream(18))
    return discovery


@pytest.mark.parametrize(
    "articles",
    [
        STREAM,
        tuple(STREAM),
        RECORDS,
        COLUMNS,
        pandas.DataFrame(COLUMNS),
        polars.DataFrame(COLUMNS),
        polars.LazyFrame(COLUMNS),
    ],
    ids=["articles", "tuple", "records", "mapping", "pandas", "polars", "lazy"],
)
def test_each_kind_of_collection_gets_the_labels_of_its_stream(articles, expected):
    labels = discover().discover(articles)
    assert labels.dtype == np.int64
    assert labels.tolist() == expected
    assert len(set(expected)) > 1


@pytest.mark.parametrize("frame", [pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS)])
def test_columns_with_other_names_are_passed(frame, expected):
    labels = discover().discover(frame["text"], dates=frame["date"], titles=frame["title"])
    assert labels.tolist() == expected


def test_labels_come_in_the_order_given(expected):
    turned = discover().discover(pandas.DataFrame(COLUMNS)[::-1])
    assert len(set(turned.tolist())) == len(set(expected))
    same = {(one, other) for one, other in zip(turned.tolist()[::-1], expected, strict=True)}
    assert len(same) == len(set(expected))


@pytest.mark.parametrize(
    "dates",
    [
        [date(2026, 3, 2), date(2026, 3, 3)],
        ["2026-03-02", "2026-03-03"],
        np.array(["2026-03-02", "2026-03-03"], dtype="datetime64[ns]"),
        pandas.Series(pandas.to_datetime(["2026-03-02", "2026-03-03"])),
        pandas.to_datetime(["2026-03-02", "2026-03-03"]).tz_localize("Europe/Berlin"),
        polars.Series([date(2026, 3, 2), date(2026, 3, 3)]),
        [1772409600, 1772496000],
        pandas.Series([1772409600000, 1772496000000]),
    ],
    ids=["date", "text", "numpy", "pandas", "zone", "polars", "unix", "milliseconds"],
)
def test_dates_come_in_many_forms(dates):
    discovery = discover()
    discovery.discover([STREAM[0].text, STREAM[1].text], dates=dates)
    first, second = discovery.to_frame("articles")["date"]
    assert (second - first).days == 1
    assert first.day == (1 if getattr(dates, "tz", None) else 2)  # midnight in Berlin is 23:00 UTC


def test_headlines_are_enough():
    frame = pandas.DataFrame(COLUMNS)[["date", "title"]].head(3)
    discovery = discover()
    assert len(discovery.discover(frame)) == 3
    assert discovery.to_frame("articles")["title"].tolist() == frame["title"].tolist()


def test_missing_cells_of_a_frame_are_left_out():
    frame = pandas.DataFrame(COLUMNS).head(2)
    frame["source"] = [np.nan, pandas.NA]
    discovery = discover()
    discovery.discover(frame.drop(columns="title"))
    assert discovery.to_frame("articles", library="polars")["source"].to_list() == [None, None]


def test_again_goes_on_with_the_same_stories(expected):
    discovery = discover()
    days = [article.published.date() for article in STREAM]
    cut = days.index(date(2026, 3, 6))
    first, second = discovery.discover(STREAM[:cut]), discovery.discover(STREAM[cut:])
    assert [*first, *second] == expected


def test_rows_without_an_id_are_numbered_on():
    discovery = discover()
    texts, dates = [a.text for a in STREAM], [a.published for a in STREAM]
    discovery.discover(texts[:4], dates=dates[:4])
    discovery.discover(texts[4:8], dates=dates[4:8])
    names = discovery.to_frame("articles")["article"].tolist()
    assert sorted(names, key=int) == [str(number) for number in range(8)]


@pytest.mark.parametrize(
    ("articles", "columns", "message"),
    [
        (
            pandas.DataFrame({"body": ["x"]}),
            {},
            "no column 'text' or 'title'; the columns",
        ),
        (polars.DataFrame({"text": ["x"]}), {}, "row 0: no date; an article needs date and"),
        (["a text"], {}, "row 0: no date"),
        (["a text"], {"dates": []}, "dates: 0 values for 1 articles; give one for each"),
        (["a text"], {"dates": ["yesterday"]}, "row 0: unreadable date 'yesterday'"),
        ([" "], {"dates": ["2026-03-02"]}, "row 0: neither title nor text: both are empty"),
        ([7], {"dates": ["2026-03-02"]}, "row 0: int is neither an article, nor a record"),
        ("a text", {}, "articles of type str: give a list, a column, or a frame"),
        ({"text": ["x"], "date": []}, {}, "columns of different lengths: 0, 1"),
        ([RECORDS[0], RECORDS[1], RECORDS[0]], {}, "row 2: id 'flood-0' is that of row 0 too"),
        ([STREAM[0]], {"ids": ["1"]}, "row 0: an Article has its own id"),
    ],
)
def test_what_cannot_be_read_is_refused_before_anything_is_decided(articles, columns, message):
    discovery = discover()
    with pytest.raises(UsageError) as caught:
        discovery.discover(articles, **columns)
    assert str(caught.value).startswith(message)
    assert discovery.stories() == []


def test_nothing_gives_no_labels():
    assert discover().discover([]).tolist() == []


def test_frames_also_have_what_has_left_the_window(discovered):
    stories = discovered.to_frame()
    assert len(stories) > len(discovered.stories())
    assert set(stories["active"]) == {True, False}
    assert stories["articles"].is_monotonic_decreasing
    articles = discovered.to_frame("articles")
    assert len(articles) == stories["articles"].sum() == len(make_stream(18))
    assert articles["date"].is_monotonic_increasing
    assert dict(articles["story"].value_counts()) == dict(
        zip(stories["story"], stories["articles"], strict=True)
    )


def test_frames_of_both_libraries_are_the_same(discovered):
    one, other = discovered.to_frame(), discovered.to_frame(library="polars")
    assert isinstance(one, pandas.DataFrame)
    assert isinstance(other, polars.DataFrame)
    assert one.to_dict("list") == other.to_dict(as_series=False)


def test_without_discover_a_frame_has_the_window():
    discovery = discover()
    for article in STREAM[:5]:
        discovery.learn_one(article)
    assert discovery.to_frame("articles")["article"].tolist() == [a.id for a in STREAM[:5]]
    assert discovery.to_frame()["articles"].sum() == 5


def test_frames_of_something_else_are_refused(discovered):
    with pytest.raises(UsageError, match="a frame of 'words': there are stories and articles"):
        discovered.to_frame("words")
    with pytest.raises(UsageError, match="library 'excel': there are pandas and polars"):
        discovered.to_frame(library="excel")


def test_the_timeline_has_a_line_per_story_and_a_dot_per_day(discovered):
    axes = discovered.plot_timeline(top=2)
    assert len(axes.get_yticklabels()) == 2
    lines, dots = axes.collections[0::2], axes.collections[1::2]
    assert len(lines) == len(dots) == 2
    largest = discovered.to_frame()["story"][0]
    articles = discovered.to_frame("articles")
    days = articles[articles["story"] == largest]["date"].dt.date.nunique()
    assert len(dots[0].get_offsets()) == days


def test_the_map_has_a_circle_per_story(discovered):
    from matplotlib.figure import Figure

    given = Figure().add_subplot()
    axes = discovered.plot_map(ax=given)
    assert axes is given
    (circles,) = axes.collections
    assert len(circles.get_offsets()) == len(discovered.to_frame())
    assert np.isfinite(circles.get_offsets()).all()


def test_a_title_is_no_formula():
    discovery = discover()
    article = replace(make_article(0, "flood"), title="Up from $1 to $2_a billion")
    discovery.discover([article])
    axes = discovery.plot_timeline()
    assert axes.get_yticklabels()[0].get_text() == r"Up from \$1 to \$2_a billion"
    axes.figure.canvas.draw()


def test_with_no_stories_there_is_nothing_to_draw():
    for draw in (discover().plot_timeline, discover().plot_map):
        with pytest.raises(UsageError, match="no stories to draw; call discover with articles"):
            draw()


def test_a_missing_library_is_asked_for_by_name(discovered, monkeypatch):
    for name in ("pandas", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        UsageError, match=r"a frame needs pandas.*pip install 'scstory\[notebook\]'"
    ):
        discovered.to_frame(library="pandas")
    with pytest.raises(UsageError, match="a picture needs matplotlib"):
        discovered.plot_timeline()


def test_discovering_imports_neither_frames_nor_pictures():
    code = """
import sys
from datetime import date
from scstory import StoryDiscovery
discovery = StoryDiscovery(encoder="hashing:64")
print(discovery.discover(["The river rose.", "The river fell."], dates=[date(2026, 3, 2)] * 2))
print([name for name in ("pandas", "polars", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    labels, loaded = done.stdout.splitlines()
    assert labels.startswith("[1 ")
    assert loaded == "[]"
