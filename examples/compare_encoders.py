"""Bring your own sentence encoder, and measure how well stories are found with it.

Run it with ``python examples/compare_encoders.py``. The bundled sample has true stories to compare
with; for files of your own and for more systems there is ``scstory evaluate``.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from scstory import StoryDiscovery
from scstory.evaluation import score
from scstory.sample import load_sample
from scstory.vectors import make_encoder


class Trigrams:
    """A sentence is the bag of its sequences of three letters: no model, any language.

    An encoder has a name, a dimension, and a method that returns one float32 row per sentence.
    The row must depend on the sentence alone, not on the sentences beside it.
    """

    name, dim = "trigrams", 512

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Return one vector of unit length per sentence."""
        rows = np.zeros((len(sentences), self.dim), dtype=np.float32)
        for row, sentence in zip(rows, sentences, strict=True):
            text = f"  {sentence.lower()} "
            for start in range(len(text) - 2):
                row[crc32(text[start : start + 3].encode()) % self.dim] += 1
            row /= max(float(np.linalg.norm(row)), 1e-12)
        return rows


items = load_sample()
truth = {item.article.id: item.label for item in items}
for encoder in (make_encoder("hashing"), Trigrams()):
    discovery = StoryDiscovery(encoder=encoder)
    # An article may move later; its last assignment counts.
    found = {a.article: a.story for a in discovery.stream(item.article for item in items)}
    scores = score([truth[article] for article in found], list(found.values()))
    print(f"{encoder.name:12} B³-F1 {scores.b3_f1:.3f}  AMI {scores.ami:.3f}")
