"""Labelled data sets: News14, WCEP, answers of NewsAPI, and files that claim to be one."""

import gzip
import json
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st

from scstory.errors import SourceError
from scstory.evaluation.datasets.spec import open_dataset
from tests.fuzz.inputs import anything, check_items, damaged, file_of, fuzz, only
from tests.fuzz.test_web import ANSWER

DOCUMENT = {
    "id": "1", "date": "2014-01-03 17:05:00", "lang": "eng", "title": "Alder", "text": "It rose.",
    "cluster": 7,
}  # fmt: skip
NEWS14 = json.dumps([DOCUMENT, {**DOCUMENT, "id": 2, "lang": "spa"}], indent=1).encode()
STORY = {
    "id": 9,
    "summary": "It rose.",
    "articles": [
        {"id": f"a{n}", "time": "2018-01-03T00:00:00", "title": "T", "text": "x", "url": "u"}
        for n in range(50)
    ],
}
WCEP = b"\n".join(json.dumps({**STORY, "id": n}).encode() for n in range(2))
OWN = b'{"id": "1", "date": "2026-03-03", "title": "T", "text": "x", "story": "s"}\n'
KINDS = {
    "news14": ("dataset.dev.json", NEWS14),
    "wcep18": ("train.jsonl", WCEP),
    "newsapi": ("flood.json", ANSWER),
    "": ("a.jsonl", OWN),
}


@st.composite
def sets(draw):
    kind, (name, valid) = draw(st.sampled_from(list(KINDS.items())))
    body = draw(damaged(valid))
    packed = draw(st.booleans())
    name = draw(st.sampled_from([name, *(n for n, _ in KINDS.values())]))
    return kind, f"{name}.gz" if packed else name, gzip.compress(body) if packed else body


@fuzz(sets(), st.booleans())
def test_any_set(made, by_folder):
    kind, name, body = made
    with file_of(name, body) as path, only(SourceError):
        place = path.parent if by_folder else path
        items = list(open_dataset(f"{kind}:{place}" if kind else str(place)))
        check_items(items)
        dates = [item.article.published for item in items if item.article]
        assert dates == sorted(dates)


@fuzz(anything)
def test_any_name(spec):
    with tempfile.TemporaryDirectory() as folder, suppress(SourceError):
        list(open_dataset(f"{folder}/{spec}" if Path(spec).is_absolute() else f"news14:{spec}/x"))
