"""A State as bytes: one .npz archive, arrays as they are, the rest as JSON. No pickle."""

import io
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any

import numpy as np

from scstory.errors import StoreError
from scstory.types import (
    Article,
    Edition,
    Headline,
    KeySentence,
    Milestone,
    Quote,
    SavedArticle,
    State,
    Story,
)

_META, _ARTICLES, _VECTORS = "__meta__", "__articles__", "__vectors__"

FORMAT = 12
"""The format of a state."""
READABLE = (11, FORMAT)
"""The formats that this version reads; a state of another one is refused."""


def check_format(meta: Mapping[str, Any]) -> None:
    """Refuse a state that another version of the program has saved."""
    if meta.get("format") not in READABLE:
        raise StoreError(
            f"saved state of format {meta.get('format')!r}: this version reads {FORMAT}; run your "
            "articles again into a new database, named with --db"
        )


def dump_state(state: State, *, members: bool = True) -> bytes:
    """Return a state as bytes, with or without the articles it holds."""
    arrays: dict[str, Any] = {**state.arrays, _META: _json_array(state.meta)}
    if members:
        articles = [{**article_to_dict(m.article), "sentences": m.sentences} for m in state.members]
        arrays[_ARTICLES] = _json_array(articles)
        arrays[_VECTORS] = (
            np.concatenate([m.vectors for m in state.members])
            if state.members
            else np.empty((0, 0), dtype=np.float32)
        )
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(sorted(arrays.items())))
    return buffer.getvalue()


def load_state(content: bytes, *, what: str = "state") -> State:
    """Return the state that `dump_state` made these bytes of."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        meta = json.loads(arrays.pop(_META).tobytes())
        articles = json.loads(arrays.pop(_ARTICLES, np.frombuffer(b"[]", np.uint8)).tobytes())
        vectors = arrays.pop(_VECTORS, np.empty((0, 0), dtype=np.float32))
        members, start = [], 0
        for record in articles:
            sentences = tuple(record.pop("sentences"))
            end = start + len(sentences)
            members.append(SavedArticle(article_from_dict(record), sentences, vectors[start:end]))
            start = end
        return State(dict(meta), arrays, tuple(members))
    except Exception as error:
        # Damaged bytes can make the reader of the archive fail in any way.
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise StoreError(f"{what}: not a saved scstory state, or damaged ({reason})") from error


def article_to_dict(article: Article) -> dict[str, Any]:
    """Return an article as plain values."""
    return {**_values(article), "published": article.published.isoformat()}


def article_from_dict(values: dict[str, Any]) -> Article:
    """Return the article that `article_to_dict` returned as plain values."""
    return Article(**{**values, "published": datetime.fromisoformat(values["published"])})


def story_to_dict(story: Story) -> dict[str, Any]:
    """Return a story as plain values."""
    return {name: _plain(value) for name, value in _values(story).items()}


def story_from_dict(values: Mapping[str, Any]) -> Story:
    """Return the story that `story_to_dict` returned as plain values."""
    return Story(
        **{
            **values,
            **description_from(values),
            "first_seen": datetime.fromisoformat(values["first_seen"]),
            "last_seen": datetime.fromisoformat(values["last_seen"]),
            "articles": tuple(values["articles"]),
        }
    )


def description_from(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a story that hold several texts, each of plain values."""
    return {
        "keywords": tuple(values["keywords"]),
        "key_sentences": tuple(KeySentence(*item) for item in values["key_sentences"]),
        "summary": tuple(Quote(*item) for item in values["summary"]),
        "milestones": tuple(
            Milestone(date.fromisoformat(day), text, article)
            for day, text, article in values["milestones"]
        ),
        "headlines": tuple(
            Headline(text, article, datetime.fromisoformat(until))
            for text, article, until in values["headlines"]
        ),
        "editions": tuple(
            Edition(language, title, article, tuple(Quote(*item) for item in summary))
            for language, title, article, summary in values.get("editions", ())
        ),
    }


def _plain(value: Any) -> Any:
    """Return a value of a story as JSON holds it."""
    if isinstance(value, date):  # which a datetime is, too
        return value.isoformat()
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _values(item: Article | Story) -> dict[str, Any]:
    return {field.name: getattr(item, field.name) for field in fields(item)}


def _json_array(value: Any) -> Any:
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode("utf-8"), dtype=np.uint8)
