"""``scstory story``: shows one story."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database, Language, existing_store
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store import ArticleRow
    from scstory.store.records import StoryRow
    from scstory.store.rewritten import Rewritten


def command(
    story: Annotated[int, typer.Argument(help="The story's number, as `stories` shows it.")],
    db: Database = None,
    language: Language = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show a story's summary, how it developed, and its articles, day by day."""
    from scstory.cli.show import bold, counted, dim, echo_json, span, story_json, wrapped
    from scstory.store.address import db_option

    with existing_store(db, config, language=language) as store:
        found = store.story(story)
        rows = store.articles_of(story)
        rewritten = store.rewritten(found) if found else None
        again = db_option(store.name)
        thread = store.thread(found.id) if found else None
        also_in = store.also_in(found.id) if found else []
    if found is None:
        raise UsageError(
            f"story {story}: not in {store.name}; scstory stories --all{again} lists them"
        )
    if as_json:
        said = {"rewritten": _rewritten_json(rewritten)} if rewritten else {}
        overview = {
            "thread": thread.id if thread else None,
            "also_in": [
                {"article": one.article.id, "sentences": list(one.sentences)} for one in also_in
            ],
        }
        echo_json(
            story_json(found, articles=[_article_json(row) for row in rows]) | said | overview
        )
        return
    typer.echo(bold(wrapped(found.title, "")))
    typer.echo(
        dim(
            wrapped(
                f"story {found.id} · {counted(found.size, 'article')} · "
                f"{span(found.first_seen, found.last_seen)} · confidence {found.confidence:.2f} · "
                f"{'active' if found.active else 'ended'}",
                "",
            )
        )
    )
    typer.echo(wrapped(" · ".join(found.keywords), "") + "\n")
    if rewritten:
        _show_rewritten(rewritten)
    _show_description(found)
    for day, group in groupby(rows, key=lambda row: row.published.date()):
        typer.echo(bold(f"{day:%a} {day.day} {day:%b %Y}"))
        for row in group:
            _show_article(row)
    for one in also_in:
        typer.echo(dim(wrapped(f"Also in {one.article.id}: {one.article.title}", "")))
    if thread:
        typer.echo(
            dim(
                f"\nIt is one of {thread.stories} stories of a thread: "
                f"scstory threads {thread.id}{again}"
            )
        )
    typer.echo(dim(f"\nWhy an article is here: scstory explain ARTICLE{again}"))


def _show_rewritten(rewritten: Rewritten) -> None:
    from scstory.cli.show import dim, safe, wrapped

    typer.echo(dim(wrapped(f"Rewritten by {rewritten.model}, a language model:", "")))
    for said in rewritten.sentences:
        typer.echo(wrapped(said.text, "  "))
        typer.echo(dim(f"    {safe(', '.join(said.articles))}"))
    typer.echo(dim("\nWhat it was made of:"))


def _rewritten_json(rewritten: Rewritten) -> dict[str, Any]:
    return {
        "model": rewritten.model,
        "made": rewritten.made.isoformat(),
        "sentences": [
            {"text": said.text, "articles": list(said.articles)} for said in rewritten.sentences
        ],
    }


def _show_description(story: StoryRow) -> None:
    """Print the summary, the milestones and the earlier headlines, no sentence twice."""
    from scstory.cli.show import bold, dim, safe, wrapped
    from scstory.types import Quote

    quotes = [Quote(said.text, said.article) for said in story.summary or story.key_sentences]
    developed = story.milestones if len(story.milestones) > 1 else ()
    if not {quote.text for quote in quotes} <= {said.text for said in developed}:
        for quote in quotes:
            typer.echo(wrapped(quote.text, "  "))
            typer.echo(dim(f"    {safe(quote.article)}") + "\n")
    if developed:
        typer.echo(bold("How it developed"))
        for day, text, article in developed:
            typer.echo(f"  {day.day:2} {day:%b}  {wrapped(text, ' ' * 10).lstrip()}")
            typer.echo(dim(f"          {safe(article)}"))
        typer.echo("")
    for headline in story.headlines:
        until = f"until {headline.until.day} {headline.until:%b %Y}"
        typer.echo(dim(wrapped(f"Headline {until}: {headline.text}", "")))
    if story.headlines:
        typer.echo("")


def _show_article(row: ArticleRow) -> None:
    from scstory.cli.show import dim, safe, weight_bar, weighted_sentences, wrapped
    from scstory.text.language import ENGLISH

    typer.echo(wrapped(row.title or "(no title)", "  "))
    language = row.language if row.language != ENGLISH else None
    parts = (row.source, row.id, language, f"confidence {row.confidence:.2f}")
    where = " · ".join(safe(part) for part in parts if part)
    typer.echo(dim(wrapped(where, "    ")))
    weighted = weighted_sentences(row)
    if len(weighted) == len(row.weights):
        bars = "".join(weight_bar(weight * len(weighted), length=1) for _, weight in weighted)
        typer.echo(dim(wrapped(bars.replace(" ", "·"), "    ")))


def _article_json(row: ArticleRow) -> dict[str, Any]:
    from scstory.cli.show import weighted_sentences

    assert row.confidence is not None
    return {
        "id": row.id,
        "date": row.published.isoformat(),
        "title": row.title,
        "source": row.source,
        "url": row.url,
        "language": row.language,
        "confidence": round(row.confidence, 6),
        "sentences": [{"text": text, "weight": w} for text, w in weighted_sentences(row)],
    }
