"""The tokens of USE-multilingual-3: a unigram model of SentencePiece, read from its file.

The file has an early layout that no library reads any more: the pieces are messages of field 1,
and the table of how characters are normalised is field 2 of the message in field 3.
"""

import struct
from collections.abc import Iterator, Sequence

from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import Precompiled, Replace, Strip
from tokenizers.normalizers import Sequence as Normalizers
from tokenizers.pre_tokenizers import Metaspace

UNKNOWN, BEGIN, END = 0, 1, 2
MAX_TOKENS = 256
MAX_SENTENCE_CHARACTERS = 8192
"""More than MAX_TOKENS tokens ever need: a megabyte without a full stop is not tokenised whole."""


class UseTokenizer:
    """Turns sentences into the token ids of USE-multilingual-3."""

    def __init__(self, model: bytes) -> None:
        pieces, characters = [], b""
        for field, content in _fields(model):
            parts = dict(_fields(content)) if field in (1, 3) else {}
            if field == 1:
                pieces.append((parts[1].decode(), struct.unpack("<f", parts.get(2, bytes(4)))[0]))
            elif field == 3:
                characters = parts[2]
        self._tokenizer = Tokenizer(Unigram(pieces, UNKNOWN, byte_fallback=False))
        self._tokenizer.normalizer = Normalizers(
            [Precompiled(characters), Replace(Regex(" {2,}"), " "), Strip()]
        )
        spaces = Metaspace(replacement="▁", prepend_scheme="always", split=False)
        self._tokenizer.pre_tokenizer = spaces
        self._tokenizer.enable_truncation(MAX_TOKENS - 2)

    def tokenise(self, sentences: Sequence[str]) -> list[list[int]]:
        """Return the sentences' token ids, between the marks of their beginning and end."""
        texts = [sentence[:MAX_SENTENCE_CHARACTERS] for sentence in sentences]
        return [[BEGIN, *one.ids, END] for one in self._tokenizer.encode_batch_fast(texts)]


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protobuf message that have bytes as their content, or four of them."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        field, kind = key >> 3, key & 7
        if kind == 0:
            _, place = _number(message, place)
            continue
        length = {1: 8, 5: 4}.get(kind)
        if length is None:
            length, place = _number(message, place)
        yield field, message[place : place + length]
        place += length


def _number(message: bytes, place: int) -> tuple[int, int]:
    """Return the number of variable length that starts at a place, and where it ends."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
