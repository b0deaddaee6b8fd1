"""The sentence weights of articles, and everything that depends on them.

Each article has one set of weights, by which its sentences are pooled into a vector, its opening
is averaged and its terms, names and bigrams are counted. The title, where there is one, has
weight 1.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.language_norms import Norms
from scstory.discovery.calibrated.relations import Sentences, relations
from scstory.discovery.calibrated.repeats import OWN, key_column, repeated
from scstory.discovery.calibrated.sentence_model import SentenceModel, insert
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.method import Scope
from scstory.discovery.window import Column, Ints, Window
from scstory.types import EncodedArticle

NormsOf = Callable[[EncodedArticle], Norms]

LEAST = 1e-3
"""The least weight."""
DONORS = 16
"""Articles that the sentences inserted into one are of, at most."""


def weight_columns(dim: int) -> tuple[Column, ...]:
    """Return the columns of sentence weights and of what depends on them.

    Only the weights are saved; `update_dependent` sets the others.
    """

    def openings(articles: Sequence[EncodedArticle]) -> NDArray[np.float32]:
        return np.zeros((len(articles), 2, dim), dtype=np.float32)

    def counts(articles: Sequence[EncodedArticle]) -> NDArray[np.float32]:
        return np.concatenate([article.reading.counts for article in articles])

    return (
        Column(OWN, np.float32, per="sentence", fill=1),
        key_column(),
        Column("openings", np.float16, (2, dim), derive=openings),
        Column("weighted_counts", np.float16, per="term", derive=counts),
    )


def update_dependent(window: Window, rows: Ints, *, opening: int) -> None:
    """Set what depends on sentence weights: vectors of title and opening, and counts of terms."""
    for i in rows.tolist():
        member, own = window.members[i], window.of(OWN, i)
        some, vectors = own[:opening, None], member.vectors[:opening]
        window["openings"][i, 0] = vectors[0]
        window["openings"][i, 1] = (some * vectors).sum(axis=0) / some.sum()
        window.of("weighted_counts", i)[:] = member.reading.weighted(own)


class SentenceWeights:
    """Weighs the sentences of a window's articles, and learns from them."""

    def __init__(self, settings: CalibratedSettings) -> None:
        self._settings = settings
        self.model = SentenceModel(settings)

    def weigh(self, scope: Scope, window: Window, rows: Ints, norms: NormsOf, end: int) -> None:
        """Weigh the sentences of articles, in the scope's window or in another.

        They are compared with the articles in the scope before row `end`, and with all that came
        before them: a new article's weights do not depend on those that arrive after it.
        """
        for i in rows.tolist():
            if self._settings.weighing:
                in_scope = window is scope.window
                window.of(OWN, i)[:] = self._weights(
                    scope,
                    window.members[i],
                    window.of("sentence_keys", i),
                    norms,
                    row=i if in_scope else None,
                    end=max(end, i) if in_scope else end,
                )
        update_dependent(window, rows, opening=self._settings.opening_sentences)

    def _weights(
        self,
        scope: Scope,
        member: EncodedArticle,
        keys: Ints,
        norms: NormsOf,
        *,
        row: int | None,
        end: int,
    ) -> NDArray[np.float32]:
        centre, documents = norms(member)
        sentences = Sentences.of(member, centre)
        weights = self.model.weights(sentences, scope.statistics, documents)
        settings = self._settings
        margin = settings.repeated_margin
        known = repeated(keys, weights, scope.window, row=row, end=end, margin=margin)
        weights[known] *= settings.repeated_weight
        weights[: _titles(member)] = 1
        return np.maximum(weights, LEAST)

    def learn(self, scope: Scope, new: Ints, norms: NormsOf, rng: np.random.Generator) -> None:
        """Insert sentences of other stories into new articles, and learn to tell them apart.

        The sentences are of the article's language: those of another would be told by that alone.
        """
        if not self._settings.weighing:
            return
        window, x, there = scope.window, [], []
        several, least = len(np.unique(window["language"])) > 1, self._settings.fewest_in_language
        for i in rng.permutation(new)[: self._settings.inserted_articles].tolist():
            other, language = window.story != window.story[i], window["language"]
            others = np.flatnonzero(other & (language == language[i]))
            if not len(others) or (several and _stories(window, others) < least):
                continue
            donors = [window.members[j] for j in others[rng.integers(len(others), size=DONORS)]]
            member = window.members[i]
            centre, documents = norms(member)
            mixed, was_there = insert(
                Sentences.of(member, centre),
                [Sentences.of(donor, centre) for donor in donors],
                self._settings.inserted_share,
                rng,
            )
            first = _titles(member)
            x.append(relations(mixed, scope.statistics, documents)[first:])
            there.append(was_there[first:])
        if x and np.concatenate(there).any():
            self.model.fit(np.concatenate(x), np.concatenate(there))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the fit."""
        return self.model.state()

    def restore(self, window: Window, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned, and set what depends on the window's weights."""
        self.model.restore(state)
        update_dependent(window, np.arange(len(window)), opening=self._settings.opening_sentences)


def _stories(window: Window, rows: Ints) -> int:
    return len(np.unique(window.story[rows]))


def _titles(member: EncodedArticle) -> int:
    """Return how many of the article's sentences are titles, none or one."""
    return int(bool(member.article.title.strip()))
