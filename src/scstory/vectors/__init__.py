"""From sentences to vectors: the frozen pretrained sentence encoder (PSE) behind one seam."""

from scstory.vectors.ahead import EncodeAhead, encode_ahead
from scstory.vectors.encoder import (
    Encoder,
    default_encoder,
    encode_articles,
    make_encoder,
)

__all__ = [
    "EncodeAhead",
    "Encoder",
    "default_encoder",
    "encode_ahead",
    "encode_articles",
    "make_encoder",
]
