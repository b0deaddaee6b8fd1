"""Sentences to vectors: frozen pretrained sentence encoders (PSE) behind one protocol."""

from scstory.vectors.encoder import Encoder, encode_articles
from scstory.vectors.prefetch import Prefetcher, Unencodable
from scstory.vectors.registry import default_encoder, make_encoder

__all__ = [
    "Encoder",
    "Prefetcher",
    "Unencodable",
    "default_encoder",
    "encode_articles",
    "make_encoder",
]
