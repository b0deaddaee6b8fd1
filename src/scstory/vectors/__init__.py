"""From sentences to vectors: the frozen pretrained sentence encoder (PSE) behind one seam."""

from scstory.vectors.ahead import EncodeAhead, Unencodable
from scstory.vectors.encoder import (
    Encoder,
    default_encoder,
    encode_articles,
    make_encoder,
)

__all__ = [
    "EncodeAhead",
    "Encoder",
    "Unencodable",
    "default_encoder",
    "encode_articles",
    "make_encoder",
]
