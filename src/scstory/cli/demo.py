"""``scstory demo``: finds the stories of the bundled sample and compares them with the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import EncoderName, Preset

if TYPE_CHECKING:
    from scstory.feeds import Item
    from scstory.store import StoryRow
    from scstory.types import Article

ARTICLE_FORM = '{"id", "date", "title", "text"}'


def command(
    db: Annotated[
        str, typer.Option(metavar="PATH", help="The database, which is replaced.")
    ] = "scstory-demo.db",
    preset: Preset = None,
    encoder: EncoderName = None,
    languages: Annotated[
        bool, typer.Option("--languages", help="With sixty articles in six other languages.")
    ] = False,
) -> None:
    """Discover the stories of a bundled sample of 122 invented articles, and show them."""
    from scstory.cli.show import counted, dim, program
    from scstory.config import load_settings
    from scstory.evaluation import score
    from scstory.runners import Writer, open_engine
    from scstory.sample import load_languages, load_sample
    from scstory.store import open_store

    items, others = load_sample(), load_languages()
    _clear(db, known={i.article.id for i in (*items, *others) if i.article})
    items += others if languages else []
    articles = sorted((i.article for i in items if i.article), key=attrgetter("published"))
    truth = {i.article.id: i.label for i in items if i.article and i.label}
    settings = load_settings(db=db, preset=preset, encoder=encoder)
    sources = {article.source for article in articles}
    typer.echo(
        dim(
            f"{counted(len(articles), 'article')} by {len(sources)} outlets, "
            f"{articles[0].published:%-d %B} to {articles[-1].published:%-d %B %Y}, "
            "read in order, day by day, without their labels …\n"
        )
    )
    with closing(open_store(settings.db)) as store:
        writer = Writer(open_engine(store, settings), store)
        store.accept(articles)
        writer.drain()
        writer.finish()
        stories = store.stories()
    _show(sorted(stories, key=lambda story: (-story.size, story.id)), items)
    found = {article: story.id for story in stories for article in story.articles}
    ids = list(truth)
    scores = score([truth[i] for i in ids], [found[i] for i in ids])
    _compare(stories, truth)
    if languages:
        _compare_languages(articles, truth, found)
    largest = max(stories, key=lambda story: story.size).id
    name = program()
    hints = [
        (f"{name} story {largest} --db {db}", "one story, day by day"),
        (f"{name} explain {ids[-1]} --db {db}", "why an article is in its story"),
        (f"{name} run FILE.jsonl", f"your own articles, one {ARTICLE_FORM} per line"),
    ]
    width = max(len(command) for command, _ in hints)
    typer.echo(
        f"B³-F1 {scores.b3_f1:.3f} (precision {scores.b3_precision:.3f}, recall "
        f"{scores.b3_recall:.3f}); 1 is a perfect match.\n\n"
        "Try next\n"
        + "".join(f"  {command:<{width}}  {what}\n" for command, what in hints).rstrip()
    )


def _compare_languages(
    articles: Sequence[Article], truth: Mapping[str, str], found: Mapping[str, int]
) -> None:
    """Print how well each language was grouped, and the pairs across languages."""
    from scstory.evaluation.languages import language_scores

    scores = language_scores(truth, found, {a.id: a.language or "en" for a in articles})
    assert scores is not None
    within = " · ".join(f"{name} {value:.2f}" for name, value in scores.b3_f1.items())
    typer.echo(
        f"\nB³-F1 within each language: {within}\n"
        f"Of {scores.true_pairs} pairs of articles in two languages that tell the same story, "
        f"{scores.pair_recall:.0%} are together; of the pairs together, "
        f"{scores.pair_precision:.0%} tell the same story.\n"
    )


def _clear(db: str, *, known: set[str]) -> None:
    """Remove what an earlier demo left; refuse to touch anything else."""
    from scstory.errors import UsageError
    from scstory.store import open_store
    from scstory.store.address import database_name, is_server

    if is_server(db):
        raise UsageError(f"{database_name(db)}: the demo writes to a file; name a path")
    if not Path(db).exists():
        return
    with closing(open_store(db, create=False)) as store:
        there = {article for story in store.stories() for article in story.articles}
    if not there <= known:
        raise UsageError(f"{db}: contains articles that are not the demo's; name another with --db")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{db}{suffix}").unlink(missing_ok=True)


def _show(stories: Sequence[StoryRow], items: Sequence[Item]) -> None:
    """Print the stories, each with its days as a bar chart."""
    from scstory.cli.show import bold, counted, dim, safe, span

    by_id = {item.article.id: item.article for item in items if item.article}
    days = sorted({article.published.date() for article in by_id.values()})
    several = [story for story in stories if story.size > 1]
    for story in several:
        articles = [by_id[i] for i in story.articles]
        outlets = Counter(article.source for article in articles)
        per_day = Counter(article.published.date() for article in articles)
        strip = "".join(" ▂▄▆█"[min(per_day[day], 4)] if per_day[day] else "·" for day in days)
        typer.echo(f"{bold(f'#{story.id:<3}')} {bold(safe(story.title))}")
        typer.echo(f"     {strip}  " + dim(span(story.first_seen, story.last_seen)))
        typer.echo(
            dim(f"     {counted(story.size, 'article')} by {counted(len(outlets), 'outlet')}  ")
            + safe(" · ".join(story.keywords))
            + "\n"
        )
    if single := [story for story in stories if story.size == 1]:
        typer.echo(f"Stories of one article: {len(single)}")
        for story in single:
            typer.echo(f"#{story.id:<3} {safe(story.title)}")
        typer.echo()


def _compare(stories: Sequence[StoryRow], truth: Mapping[str, str]) -> None:
    """Print for every true story where its articles are."""
    from scstory.cli.show import bold, counted

    where: dict[str, Counter[int]] = {}
    for story in stories:
        for article in story.articles:
            where.setdefault(truth[article], Counter())[story.id] += 1
    sizes = {story.id: story.size for story in stories}
    typer.echo(
        bold("Against the truth")
        + f": {counted(len(where), 'true story')}, {len(stories)} found, "
        + f"{sum(size == 1 for size in sizes.values())} of which have one article"
    )
    for name, found in sorted(where.items()):
        main, most = found.most_common(1)[0]
        strangers = sizes[main] - most
        typer.echo(
            f"  {name:<18} {most} of {found.total()} articles together in #{main}"
            + (f", with {counted(strangers, 'article')} of another story" if strangers else "")
        )
