"""Every number that can change which threads, sections and mentions come out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewSettings:
    """Settings of the views. None of them changes which stories there are.

    Likeness is the mean of four cosines: of centred mean vectors, and of the TF-IDF vectors of
    terms, names and bigrams. How alike two articles of one story are differs from stream to stream:
    their mean likeness is the scale, and the numbers that say how alike something must be are
    shares of it.
    """

    scale: float = 0.37
    """The scale that is assumed at first."""
    scale_pairs: float = 20.0
    """The pairs of articles that this counts as."""
    pairs_per_slide: int = 40
    """The most pairs of a slide by which the scale is measured."""

    fewest_articles: int = 40
    """Articles that the stream must have had before anything is linked: before, no term is known to
    be rare."""
    terms: int = 40
    """Terms of each field that an outline keeps, the heaviest."""
    keys: int = 16
    """Terms and names by which a story is found, the heaviest."""
    found_by: int = 32
    """Stories that are looked up for each of these, the latest."""
    compared: int = 32
    """Stories that one is compared with: those that share most of these."""
    memory_days: float = 90.0
    """Days after its latest article for which a story is remembered, so that others are linked."""

    linked: float = 0.95
    """The likeness, as a share of the scale, from which two stories belong to one thread."""
    thread: float = 0.75
    """The mean likeness to the stories of a thread that a story must have as well."""
    loose: float = 0.6
    """The mean likeness to the other stories of its thread below which a story leaves it."""
    thread_stories: int = 8
    """Stories of a thread that one is compared with, the latest."""

    first_stories: int = 20
    """Stories after which sections are found. They are found again when there are twice as many."""
    section_stories: int = 4
    """There are as many stories as this times the square of the number of sections."""
    fewest_sections: int = 4
    most_sections: int = 12
    sampled: int = 4_000
    """The latest stories in which sections are found."""
    stays: float = 0.1
    """By how much a story must be closer to another section to leave its own."""
    outside: float = 0.05
    """The cosine to the nearest section below which a story is in none."""
    half_life_days: float = 60.0
    """Days after which a story counts half in what its section is about."""
    rounds: int = 20
    """Rounds of k-means in which sections are found, at most."""
    section_words: int = 200
    """Keywords that a section remembers."""
    named_by: int = 3
    """Keywords that name a section."""
    alone: float = 0.05
    """How much a keyword of one story alone counts in a name; one of several counts as much as they
    are, less one."""
    keeps_name: float = 1.5
    """How many times as telling a word must be to take the place of one in a name."""

    fewest_sentences: int = 5
    """Sentences of an article that may be about several stories."""
    rarest: int = 128
    """Terms and names of an article by which other stories are looked up, the rarest."""
    fewest_articles_with_term: float = 1.5
    """The fewest articles that have such a term, as the term statistics count them."""
    shared: int = 2
    """Terms by which a story is found that must be in the article."""
    block: int = 2
    """Sentences in a row that must be about the other story, at least."""
    sentence: float = 0.15
    """By how much a sentence fits the other story better than its own to count for it."""
    mentioned: float = 0.8
    """The likeness of these sentences to the other story from which they are about it."""
    rest: float = 0.4
    """By how much they must be more like it than like the rest of the article, and by how much
    more than the rest is."""
    shown: int = 3
    """Sentences that are shown, those that fit best."""
