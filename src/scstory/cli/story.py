"""``scstory story``: shows one story."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import AsJson, Config, Database
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.store import ArticleRow


def command(
    story: Annotated[int, typer.Argument(help="The story's number, as `stories` shows it.")],
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show a story's keywords, key sentences and articles, day by day."""
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
        rows = store.articles_of(story)
    finally:
        store.close()
    if found is None:
        raise UsageError(f"story {story}: not in {store.name}; scstory stories --all lists them")
    if as_json:
        articles = [_article_json(row) for row in rows]
        typer.echo(json.dumps(story_json(found, articles=articles), ensure_ascii=False))
        return
    typer.echo(bold(wrapped(found.title, "")))
    typer.echo(
        dim(
            f"story {found.id} · {counted(found.size, 'article')} · "
            f"{span(found.first_seen, found.last_seen)} · confidence {found.confidence:.2f} · "
            f"{'active' if found.active else 'ended'}"
        )
    )
    typer.echo(safe(" · ".join(found.keywords)) + "\n")
    for sentence in found.key_sentences:
        typer.echo(wrapped(f"“{sentence.text}”", "  "))
        typer.echo(dim(f"    {safe(sentence.article)}") + "\n")
    for day, group in groupby(rows, key=lambda row: row.published.date()):
        typer.echo(bold(f"{day:%a} {day.day} {day:%b %Y}"))
        for row in group:
            _show_article(row)
    typer.echo(dim("\nWhy an article is here: scstory explain ARTICLE"))


def _show_article(row: ArticleRow) -> None:
    from scstory.cli.show import dim, safe, weight_bar, wrapped
    from scstory.text import split_article

    typer.echo(wrapped(row.title or "(no title)", "  "))
    where = " · ".join(
        safe(part) for part in (row.source, row.id, f"confidence {row.confidence:.2f}") if part
    )
    typer.echo(dim(f"    {where}"))
    sentences = split_article(row.article, max_sentences=len(row.weights))
    if len(sentences) == len(row.weights):
        bars = [
            weight_bar(weight * len(sentences), length=1).replace(" ", "·")
            for weight in row.weights
        ]
        typer.echo(dim(f"    {''.join(bars)}"))


def _article_json(row: ArticleRow) -> dict[str, Any]:
    from scstory.text import split_article

    assert row.confidence is not None
    sentences = split_article(row.article, max_sentences=len(row.weights))
    return {
        "id": row.id,
        "date": row.published.isoformat(),
        "title": row.title,
        "source": row.source,
        "url": row.url,
        "confidence": round(row.confidence, 6),
        "sentences": [
            {"text": text, "weight": weight}
            for text, weight in zip(sentences, row.weights, strict=False)
        ],
    }
