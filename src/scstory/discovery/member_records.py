"""Articles of the window as bytes, as they are in its temporary files.

Only the process that wrote them reads these files, so their format is whatever is read the fastest.
"""

import marshal
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from scstory.discovery.state import article_from_dict, article_to_dict
from scstory.text.extract import Extract, Quotable
from scstory.text.wording import Wording
from scstory.types import EncodedArticle, Reading, Vectors

_HEADER = struct.Struct("<6q")


def as_bytes(article: EncodedArticle) -> bytes:
    """Return an article as bytes, its vectors first."""
    reading = article.reading
    about = [article_to_dict(article.article), reading.sentences, reading.language, reading.lede]
    text = marshal.dumps(about)
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
    article, sentences, language, lede = marshal.loads(content[start:end])
    found = []
    for count in (columns, uses, used_in):
        found.append(np.frombuffer(content, np.int32, count, end))
        end += 4 * count
    reading = Reading(sentences, found[0], found[1], found[2], lede, language)
    return EncodedArticle(article_from_dict(article), reading, vectors_from(content))


def vectors_from(content: bytes) -> Vectors:
    """Return the vectors of the article alone."""
    *_, count, dim = _header(content)
    return np.frombuffer(content, np.float32, count * dim).reshape(count, dim)


def _header(content: bytes) -> tuple[int, ...]:
    return _HEADER.unpack_from(content, len(content) - _HEADER.size)


def extract_bytes(extract: Extract) -> bytes:
    """Return an extract as bytes."""
    wording = [dict(part) if isinstance(part, Mapping) else part for part in extract.wording]
    content: Any = (wording, extract.headline, extract.fault, [*map(tuple, extract.quotes)])
    return marshal.dumps(content)


def extract_from(content: bytes) -> Extract:
    """Return the extract that `extract_bytes` made these bytes of."""
    wording, headline, fault, quotes = marshal.loads(content)
    return Extract(Wording(*wording), headline, fault, tuple(Quotable(*each) for each in quotes))
