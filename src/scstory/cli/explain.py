"""``scstory explain``: why an article is in its story."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database
from scstory.errors import UsageError


def command(
    article: Annotated[str, typer.Argument(help="The article's id.")],
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show an article's sentences with their weights, its confidence and the runner-up stories.

    All as they were when the article was decided.
    """
    from scstory.cli.show import bold, dim, safe, weight_bar, wrapped
    from scstory.config import load_settings
    from scstory.store import open_store
    from scstory.text import split_article

    settings = load_settings(config=config, db=db)
    store = open_store(settings.db, create=False)
    try:
        record = store.article(article)
        if record is None:
            raise UsageError(f"article {article}: not in {store.name}; check the id or --db")
        decision = record.assignment
        if decision is None:
            raise UsageError(
                f"article {article}: not decided yet; the first window is decided as a whole"
            )
        names = {
            number: found.title
            for number in (decision.story, *(r.story for r in decision.runners_up))
            if (found := store.story(number))
        }
    finally:
        store.close()
    sentences = split_article(record.article, max_sentences=len(decision.weights))
    weighted = list(zip(sentences, decision.weights, strict=False))
    if as_json:
        value = {
            "article": article,
            "story": decision.story,
            "confidence": round(decision.confidence, 6),
            "new": decision.new,
            "parts": {name: round(part, 6) for name, part in decision.parts.items()},
            "sentences": [{"text": text, "weight": weight} for text, weight in weighted],
            "runners_up": [
                {"story": r.story, "confidence": round(r.confidence, 6)}
                for r in decision.runners_up
            ],
        }
        typer.echo(json.dumps(value, ensure_ascii=False))
        return
    typer.echo(bold(wrapped(record.article.title or "(no title)", "")))
    what = "founded story" if decision.new else "joined story"
    typer.echo(f"{what} {decision.story}: {safe(names.get(decision.story, ''))}")
    if not decision.new:
        parts = ", ".join(f"{name} {part:+.2f}" for name, part in decision.parts.items())
        typer.echo(dim(wrapped(f"confidence {decision.confidence:.2f}: {parts}", "")))
        if len(decision.parts) > 1:
            typer.echo(
                dim("(evidence in log-odds: above zero speaks for the story, below against)")
            )
    typer.echo("\nHow story-indicative each sentence is (half a bar is the even share):")
    for text, weight in weighted:
        lines = wrapped(text, " " * 11).lstrip()
        typer.echo(f"  {weight_bar(weight * len(weighted))} {lines}")
    if decision.runners_up:
        typer.echo("\nRunner-up stories:")
        for runner in decision.runners_up:
            title = safe(names.get(runner.story, ""))
            typer.echo(f"  {runner.confidence:5.2f}  #{runner.story} {title}")
