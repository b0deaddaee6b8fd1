"""Test streams: a labelled stream, changed so that it has what real streams have and it lacks.

Data sets are cleaner than life: their dates follow the stories, their texts are whole, most of
their articles belong to a story of many. Each function here takes one of these comforts away. They
look at labels, because they make the streams on which systems are tested; systems see no label.
All of them give the same stream every time.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time, timedelta
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from scstory.errors import ConfigError, UsageError
from scstory.feeds import Item
from scstory.text import split_article
from scstory.types import Article

SEED = 7
MAX_JITTER = 365.0
MAX_SHARE = 2.0

DAYS_AROUND = 3
"""How far away in time the articles may be whose sentences are inserted, in days."""
ARTICLES_AFTER = 60
"""How many of the articles that come after one may have their sentences inserted into it."""
SENTENCE_LENGTHS = range(31, 400)
"""How many characters the sentences of a noisy text have; others are links and lists."""

SINGLES_PER_MEMBER = 9
"""Articles that stand alone, for each one in a story of several."""
AFFAIR_PER_OTHER = 9
"""Articles of the one affair, for each one of another story."""
SMALL_SIZE = 60

_SENTENCE_ENDS = (re.compile(r"(?<=[.!?])\s+"), re.compile(r"(?<=[。！？])\s*"))
"""With a space between sentences; without one, as in Chinese."""


class Labelled(NamedTuple):
    """An article, and its true story if that is known."""

    article: Article
    label: str | None


Items = Sequence[Labelled]


def jitter(items: Items, days: float) -> list[Labelled]:
    """Move every date by exponential noise with a mean of so many days, each independently.

    Imitates outlets that report at their own time. In data sets all articles of a story often
    have the date of its record, so that the date alone tells which articles belong together. An
    article dated at midnight has no time of day and first gets a random one.
    """
    rng = random.Random(SEED)
    moved = []
    for article, label in items:
        published = article.published
        if published.time() == time():
            published += timedelta(days=rng.random())
        published += timedelta(days=rng.expovariate(1.0) * days)
        moved.append(Labelled(replace(article, published=published.replace(microsecond=0)), label))
    return sorted(moved, key=attrgetter("article.published"))


def noisy(items: Items, share: float = 0.5) -> list[Labelled]:
    """Put sentences of other stories of the same days into each text, in one block.

    Imitates scraped pages with their teasers, tickers and round-ups. The block is at the end of
    the text or in its middle; a share of 0.5 inserts half as many sentences as the text has.
    """
    rng = random.Random(SEED)
    times = [article.published.timestamp() / 86_400 for article, _ in items]
    sentences = [_long_sentences(article.text) for article, _ in items]
    changed, inserted, start, last = [], 0, 0, len(items) - 1
    for i, (article, label) in enumerate(items):
        while times[i] - times[start] > DAYS_AROUND:
            start += 1
        end = i
        while end < last and times[end + 1] - times[i] < DAYS_AROUND and end - i < ARTICLES_AFTER:
            end += 1
        others = [
            sentences[j]
            for j in range(start, end + 1)
            if items[j].label not in (None, label) and sentences[j]
        ]
        own = sentences[i]
        count = max(1, round(share * max(1, len(own)))) if share and others else 0
        block = [rng.choice(rng.choice(others)) for _ in range(count)]
        cut = rng.choice([len(own), len(own) // 2]) if own else 0
        text = " ".join([*own[:cut], *block, *own[cut:]]) or article.text
        changed.append(Labelled(replace(article, text=text), label))
        inserted += count
    if share and not inserted:
        raise UsageError(
            f"variant noisy: no article has sentences of another story within {DAYS_AROUND} days; "
            "give a stream with more stories"
        )
    return changed


def headlines(items: Items) -> list[Labelled]:
    """Remove the texts: the title is all there is, or the first sentence where there is no title.

    Imitates feeds that give nothing but headlines.
    """
    changed = []
    for article, label in items:
        kept = "" if article.title.strip() else "".join(split_article(article, max_sentences=1))
        changed.append(Labelled(replace(article, text=kept), label))
    return changed


def singles(items: Items) -> list[Labelled]:
    """Keep one article of most stories, and so many whole stories that they have a tenth of all.

    Imitates a wide selection of sources, where nine in ten articles stand alone. Articles without
    a label are left out.
    """
    rng = random.Random(SEED)
    stories = _stories(items)
    order = list(stories.values())
    rng.shuffle(order)
    whole: list[Items] = []
    alone: list[Labelled] = []
    members, single = 0, len(order)
    for story in order:
        fits = SINGLES_PER_MEMBER * (members + len(story)) <= single - 1
        if len(story) > 1 and fits:
            whole.append(story)
            members, single = members + len(story), single - 1
        else:
            alone.append(rng.choice(story))
    if not whole:
        smallest = min((len(story) for story in order if len(story) > 1), default=2)
        raise UsageError(
            f"variant singles: {len(order):,} stories are too few; needs a story of several "
            f"articles, and at least {SINGLES_PER_MEMBER * smallest + 1} stories"
        )
    kept = {item.article.id for item in (*alone, *(item for story in whole for item in story))}
    return [item for item in items if item.article.id in kept]


def one_affair(items: Items) -> list[Labelled]:
    """Keep the largest story, and one article each of some other stories of the same period.

    Imitates a search for one affair, where one article in ten is about something else. Where
    too few other stories have an article in its period, those nearest in time are taken. Articles
    without a label are left out.
    """
    rng = random.Random(SEED)
    stories = _stories(items)
    largest = max(stories, key=lambda label: len(stories[label]), default="")
    affair = stories.pop(largest, [])
    if len(affair) < AFFAIR_PER_OTHER:
        raise UsageError(
            f"variant one-affair: the largest story has {len(affair)} articles; needs at least "
            f"{AFFAIR_PER_OTHER}"
        )
    if not stories:
        raise UsageError("variant one-affair: there is only one story; give a stream with others")
    first, last = affair[0].article.published, affair[-1].article.published

    def distance(item: Labelled) -> timedelta:
        published = item.article.published
        return max(first - published, published - last, timedelta())

    for story in stories.values():
        rng.shuffle(story)
    nearest = [min(story, key=distance) for story in stories.values()]
    rng.shuffle(nearest)
    others = sorted(nearest, key=distance)[: round(len(affair) / AFFAIR_PER_OTHER)]
    kept = {item.article.id for item in (*affair, *others)}
    return [item for item in items if item.article.id in kept]


def small(items: Items) -> list[Labelled]:
    """Keep sixty consecutive articles, from a third of the stream on.

    Imitates somebody who tries the program on a handful of articles of their own.
    """
    start = len(items) // 3
    if len(items) < SMALL_SIZE * 3 // 2:
        raise UsageError(
            f"variant small: {len(items)} articles are too few; needs at least "
            f"{SMALL_SIZE * 3 // 2}"
        )
    return list(items[start : start + SMALL_SIZE])


def _long_sentences(text: str) -> list[str]:
    """Return the sentences of a text without very short and very long ones.

    >>> _long_sentences("Live. The river rose by two metres overnight.")
    ['The river rose by two metres overnight.']
    """
    for ends in _SENTENCE_ENDS:
        pieces = ends.split(text.replace("\n", " "))
        if found := [piece for piece in pieces if len(piece) in SENTENCE_LENGTHS]:
            return found
    return []


def _stories(items: Items) -> dict[str, list[Labelled]]:
    """Return the articles of each story, by label."""
    stories: dict[str, list[Labelled]] = {}
    for item in items:
        if item.label is not None:
            stories.setdefault(item.label, []).append(item)
    return stories


# -- by name, and one after the other -----------------------------------------------------------

VARIANTS: Mapping[str, Callable[[Items], list[Labelled]]] = {
    "noisy": noisy,
    "headlines": headlines,
    "singles": singles,
    "one-affair": one_affair,
    "small": small,
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant as the user named it, its share filled in."""

    name: str
    change: Callable[[Items], list[Labelled]]
    inserts: bool = False
    """Whether it puts other sentences into the texts."""


