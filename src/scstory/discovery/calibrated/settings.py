"""The settings of the default method: every number that can change which stories come out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from math import isfinite
from typing import Self

from scstory.config import parse_duration
from scstory.discovery.calibrated.assumed import Assumed, check_assumed, parse_assumed
from scstory.discovery.calibrated.names import DENSE, FEATURES, LEARNED, RELATIONS, SOUNDS
from scstory.discovery.settings import LearningSettings, duration, number
from scstory.errors import ConfigError

MAX_COUNT = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class CalibratedSettings(LearningSettings):
    """Everything that decides which stories come out of the default method."""

    delta: float = number(0.6, 0, 1)
    """The posterior probability from which an article joins a story rather than founds one."""
    features: str = ", ".join(FEATURES)
    """What articles and stories are compared by, separated by commas."""
    opening_sentences: int = number(5, 1, 10_000)
    """Sentences, the title among them, whose mean vector is the feature `opening`."""

    weighing: bool = True
    """Whether sentences are weighed; all count the same if not."""
    inserted_share: float = number(0.5, 0.01, 10)
    """Foreign sentences put into an article for M to learn from, for each one that it has."""
    inserted_articles: int = number(64, 1, MAX_COUNT)
    """Articles of a slide that foreign sentences are put into, at most."""
    relations: str = (
        "vector_title 0.4, vector_opening 0, vector_rest 2, vector_nearest 3.5, words_title -0.4, "
        "words_opening 2, words_rest 6, words_nearest 1, words_elsewhere -1, length -1, "
        "beside_vector_title 0.6, beside_vector_opening 0, beside_vector_rest 3, "
        "beside_vector_nearest 4, beside_words_title -0.5, beside_words_opening 3, "
        "beside_words_rest 8, beside_words_nearest -1, beside_words_elsewhere -0.5, "
        "beside_length -1, constant 0"
    )
    """What each relation between a sentence and its article tells at first, in log-odds."""
    relations_prior: float = number(1.0, 1e-9, 1e9)
    """The precision of these numbers."""
    relations_memory: float = number(0.98, 0, 1)
    """How much of what was learned about sentences before a slide still counts after it."""
    relations_rounds: int = number(2, 1, 100)
    """Rounds of expectation maximisation after each slide."""
    assumed_foreign: float = number(0.05, 0, 1)
    """The share of sentences that are assumed to be foreign before the stream has shown any."""
    foreign_prior: float = number(2000.0, 1e-9, 1e9)
    """How many sentences this counts for."""
    foreign_quantile: float = number(0.5, 1e-3, 1)
    """The share of inserted sentences that count as looking most foreign."""
    foreign_least: float = number(0.01, 1e-6, 0.99)
    """The least share of sentences taken to be foreign."""
    foreign_most: float = number(0.6, 1e-6, 0.99)
    """The largest share of sentences taken to be foreign."""
    own_margin: float = number(1.0, -100, 100)
    """Evidence, in log-odds, that a sentence must give of being own to weigh one half."""
    sharpness: float = number(2.0, 0.01, 100)
    """What the log-odds of a sentence are multiplied by for its weight."""
    repeated_weight: float = number(0.05, 0, 1)
    """What is left of the weight of a sentence that stands word for word in another article that
    is no copy."""
    repeated_margin: float = number(0.2, 0, 1)
    """By how much more it must weigh in an article than in the other one to keep its weight."""

    batch_size: int = number(64, 1, 100_000)
    """Replayed articles in a batch, and as many augmented ones."""
    max_batches: int = number(1, 1, 1_000_000)
    """Batches of an epoch, however large the window."""
    learning_rate: float = number(1e-4, 0, 10)
    """Step size of Adam."""
    attention_width: int = number(96, 0, 65_536)
    """Columns of all attention heads of M together; as many as a sentence vector has if 0."""
    identity_scale: float = number(0.1, 1e-6, 10)
    """M starts as the plain mean: W_c is the identity times this. At a tenth, tanh is all but
    linear, so the start changes no cosine."""
    refresh: int = number(64, 0, MAX_COUNT)
    """How many articles get a new vector after a slide, the oldest vectors first; all if 0."""
    centring_prior: int = number(500, 0, MAX_COUNT)
    """The mean of all past sentence vectors is subtracted from each; it counts as if this many
    zero vectors had been seen first."""

    assumed: str = (
        "learned .68 .24 .21, headline .57 .15 .18, opening .62 .19 .18, terms .58 .31 .10, "
        "title .52 .13 .18, lede .57 .25 .12, names .59 .22 .16, bigrams .33 .13 .10"
    )
    """Similarity of a best match before the fit, for each feature: its mean if article and story
    are the same, its mean if they are different, and its standard deviation."""
    cross_lingual: bool = True
    """Whether articles of different languages can be in one story."""
    assumed_across: str = (
        "learned .64 .40 .13, headline .50 .39 .13, opening .58 .39 .13, sounds .52 .12 .18"
    )
    """The same as `assumed` for an article and the part of a story in another language, of the
    roots of the features that are vectors and of how names sound."""
    separation_across: float = number(5.0, 0, 1e6)
    """The same as `least_separation` for these pairs, of which fewer features tell."""
    merge_margin_across: float = number(0.0, -100, 100)
    """The same as `merge_margin` for two stories without a common language: across languages, an
    article often founds a story of its own that is joined later."""
    fewest_in_language: int = number(10, 0, MAX_COUNT)
    """Where there are several languages, the fewest stories in that of an article with which it is
    compared for anything to be learned from the comparison: the best match among a few stories
    does not show how alike the best look-alike is."""
    assumed_correlation: float = number(0.33, 0, 0.999)
    """The assumed correlation between features."""
    similarity_floor: float = number(0.5, 0, 100)
    """How far below the mean of different stories a similarity counts at most, in standard
    deviations: an article without names does not differ more from a story than a look-alike."""
    assumed_share: float = number(0.5, 0.001, 0.999)
    """The share of best matches that are assumed to be the same story."""
    same_prior: float = number(10.0, 1e-6, 1e9)
    """How many pairs of the same story the assumed similarities count for in the fit."""
    different_prior: float = number(30.0, 1e-6, 1e9)
    """How many pairs of different stories they count for."""
    share_prior: float = number(30.0, 1e-6, 1e9)
    """How many best matches the assumed share counts for."""
    direction_prior: float = number(30.0, 1e-6, 1e9)
    """How many pairs of each kind the assumed similarities count for in the weights of features."""
    direction_caution: float = number(3.0, 0, 10)
    """They count for more by this power of how many times the assumed share of sentences is
    foreign."""
    scales: str = "0.4, 0.5, 0.63, 0.8, 1, 1.25"
    """What the assumed similarities may have to be multiplied by to fit a stream."""
    scale_deviation: float = number(0.25, 1e-3, 1e3)
    """How far the logarithm of this number is assumed to be from 0."""
    scale_second_best: float = number(0.6, 0, 1e9)
    """What a second best match counts for as a different story in the choice of this number."""
    least_separation: float = number(9.0, 0, 1e6)
    """How far the two kinds of pairs must be apart for a fit to be used: a squared distance, in
    standard deviations."""
    fit_matches: int = number(1000, 1, MAX_COUNT)
    """The number of latest best matches, and of pairs known to be different, in the fit."""
    fit_rounds: int = number(8, 1, 1000)
    """Rounds of expectation maximisation after each slide."""
    second_best_from: int = number(500, 1, MAX_COUNT)
    """Best matches from which on a second best match counts in full as a different story."""
    doubtful_weight: float = number(0.5, 0, 1)
    """What a best match counts for among the different, times its probability of being so."""
    resumed_share: float = number(0.005, 1e-9, 0.5)
    """The share of stories ended long ago that are the same story as an article all the same."""
    resumed_from: int = number(100, 1, MAX_COUNT)
    """Best matches from which on this share is fitted where the fit with the assumed share does not
    tell the two kinds of pairs apart."""
    resumed_prior: float = number(30.0, 1e-6, 1e9)
    """How many stories the assumed share counts for where it is fitted."""
    resumed_start: float = number(0.3, 1e-9, 0.999)
    """The share that each of these fits starts from."""
    resumed_most: float = number(0.5, 1e-9, 0.999)
    """The largest share that is found."""
    resumed_rounds: int = number(30, 1, 1000)
    """Rounds of expectation maximisation where it is fitted."""
    least_separation_resumed: float = number(3.0, 0, 1e6)
    """The same as `least_separation` where it is fitted."""
    fewest_strangers: int = number(10, 1, MAX_COUNT)
    """Stories ended long ago that an article is compared with, at least."""
    contemporaries: int = number(3, 0, MAX_COUNT)
    """Stories after the second best whose words are compared with those of as many strangers, to
    see how much more alike different stories of the same days are; not at all if 0."""
    contemporaries_prior: float = number(20.0, 1e-9, 1e9)
    """Articles for which they are assumed to be as alike."""
    coherence: float = number(0.5, 0, 1)
    """The least squared length that a story's mean of unit vectors counts as. Articles with nothing
    in common have a short mean, to which everything is similar."""

    frequency_fading: float = number(1.0, 0, 10)
    """The n-th article of a story in the window counts 1/n to this power in the document
    frequencies of terms: a large affair does not make its own words common."""

    timing: bool = True
    """Whether the time between article and story is evidence."""
    gap_edges: str = "0.05, 0.15, 0.5, 1, 2, 3, 4, 5, 6"
    """Where the bins of the histograms of time gaps end, in sevenths of the window."""
    gap_leaving: int = number(8, 0, 1000)
    """The bin from which on a gap is that of a story about to leave the window."""
    gap_prior: float = number(5.0, 0, 1e9)
    """Gaps that those of all best matches count for among unrelated ones."""
    gap_floor: float = number(0.5, 1e-9, 1e9)
    """What is added to the number of gaps in a bin, seen and expected."""
    related_share: float = number(0.1, 0, 1)
    """The share of stories nearest to an article whose gaps do not count as unrelated."""
    related_least: int = number(2, 0, MAX_COUNT)
    """The least number of such stories."""

    second_look: int = number(1, 0, 100)
    """Passes over the window after each slide in which articles may move where they fit better."""
    second_look_margin: float = number(2.0, 0, 100)
    """Evidence, in log-odds, by which another story must be better for an article to move."""
    second_look_certain: float = number(0.999, 0, 1)
    """The confidence from which an article is not looked at again unless it is new or alone."""

    regroup: bool = True
    """Whether stories that have become two are divided when a slide closes, and two that are one
    are joined."""
    group_least: int = number(2, 1, MAX_COUNT)
    """Articles of each of the two, at least."""
    merge_margin: float = number(3.0, -100, 100)
    """Evidence, in log-odds, above that for joining which the articles of each of two stories must
    have for the other where they are joined."""
    merge_fading: float = number(0.5, 0, 10)
    """The power of the size of the smaller story, counted in times `group_least`, by which this
    evidence is divided: what many articles agree on is more certain than what a few do."""
    split_tolerance: float = number(1.5, -100, 100)
    """Evidence, in log-odds, above that for joining which the articles of one part may have for
    the other part where a story is divided all the same."""

    regroup_most: int = number(1000, 4, MAX_COUNT)
    """Articles of a story that are looked at to divide or to join it, at most, in a large window:
    one with more is not divided, and is joined by its latest articles."""

    candidates_from: int = number(5000, 1, MAX_COUNT)
    """Stories in the window from which on it is large: an article is then compared with candidates
    only, and only stories that a slide touches are read again when it closes."""
    candidates: int = number(32, 8, MAX_COUNT)
    """Stories whose vectors are the nearest to an article, and stories of articles that share its
    telling terms, that it is compared with in a large window."""
    reference_growth: float = number(0.1, 0, 1000)
    """The share by which the stream must have grown for the features of a large window to be
    computed anew, by how common terms are and what the mean vector is by then."""

    correction_weight: float = number(1.0, 0, 1000)
    """How much a pair counts in the fit that a person put together or told apart."""
    correction_pairs: int = number(200, 1, MAX_COUNT)
    """Such pairs that are remembered, the latest ones."""
    correction_draws: int = number(1, 0, 1000)
    """How often M learns from each article that a person placed, in every batch."""

    resume: str = duration("365d", optional=True)
    """How long after its last article a story can resume; never if empty."""
    resume_margin: float = number(3.0, 0, 100)
    """The additional evidence, in log-odds, that it takes to resume a story."""
    resume_soon: str = duration("30d")
    """The time for which this is so."""
    resume_fading: float = number(5.0, 0, 100)
    """How much more evidence it takes after a longer time, for each factor e of it."""
    archive_stories: int = number(2000, 1, MAX_COUNT)
    """Stories beyond the window that are remembered, the latest ones."""
    archive_terms: int = number(512, 1, MAX_COUNT)
    """Terms remembered of each of them in each field, those with the highest weights."""

    @property
    def resume_length(self) -> timedelta:
        """How long a story can resume, as a duration."""
        return parse_duration(self.resume, what="resume") if self.resume else timedelta(0)

    @property
    def resume_soon_length(self) -> timedelta:
        """How long it takes no more evidence to resume a story, as a duration."""
        return parse_duration(self.resume_soon, what="resume_soon")

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The features by name, in the order of `FEATURES`."""
        given = [name.strip() for name in self.features.split(",")]
        for name in given:
            if name not in (*FEATURES, SOUNDS):
                raise ConfigError(f"features of {self.features!r}: there are {', '.join(FEATURES)}")
        return tuple(name for name in (*FEATURES, SOUNDS) if name in given)

    @property
    def foreign_bounds(self) -> tuple[float, float]:
        """The least and the largest share of sentences taken to be foreign."""
        return self.foreign_least, self.foreign_most

    @cached_property
    def assumed_relations(self) -> Mapping[str, float]:
        """What each relation tells at first."""
        return {name: float(value) for name, value in map(str.split, self.relations.split(","))}

    @cached_property
    def assumptions(self) -> Mapping[str, Assumed]:
        """What is assumed of each feature's similarity."""
        return parse_assumed(self.assumed)

    @cached_property
    def possible_scales(self) -> tuple[float, ...]:
        """What the assumed similarities may have to be multiplied by."""
        return tuple(map(float, self.scales.split(",")))

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """Where the bins of time gaps end, in seconds."""
        window = self.window_length.total_seconds()
        return tuple(float(edge) * window / 7 for edge in self.gap_edges.split(","))

    def checked(self) -> Self:
        """Return these settings if all are usable, else raise with the value and its range."""
        super().checked()
        if LEARNED not in self.compared:
            raise ConfigError(f"features of {self.features!r}: {LEARNED!r} must be among them")
        if not 0 < self.delta < 1:
            raise ConfigError(f"delta of {self.delta}: must be between 0 and 1, both excluded")
        across = [*(name for name in self.compared if name in DENSE), SOUNDS]
        for name, compared in (("assumed", self.compared), ("assumed_across", across)):
            check_assumed(name, getattr(self, name), compared)
        try:
            told = self.assumed_relations
        except ValueError:
            told = {}
        if told.keys() != {*RELATIONS, "constant"} or not all(map(isfinite, told.values())):
            raise ConfigError(
                f"relations of {self.relations!r}: give a number for each of "
                f"{', '.join(RELATIONS)} and constant, separated by commas"
            )
        try:
            scales = self.possible_scales
            usable = all(isfinite(scale) and scale > 0 for scale in scales)
        except ValueError:
            usable = False
        if not usable:
            raise ConfigError(
                f"scales of {self.scales!r}: give positive numbers, separated by commas"
            )
        if self.foreign_least > self.foreign_most:
            raise ConfigError(
                f"foreign_least of {self.foreign_least}: must be at most foreign_most "
                f"({self.foreign_most})"
            )
        try:
            edges = self.edges
            ascending = sorted(set(edges)) == list(edges) and edges[0] > 0 and isfinite(edges[-1])
        except ValueError:
            ascending = False
        if not ascending or not 0 <= self.gap_leaving <= len(self.edges):
            raise ConfigError(
                f"gap_edges of {self.gap_edges!r}: give ascending positive numbers, "
                f"and set gap_leaving ({self.gap_leaving}) to one of their bins"
            )
        return self
