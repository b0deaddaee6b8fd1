"""The paper's algorithm as one would first write it down: the yardstick for the speed of a slide.

Every article is a row of 50 sentences, most of them padding; articles are embedded one by one,
compared story by story, ranked and mixed pair by pair. Same model, same loss, same batches as the
`paper` preset, nothing done to make it fast, nothing done to make it slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.data import DIM
from scstory.types import EncodedArticle

SENTENCES = 50
HEADS = 4
DELTA, TEMPERATURE, BATCH, RATE = 0.5, 0.2, 128, 1e-5


class Encoder(nn.Module):
    """M: self-attention over the sentences, then attentive pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(DIM, HEADS, batch_first=True)
        self.norm, self.dense = nn.LayerNorm(DIM), nn.Linear(DIM, DIM)
        self.column, self.score = nn.Linear(DIM, 1), nn.Linear(1, 1, bias=False)

    def forward(self, sentences: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Return article vectors, and the attention that each sentence receives."""
        mixed, weights = self.attention(
            sentences, sentences, sentences, key_padding_mask=padding, need_weights=True
        )
        told = torch.tanh(self.dense(self.norm(mixed + sentences)))
        scores = self.score(torch.tanh(self.column(told))).squeeze(-1)
        pooling = scores.masked_fill(padding, -torch.inf).softmax(dim=-1)
        received = (weights * ~padding[:, :, None]).sum(dim=1)
        return (pooling[:, :, None] * told).sum(dim=1), received


@dataclass
class Member:
    """An article of the window."""

    day: int
    sentences: Tensor
    length: int
    vector: Tensor
    received: Tensor
    story: int = -1
    confidence: float = 1.0


class Plain:
    """Takes a slide after the other."""

    def __init__(self, *, days: int = 7) -> None:
        torch.manual_seed(0)
        self._encoder, self._days = Encoder(), days
        self._optimiser = torch.optim.Adam(self._encoder.parameters(), lr=RATE)
        self._rng = np.random.default_rng(0)
        self._window: list[Member] = []
        self._stories = 0

    def process(self, day: int, articles: Sequence[EncodedArticle]) -> None:
        """Assign a day's articles, learn, and look at the window anew."""
        self._window = [member for member in self._window if member.day > day - self._days]
        for article in articles:
            self._assign(day, article)
        self._learn()
        for member in self._window:
            member.vector, member.received = self._embed(member.sentences, member.length)
        means = self._means()
        for member in self._window:
            member.confidence = _cosine(member.vector, means[member.story])

    @torch.no_grad()
    def _embed(self, sentences: Tensor, length: int) -> tuple[Tensor, Tensor]:
        padding = torch.arange(SENTENCES)[None] >= length
        vectors, received = self._encoder(sentences[None], padding)
        return vectors[0], received[0]

    def _assign(self, day: int, article: EncodedArticle) -> None:
        rows = torch.from_numpy(article.vectors[:SENTENCES])
        sentences = F.pad(rows, (0, 0, 0, SENTENCES - len(rows)))
        member = Member(day, sentences, len(rows), *self._embed(sentences, len(rows)))
        for story, mean in self._means().items():
            confidence = _cosine(member.vector, mean)
            if confidence >= DELTA and (member.story < 0 or confidence > member.confidence):
                member.story, member.confidence = story, confidence
        if member.story < 0:
            member.story, self._stories = self._stories, self._stories + 1
        self._window.append(member)

    def _means(self) -> dict[int, Tensor]:
        vectors = defaultdict(list)
        for member in self._window:
            vectors[member.story].append(member.vector)
        return {story: torch.stack(found).mean(dim=0) for story, found in vectors.items()}

    def _learn(self) -> None:
        means = self._means()
        order = {story: place for place, story in enumerate(means)}
        stories = F.normalize(torch.stack(list(means.values())), dim=-1)
        members = defaultdict(list)
        for member in self._window:
            members[member.story].append(member)
        pairable = [found for found in members.values() if len(found) > 1]
        sure = [member for member in self._window if member.confidence >= DELTA]
        chances = np.array([member.confidence for member in sure])
        for _ in range(len(self._window) // BATCH + 1):
            drawn = self._rng.choice(len(sure), BATCH, p=chances / chances.sum())
            batch = [(m.sentences, m.length, m.story) for m in (sure[i] for i in drawn)]
            for place in self._rng.integers(len(pairable), size=BATCH) if pairable else ():
                found = pairable[place]
                one, other = self._rng.choice(len(found), 2, replace=False)
                batch.append((*_mix(found[one], found[other]), found[one].story))
            sentences = torch.stack([row[0] for row in batch])
            padding = torch.arange(SENTENCES)[None] >= torch.tensor([[r[1]] for r in batch])
            vectors, _ = self._encoder(sentences, padding)
            target = torch.tensor([order[row[2]] for row in batch])
            cosines = F.normalize(vectors, dim=-1) @ stories.T
            loss = F.cross_entropy(cosines / TEMPERATURE, target, reduction="sum")
            self._optimiser.zero_grad()
            torch.autograd.backward(loss)
            self._optimiser.step()


def _mix(one: Member, other: Member) -> tuple[Tensor, int]:
    """Return the top half of one article and the bottom half of another."""
    top = one.received[: one.length].argsort(descending=True)[: -(-one.length // 2)]
    bottom = other.received[: other.length].argsort(descending=True)[-(-other.length // 2) :]
    rows = torch.cat([one.sentences[top], other.sentences[bottom]])[:SENTENCES]
    return F.pad(rows, (0, 0, 0, SENTENCES - len(rows))), len(rows)


def _cosine(one: Tensor, other: Tensor) -> float:
    return float(F.cosine_similarity(one, other, dim=0))
