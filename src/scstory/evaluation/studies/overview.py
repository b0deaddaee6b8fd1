"""Threads against labels, and how well articles are found that are made of two stories.

The stream is read twice. First as it is, for threads. Labels do not say which stories belong to one
affair, but stories of one label do that the method told apart, and stories of different labels
mostly do not where every label is an incident of its own. Then with round-ups: some articles get a
block of sentences of one other article of the same days with another label, at their end or in
their middle. Each of these is also about the story that the other article is in.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from scstory.discovery.describe import undescribed
from scstory.discovery.overview import Closing, OverviewSettings, take_closing
from scstory.discovery.presets import make_engine, make_settings
from scstory.discovery.slides import by_slide
from scstory.evaluation.harness import LabelledStream
from scstory.evaluation.studies.output import PAGE, PALETTE, Cell, Outcome, Table
from scstory.evaluation.studies.setting import Setting
from scstory.store import open_store
from scstory.store.overview import write_overview
from scstory.text.reading import read
from scstory.types import Assignment, EncodedArticle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 7
SHARE = 0.15
"""The share of articles that become round-ups."""
DAYS = timedelta(days=3)
"""How far apart in time the two articles of a round-up may be."""
NEAR = 60
"""How many articles before and after one may give it a block."""
FEWEST = 4
"""The fewest sentences of both articles, and of a block; a block is half as long as the article."""


@dataclass
class Survey:
    """What a run leaves: the story of each article, the thread of each story, and mentions."""

    found: dict[str, int] = field(default_factory=dict)
    threads: dict[int, int] = field(default_factory=dict)
    mentions: dict[str, set[int]] = field(default_factory=dict)
    known: dict[str, set[int]] = field(default_factory=dict)
    """The stories that existed when the slide of each article closed."""


def overview(setting: Setting) -> Outcome:
    """Measure threads on a stream, and mentions on the same stream with round-ups."""
    stream = setting.stream
    members = _encoded(stream)
    plain = survey(setting, members)
    setting.on_progress(1, 2)
    changed, guests = round_ups(members, stream.truth)
    mixed = survey(setting, changed)
    setting.on_progress(2, 2)
    threads, mentions = thread_rows(plain, stream.truth), mention_rows(mixed, guests)
    titles = {member.article.id: member.article.title for member in members}
    return Outcome(
        "Threads, and articles of two stories",
        Table(("measure", "number", "of", "share"), [*threads, *mentions]),
        lambda figure: _draw(figure, mentions),
        (PAGE, 2.2),
        [
            f"{setting.scope} Default preset. {SHARE:.0%} of the articles with at least {FEWEST} "
            "sentences got a block of sentences of one other article of the same days with another "
            "label; their dates and titles are their own.",
            "An unchanged article that is found to be also about another story may well be: no "
            "label says so.",
        ],
        records=Table(("thread", "story", "article", "title"), _listed(plain, titles)),
    )


def survey(setting: Setting, members: Sequence[EncodedArticle]) -> Survey:
    """Run the default method over articles, with the views that a store makes of its slides."""
    given = {
        "window": setting.window,
        "slide": setting.slide,
        **setting.known_to("scstory", "default"),
    }
    engine = make_engine(make_settings("default", given), setting.encoder, device=setting.device)
    engine.describe_with(undescribed)  # nobody reads it here
    closings, settings, left = list[Closing](), OverviewSettings(), Survey()
    engine.on_close = lambda scope, stories, gone, new: closings.append(
        take_closing(scope, stories, gone, new, settings)
    )

    def note(decided: Sequence[Assignment]) -> None:
        left.found.update((one.article, one.story) for one in decided)

    with TemporaryDirectory() as folder, closing(open_store(str(Path(folder) / "x.db"))) as store:
        length = engine.settings.slide_length
        for _, some in by_slide(members, lambda one: one.article.published, length, None):
            note(engine.decide(some))
            note(engine.close())
            stories = set(left.found.values())
            left.known.update((one.article.id, stories) for one in some)
            store.db.write(lambda: write_overview(store.db, closings, settings))
            closings.clear()
        note(engine.finish())
        rows = store.db.rows("SELECT story, thread FROM threads ORDER BY story")
        left.threads = {story: thread for story, thread in rows if story in left.found.values()}
        for article, story in store.db.rows("SELECT article, story FROM mentions"):
            left.mentions.setdefault(article, set()).add(story)
    return left


def round_ups(
    members: Sequence[EncodedArticle], truth: Mapping[str, str]
) -> tuple[list[EncodedArticle], dict[str, str]]:
    """Return the articles, some of them with a block of another one, and which one that is."""
    rng, guests, changed = random.Random(SEED), dict[str, str](), list[EncodedArticle]()
    for place, host in enumerate(members):
        own = host.article
        near = [
            other
            for other in members[max(0, place - NEAR) : place + NEAR]
            if abs(other.article.published - own.published) <= DAYS
            and truth.get(other.article.id) not in (None, truth.get(own.id))
            and len(other.sentences) > FEWEST
        ]
        chosen = rng.random() < SHARE and len(host.sentences) > FEWEST and own.id in truth
        if not chosen or not near:
            changed.append(host)
            continue
        guest = rng.choice(near)
        guests[own.id] = guest.article.id
        length = min(max(FEWEST, len(host.sentences) // 2), len(guest.sentences) - 1)
        start = 1 + rng.randrange(len(guest.sentences) - length)
        cut = rng.choice([len(host.sentences), max(len(host.sentences) // 2, 1)])
        changed.append(_with_block(host, guest, slice(start, start + length), cut))
    return changed, guests


def _with_block(
    host: EncodedArticle, guest: EncodedArticle, block: slice, cut: int
) -> EncodedArticle:
    """Return an article with sentences of another one before its sentence `cut`."""
    sentences = [*host.sentences[:cut], *guest.sentences[block], *host.sentences[cut:]]
    vectors = np.concatenate([host.vectors[:cut], guest.vectors[block], host.vectors[cut:]])
    article = replace(host.article, text=" ".join(sentences[1:]))
    return EncodedArticle(article, read(article, sentences=tuple(sentences)), vectors)


def thread_rows(survey: Survey, truth: Mapping[str, str]) -> list[list[Cell]]:
    """Return what threads are, and how they compare with labels."""
    labels: dict[int, Counter[str]] = defaultdict(Counter)
    for article, story in survey.found.items():
        if article in truth:
            labels[story][truth[article]] += 1
    label = {story: counted.most_common(1)[0][0] for story, counted in labels.items()}
    threads: dict[int, list[int]] = defaultdict(list)
    for story, thread in survey.threads.items():
        threads[thread].append(story)
    several = [stories for stories in threads.values() if len(stories) > 1]
    linked = {pair for stories in several for pair in combinations(sorted(stories), 2)}
    of_label: dict[str, list[int]] = defaultdict(list)
    for story, name in sorted(label.items()):
        of_label[name].append(story)
    split = [pair for stories in of_label.values() for pair in combinations(stories, 2)]
    same = sum(label.get(one) == label.get(other) for one, other in linked)
    stories = len(set(survey.found.values()))
    largest = max(map(len, several), default=0)
    return [
        ["threads", len(several), None, None],
        _share("stories in a thread", sum(map(len, several)), stories),
        ["stories of the largest thread", largest, None, None],
        _share("linked pairs of stories with the same label", same, len(linked)),
        _share("pairs with the same label that are linked", len(linked & {*split}), len(split)),
    ]


def mention_rows(survey: Survey, guests: Mapping[str, str]) -> list[list[Cell]]:
    """Return how many round-ups are found, and what else is."""
    found = survey.found
    wanted = {
        article: found[guest]
        for article, guest in guests.items()
        if found[guest] != found[article] and found[guest] in survey.known[article]
    }
    right = sum(story in survey.mentions.get(a, ()) for a, story in wanted.items())
    other = sum(bool(survey.mentions.get(a, set()) - {story}) for a, story in wanted.items())
    unchanged = [article for article in found if article not in guests]
    false = sum(bool(survey.mentions.get(article)) for article in unchanged)
    return [
        _share(
            "round-ups found with the other story, of those where it is known", right, len(wanted)
        ),
        _share("of these, with a third story too", other, len(wanted)),
        _share("unchanged articles that are also about another story", false, len(unchanged)),
    ]


def _share(name: str, number: int, of: int) -> list[Cell]:
    return [name, number, of, number / of if of else None]


def _listed(survey: Survey, titles: Mapping[str, str]) -> list[list[Cell]]:
    """Return the stories of each thread with the title of their first article, to be read."""
    first: dict[int, str] = {}
    for article, story in survey.found.items():
        first.setdefault(story, article)
    rows = sorted((thread, story) for story, thread in survey.threads.items())
    return [[thread, story, first[story], titles[first[story]]] for thread, story in rows]


def _encoded(stream: LabelledStream) -> list[EncodedArticle]:
    return [
        EncodedArticle(article, reading, stream.vectors[start:end])
        for article, reading, (start, end) in zip(
            stream.articles, stream.readings, pairwise(stream.ends), strict=True
        )
    ]


def _draw(figure: Figure, rows: Sequence[Sequence[Cell]]) -> None:
    panel = figure.subplots()
    names = [str(row[0]) for row in rows]
    panel.barh(range(len(rows)), [float(row[3] or 0) for row in rows], color=PALETTE[0])
    panel.set_yticks(range(len(rows)), names)
    panel.invert_yaxis()
    panel.set_xlim(0, 1)
    panel.set_xlabel("share")