def parse_variant(text: str) -> Variant:
    """Return the variant of a name such as `headlines`, or `noisy=0.35` with its share.

    >>> parse_variant("noisy").name
    'noisy=0.5'
    """
    name, equals, value = text.partition("=")
    if name not in VARIANTS:
        raise ConfigError(f"variant {name!r}: there are {', '.join(VARIANTS)}")
    if name != "noisy":
        if equals:
            raise ConfigError(f"variant {text!r}: {name} takes no value; write --variant {name}")
        return Variant(name, VARIANTS[name])
    try:
        share = float(value if equals else "0.5")
    except ValueError:
        share = -1.0
    if not 0 <= share <= MAX_SHARE:
        raise ConfigError(
            f"variant {text!r}: the share must be a number from 0 to {MAX_SHARE:g}, as in noisy=0.5"
        )
    return Variant(f"noisy={share:g}", partial(noisy, share=share), inserts=True)


@dataclass(frozen=True, slots=True)
class Transformation:
    """Jitter, then variants in the order given. By default nothing is changed."""

    jitter: float = 0.0
    variants: tuple[Variant, ...] = ()

    @classmethod
    def parse(cls, days: float, variants: Iterable[str]) -> "Transformation":
        """Return the transformation that options name."""
        if not 0 <= days <= MAX_JITTER:
            raise ConfigError(f"jitter of {days:g}: must be from 0 to {MAX_JITTER:g} days")
        return cls(days, tuple(map(parse_variant, variants)))

    @property
    def names(self) -> list[str]:
        """The variants by name."""
        return [variant.name for variant in self.variants]

    def summary(self) -> str:
        """Return what is done to a stream, in a line; nothing if nothing is done.

        >>> Transformation.parse(1.5, ["noisy", "small"]).summary()
        'transformed: dates moved by 1.5 days on average, noisy=0.5, small'
        """
        unit = "day" if self.jitter == 1 else "days"
        moved = [f"dates moved by {self.jitter:g} {unit} on average"] if self.jitter else []
        steps = [*moved, *self.names]
        return f"transformed: {', '.join(steps)}" if steps else ""

    def apply(self, items: Iterable[Item]) -> tuple[list[Item], dict[str, str]]:
        """Return the items of the test stream, and each article's own title and text by its id.

        The latter only if other sentences were put into the texts.
        """
        stream = [Labelled(i.article, i.label) for i in items if i.article is not None]
        own: dict[str, str] = {}
        if any(label is not None for _, label in stream):  # else there is nothing to evaluate
            stream = jitter(stream, self.jitter) if self.jitter else stream
            for variant in self.variants:
                if variant.inserts and not own:
                    own = {article.id: f"{article.title}\n{article.text}" for article, _ in stream}
                stream = variant.change(stream)
        return [Item(article.id, article, label=label) for article, label in stream], own
