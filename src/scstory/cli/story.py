"""``scstory story``: one story, whole."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store import ArticleRecord


def command(
    story: Annotated[int, typer.Argument(help="The story's number, as `stories` shows it.")],
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show a story: keywords, key sentences, and its articles day by day."""
    from scstory.cli.show import (
        bold,
        counted,
        dim,
        safe,
        span,
        story_json,
        wrapped,
    )
    from scstory.config import load_settings
    from scstory.store import open_store

    settings = load_settings(config=config, db=db)
    store = open_store(settings.db, create=False)
    try:
        found = store.story(story)
        records = list(store.articles_of(story))
    finally:
        store.close()
    if found is None:
        raise UsageError(f"story {story}: not in {store.name}; scstory stories --all lists them")
    if as_json:
        articles = [_article_json(record) for record in records]
        typer.echo(json.dumps(story_json(found, articles=articles), ensure_ascii=False))
        return
    typer.echo(bold(wrapped(found.title, "")))
    typer.echo(
        dim(
            f"story {found.id} · {counted(found.size, 'article')} · "
            f"{span(found.first_seen, found.last_seen)} · confidence {found.confidence:.2f} · "
            f"{'active' if found.active else 'past'}"
        )
    )
    typer.echo(safe(" · ".join(found.keywords)) + "\n")
    for sentence in found.key_sentences:
        typer.echo(wrapped(f"“{sentence.text}”", "  "))
        typer.echo(dim(f"    {safe(sentence.article)}") + "\n")
    for day, group in groupby(records, key=lambda record: record.article.published.date()):
        typer.echo(bold(f"{day:%a} {day.day} {day:%b %Y}"))
        for record in group:
            _show_article(record)
    typer.echo(dim("\nWhy an article is here: scstory explain ARTICLE"))


def _show_article(record: ArticleRecord) -> None:
    from scstory.cli.show import dim, safe, weight_bar, wrapped
    from scstory.text import split_article

    article, decision = record.article, record.assignment
    assert decision is not None
    typer.echo(wrapped(article.title or "(no title)", "  "))
    where = " · ".join(
        safe(part)
        for part in (article.source, article.id, f"confidence {decision.confidence:.2f}")
        if part
    )
    typer.echo(dim(f"    {where}"))
    sentences = split_article(article, max_sentences=len(decision.weights))
    if len(sentences) == len(decision.weights):
        bars = [
            weight_bar(weight * len(sentences), length=1).replace(" ", "·")
            for weight in decision.weights
        ]
        typer.echo(dim(f"    {''.join(bars)}"))


def _article_json(record: ArticleRecord) -> dict[str, Any]:
    from scstory.text import split_article

    article, decision = record.article, record.assignment
    assert decision is not None
    sentences = split_article(article, max_sentences=len(decision.weights))
    return {
        "id": article.id,
        "date": article.published.isoformat(),
        "title": article.title,
        "source": article.source,
        "url": article.url,
        "confidence": round(decision.confidence, 6),
        "sentences": [
            {"text": text, "weight": weight}
            for text, weight in zip(sentences, decision.weights, strict=False)
        ],
    }
