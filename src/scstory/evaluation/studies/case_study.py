"""The case study: the largest stories as several systems find them, on a map before and after
learning, and two articles that lie on the boundary between stories, with what SCStory made of each
of their sentences.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.presets import PRESETS
from scstory.discovery.window import Ints
from scstory.errors import UsageError
from scstory.evaluation.harness import LabelledStream
from scstory.evaluation.studies.case_picture import (
    SENTENCES,
    Boundary,
    Scene,
    View,
    draw_case_study,
    view_of,
)
from scstory.evaluation.studies.embeddings import (
    Trace,
    final_stories,
    sentence_mean,
    trace_scstory,
    unit,
    whole_text,
)
from scstory.evaluation.studies.output import PAGE, PALETTE, Cell, Outcome, Table, escaped
from scstory.evaluation.studies.setting import Setting, named
from scstory.text import TermStatistics, keywords, term_counts, terms, wording_of
from scstory.types import Article, Vectors

FEWEST, MOST = 4, len(PALETTE)
"""Stories on the map."""
LARGE = 10
"""Articles of a story beyond the first few that still goes on the map."""
POINTS = 2_000
"""Articles on the map; of larger stories, a sample."""
LETTERS = "AB"
SEED = 0


COMPARED = ("newslens", "batclus", "densps")
"""The systems that stand beside SCStory, as in the paper."""


def case_study(setting: Setting) -> Outcome:
    """Run SCStory and other systems over the stream; draw what they do to the largest stories."""
    trace = trace_scstory(setting)
    stream = setting.stream
    known = [i for i, article in enumerate(stream.articles) if article.id in trace.vectors]
    labels = _largest([stream.truth.get(stream.articles[i].id) for i in known])
    kept = _thinned(
        {
            label: [i for i in known if stream.truth.get(stream.articles[i].id) == label]
            for label in labels
        }
    )
    articles = [stream.articles[i] for i in kept]
    story = np.array([labels.index(stream.truth[article.id]) for article in articles])
    plain = sentence_mean(stream)[kept]
    learned = unit(np.stack([trace.vectors[article.id] for article in articles]))
    own = f"SCStory ({setting.one_preset})"
    by_system = {named(name): final_stories(setting, name) for name in COMPARED}
    for preset in PRESETS:
        if preset != setting.one_preset:
            by_system[f"SCStory ({preset})"] = final_stories(setting, "scstory", preset)
    views = [
        view_of(name, story, np.array([stories[article.id] for article in articles]))
        for name, stories in {**by_system, own: trace.stories}.items()
    ]
    found = views[-1].found
    sentences = [stream.readings[i].sentences for i in kept]
    scene = Scene(
        articles,
        story,
        _keywords(stream, kept, story),
        _shades(articles, story),
        _map(plain),
        _map(learned),
        _boundary(articles, story, found, plain, learned, sentences, trace),
        views,
    )
    crossed = sum(case.before[1] > case.before[0] for case in scene.boundary)
    before, after = _silhouette(plain, story), _silhouette(learned, story)
    return Outcome(
        "Case study: the largest stories",
        _table(scene.names, labels, story, views),
        lambda figure: draw_case_study(figure, scene),
        (PAGE, 6.4),
        [
            f"Maps by t-SNE (seed {SEED}) of the mean sentence vectors and of SCStory's "
            f"({setting.one_preset}) vectors as of the last slide an article was in the window. "
            "Colour and marker are the true story; within a story, darker is newer.",
            f"Bars: the weights of an article's {SENTENCES} heaviest sentences; dashed: where all "
            "sentences would weigh the same.",
            f"Silhouette of the true stories (cosine): {before:.3f} before, {after:.3f} after.",
            "A cell has the number of stories that a system divided the true one into, the share "
            "of its articles in the largest of them, and the share of the articles in that one "
            "which belong, on the map. B³-F1 is of the articles on the map.",
            "(e) to (i): the map of (a), each article in the colour of the true story to which "
            "most articles of the story that it was found in belong. Hollow: not in the largest "
            "of the stories that the true one was divided into; crosses: in the story of another "
            "colour.",
            "A and B: of the articles found in a story of their own kind, those nearest to another "
            "story by mean sentence vectors, relative to their own, from two stories. "
            f"Nearer to the other story than to its own: {crossed} of {len(scene.boundary)}.",
            setting.scope,
            *setting.centred,
        ],
        body=_described(scene),
        records=_records(scene, labels),
    )


def _table(
    names: Sequence[str], labels: Sequence[str], story: Ints, views: Sequence[View]
) -> Table:
    """Return how each system found each true story."""
    rows: list[list[Cell]] = []
    for number, name in enumerate(names):
        own = story == number
        cells = []
        for view in views:
            (main, size), *others = Counter(view.found[own].tolist()).most_common()
            pure = float(np.mean(own[view.found == main]))
            cells.append(f"{1 + len(others)} · {size / own.sum():.2f} · {pure:.2f}")
        rows.append([name, labels[number], int(own.sum()), *cells])
    rows.append(["B³-F1", "", len(story), *(view.b3_f1 for view in views)])
    return Table(("story", "label", "articles", *(view.system for view in views)), rows)


def _largest(labels: Sequence[str | None]) -> list[str]:
    """Return the stories to show, the largest first."""
    counts = Counter(label for label in labels if label is not None)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    large = [label for label, n in ranked[:MOST] if n >= LARGE]
    chosen = large if len(large) >= FEWEST else [label for label, n in ranked[:FEWEST] if n > 1]
    if len(chosen) < 2:
        raise UsageError("too few stories: a map needs two with at least two articles each")
    return chosen


def _thinned(stories: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the articles of stories in stream order; large stories are sampled."""
    rng = np.random.default_rng(SEED)
    most = POINTS // len(stories)
    kept: list[int] = []
    for own in stories.values():
        kept += own if len(own) <= most else rng.choice(own, most, replace=False).tolist()
    return sorted(kept)


