"""Files of many tools give the same articles, as the table of docs/files.md says."""

from datetime import datetime
from pathlib import Path

import pytest

from scstory.feeds import SourceOptions, open_source
from tests.feeds.file_writers import BOTH
from tests.feeds.shapes import SHAPES

DOCS = Path(__file__).parents[2] / "docs" / "files.md"


def read(shape, folder):
    """Return the items of a shape, and the notices about it."""
    path = folder / shape.name
    if callable(shape.body):
        shape.body(path)
    else:
        path.write_bytes(shape.body)
    notices = []
    items = list(open_source(str(path), SourceOptions(on_notice=notices.append)))
    return items, [notice.replace(f"{folder}/", "") for notice in notices]


def row(shape, items, notices):
    """Return the row of the table for a shape."""
    what = {notice.partition(": ")[2] for notice in notices}
    how = sorted(text for text in what if text.startswith("read"))
    rest = sorted(text.partition(";")[0] for text in what if not text.startswith("read"))
    shown = "; ".join([*(text.partition(": ")[2] or text for text in how), *rest]) or "as it is"
    name = how[0].partition(":")[0].removeprefix("read").strip() if how else ""
    return f"| `{shape.name}` | {shape.tool} | {name.removeprefix('as ')} | {shown} |"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_file_gives_both_articles(shape, tmp_path):
    items, notices = read(shape, tmp_path)
    assert [item.problem for item in items] == [None, None]
    for item, expected in zip(items, BOTH, strict=True):
        article = item.article
        assert article.title == ("" if "title" in shape.lacks else expected["title"])
        if "exact" in shape.lacks:
            assert article.text == 'He said "no", twice: It rose.'
        elif "text" in shape.lacks:
            assert article.text in ("", expected["title"])
        else:
            assert article.text.split() == expected["text"].split()
        if "url" not in shape.lacks:
            assert article.url == expected["url"]
        date = datetime.fromisoformat(expected["date"])
        if "time" in shape.lacks:
            assert article.published.date() == date.date()
        elif "date" not in shape.lacks:
            assert article.published == date
    assert len({item.article.id for item in items}) == 2
    assert row(shape, items, notices) in DOCS.read_text("utf-8")


def test_an_article_has_the_same_id_wherever_it_is_read(tmp_path):
    names = ("pandas-records.json", "jq.json", "mac.csv", "gdelt.json", "news.json.gz")
    ids = [
        {item.article.id for item in read(shape, tmp_path)[0]}
        for shape in SHAPES
        if shape.name in names and shape.name != "gdelt.csv"
    ]
    assert len(ids) == len(names)
    assert all(found == {"wire.example/alder", "wire.example/kestrel"} for found in ids)
