"""Articles of the window as bytes, as they are in its temporary files."""

import json
import struct
from typing import Any

import numpy as np

from scstory.discovery.state import article_from_dict, article_to_dict
from scstory.text.wording import Wording
from scstory.types import EncodedArticle, Reading, Vectors

_HEADER = struct.Struct("<6q")


def as_bytes(article: EncodedArticle) -> bytes:
    """Return an article as bytes, its vectors first."""
    reading = article.reading
    about = [article_to_dict(article.article), reading.sentences, reading.language, reading.lede]
    text = json.dumps(about, ensure_ascii=False).encode("utf-8", "surrogatepass")
    terms = (reading.columns, reading.uses, reading.used_in)
    header = _HEADER.pack(len(text), *map(len, terms), *article.vectors.shape)
    numbers = [np.asarray(part, dtype=np.int32).tobytes() for part in terms]
    vectors = np.asarray(article.vectors, dtype=np.float32).tobytes()
    return b"".join([vectors, text, *numbers, header])


def from_bytes(content: bytes) -> EncodedArticle:
    """Return the article that `as_bytes` made these bytes of."""
    text, columns, uses, used_in, *shape = _header(content)
    start = 4 * shape[0] * shape[1]
    end = start + text
    about = content[start:end].decode("utf-8", "surrogatepass")
    article, sentences, language, lede = json.loads(about)
    found = []
    for count in (columns, uses, used_in):
        found.append(np.frombuffer(content, np.int32, count, end))
        end += 4 * count
    reading = Reading(tuple(sentences), found[0], found[1], found[2], lede, language)
    return EncodedArticle(article_from_dict(article), reading, vectors_from(content))


def vectors_from(content: bytes) -> Vectors:
    """Return the vectors of the article alone."""
    *_, count, dim = _header(content)
    return np.frombuffer(content, np.float32, count * dim).reshape(count, dim)


def _header(content: bytes) -> tuple[int, ...]:
    return _HEADER.unpack_from(content, len(content) - _HEADER.size)


def wording_bytes(wording: Wording) -> bytes:
    """Return a wording as bytes; what has no order is sorted."""
    values: dict[str, Any] = {
        name: sorted(part) if isinstance(part, frozenset) else part
        for name, part in wording._asdict().items()
    }
    values["together"] = [[*words, uses] for words, uses in wording.together.items()]
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")


def wording_from(content: bytes) -> Wording:
    """Return the wording that `wording_bytes` made these bytes of."""
    values = json.loads(content.decode("utf-8", "surrogatepass"))
    together = {tuple(words): uses for *words, uses in values.pop("together")}
    sets = {name: frozenset(part) for name, part in values.items() if isinstance(part, list)}
    return Wording(**{**values, **sets}, together=together)