def _keywords(stream: LabelledStream, kept: Sequence[int], story: Ints) -> list[str]:
    statistics = TermStatistics()
    statistics.update(term_counts([terms(whole_text(article)) for article in stream.articles]))
    names = []
    for number in range(int(story.max()) + 1):
        own = [i for i, s in zip(kept, story, strict=True) if s == number]
        wordings = [wording_of(stream.articles[i], stream.readings[i].sentences) for i in own]
        names.append(", ".join(keywords(wordings, statistics, count=3)))
    return names


def _shades(articles: Sequence[Article], story: Ints) -> NDArray[np.float64]:
    """Return how new each article is within its story, by rank."""
    shades = np.ones(len(articles))
    times = np.array([article.published.timestamp() for article in articles])
    for number in np.unique(story):
        own = np.flatnonzero(story == number)
        ranks = np.argsort(np.argsort(times[own], kind="stable"))
        shades[own] = ranks / max(len(own) - 1, 1)
    return shades


def _map(vectors: Vectors) -> NDArray[np.float32]:
    """Return the t-SNE map of vectors of unit length."""
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(vectors) - 1) / 3)
    tsne = TSNE(perplexity=perplexity, init="pca", random_state=SEED)
    return np.asarray(tsne.fit_transform(vectors), dtype=np.float32)


def _silhouette(vectors: Vectors, story: Ints) -> float:
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(vectors, story, metric="cosine"))


def _nearness(vectors: Vectors, story: Ints) -> NDArray[np.float64]:
    """Return each article's cosine to each story, itself left out of its own."""
    count = int(story.max()) + 1
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, story, vectors)
    near = vectors @ (sums / np.linalg.norm(sums, axis=1, keepdims=True)).T
    rest = sums[story] - vectors
    lengths = np.maximum(np.linalg.norm(rest, axis=1), 1e-12)
    near[np.arange(len(story)), story] = np.einsum("ij,ij->i", vectors, rest) / lengths
    return np.asarray(near, dtype=np.float64)


def _boundary(
    articles: Sequence[Article],
    story: Ints,
    found: Ints,
    plain: Vectors,
    learned: Vectors,
    sentences: Sequence[Sequence[str]],
    trace: Trace,
) -> list[Boundary]:
    """Return two articles, of two stories, that were hardest to place yet placed with their own."""
    main = {
        number: Counter(story[found == number].tolist()).most_common(1)[0][0]
        for number in np.unique(found).tolist()
    }
    sizes = Counter(found.tolist())
    before, after = _nearness(plain, story), _nearness(learned, story)
    rows = np.arange(len(story))
    own = before[rows, story]
    others = before.copy()
    others[rows, story] = -np.inf
    margin = others.max(axis=1) - own
    chosen: list[Boundary] = []
    for row in np.argsort(-margin, kind="stable").tolist():
        article, mine = articles[row], int(story[row])
        placed = main[int(found[row])] == mine and sizes[int(found[row])] > 1
        if not placed or len(sentences[row]) < 3 or any(b.own == mine for b in chosen):
            continue
        other = int(others[row].argmax())
        weights = trace.weights[article.id].tolist()
        chosen.append(
            Boundary(
                LETTERS[len(chosen)],
                article,
                row,
                mine,
                other,
                (float(before[row, mine]), float(before[row, other])),
                (float(after[row, mine]), float(after[row, other])),
                list(zip(sentences[row], weights, strict=False)),  # only L have a weight
            )
        )
        if len(chosen) == len(LETTERS):
            break
    return chosen


def _described(scene: Scene) -> str:
    """Return the boundary articles in Markdown, each with all its sentences."""
    parts = []
    for case in scene.boundary:
        own, other = scene.names[case.own], scene.names[case.other]
        date = f"{case.article.published:%Y-%m-%d}"
        lines = [
            f"## {case.letter}. {escaped(case.article.title)}",
            "",
            f"{date}, of the story “{escaped(own)}”, near “{escaped(other)}”. Cosine to its own "
            f"story and to the other: {case.before[0]:.3f} and {case.before[1]:.3f} by mean "
            f"sentence vectors, {case.after[0]:.3f} and {case.after[1]:.3f} by SCStory. "
            f"Its {len(case.sentences)} sentences with their weights:",
            "",
        ]
        lines += [f"- **{weight:.3f}** {escaped(text)}" for text, weight in case.sentences]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _records(scene: Scene, labels: Sequence[str]) -> Table:
    letters = {case.row: case.letter for case in scene.boundary}
    rows: list[list[Cell]] = [
        [
            article.id,
            article.published.isoformat(),
            labels[scene.story[i]],
            *(int(view.found[i]) for view in scene.views),
            *(float(value) for value in (*scene.before[i], *scene.after[i])),
            letters.get(i, ""),
        ]
        for i, article in enumerate(scene.articles)
    ]
    places = ("before_x", "before_y", "after_x", "after_y")
    systems = [f"found by {view.system}" for view in scene.views]
    return Table(("article", "published", "label", *systems, *places, "boundary"), rows)
