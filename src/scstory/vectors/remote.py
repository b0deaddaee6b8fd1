"""An encoder in a process or on a machine of its own. Importing this imports nothing heavy."""

import hashlib
from dataclasses import dataclass

from scstory._version import __version__
from scstory.types import Vectors
from scstory.vectors.registry import make_encoder

PROBE = (
    "Yes.",
    "The river rose by two metres overnight, and 1,400 homes along its banks were evacuated.",
    "Prosecutors said on Tuesday that they would not appeal.",
    'Asked whether the talks had failed, the minister said: "We will be back at the table."',
    " ".join(["Shares of the company slid for a third day, to their lowest since March."] * 8),
)
"""Sentences of several lengths: the vectors of two encoders that differ in a bit differ here."""


@dataclass(frozen=True, slots=True)
class Described:
    """An encoder's name and dimension, and a fingerprint of its vectors."""

    name: str
    dim: int
    fingerprint: str
    version: str


class RemoteEncoder:
    """Encodes for a writer on another processor or machine."""

    def __init__(self, spec: str | None, threads: int, device: str | None) -> None:
        self._encoder = make_encoder(spec, threads=threads, device=device)

    def describe(self) -> Described:
        """Return what this encoder is."""
        vectors = self.encode(list(PROBE))
        fingerprint = hashlib.sha256(vectors.tobytes()).hexdigest()[:16]
        return Described(self._encoder.name, self._encoder.dim, fingerprint, __version__)

    def encode(self, sentences: list[str]) -> Vectors:
        """Return one vector per sentence."""
        return self._encoder.encode(sentences)
