"""``scstory explain``: shows why an article is in its story."""

from typing import Annotated

import typer

from scstory.cli.options import AsJson, Config, Database, existing_store
from scstory.errors import UsageError


def command(
    article: Annotated[str, typer.Argument(help="The article's id.")],
    db: Database = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show an article's sentences with their weights, its confidence and the runner-up stories.

    All values are those of the moment at which the article was decided.
    """
    from scstory.cli.show import bold, dim, echo_json, safe, weight_bar, weighted_sentences, wrapped

    with existing_store(db, config) as store:
        row = store.article(article)
        if row is None:
            raise UsageError(f"article {article}: not in {store.name}; check the id or --db")
        if row.story is None or row.confidence is None:
            raise UsageError(
                f"article {article}: not decided yet; the first window is decided as a whole"
            )
        names = {
            number: found.title
            for number in (row.story, *(r.story for r in row.runners_up))
            if (found := store.story(number))
        }
        also = store.also_about(row.id)
    weighted = weighted_sentences(row)
    if as_json:
        value = {
            "article": article,
            "story": row.story,
            "confidence": round(row.confidence, 6),
            "new": row.new,
            "language": row.language,
            "evidence": {name: round(value, 6) for name, value in row.evidence.items()},
            "sentences": [{"text": text, "weight": weight} for text, weight in weighted],
            "runners_up": [
                {"story": r.story, "confidence": round(r.confidence, 6)} for r in row.runners_up
            ],
            "also_about": [{"story": one.id, "sentences": list(one.sentences)} for one in also],
        }
        echo_json(value)
        return
    typer.echo(bold(wrapped(row.title or "(no title)", "")))
    what = "founded story" if row.new else "joined story"
    typer.echo(f"{what} {row.story}: {safe(names.get(row.story, ''))}")
    if row.language:
        typer.echo(dim(f"language {safe(row.language)}"))
    if not row.new:
        evidence = ", ".join(f"{name} {value:+.2f}" for name, value in row.evidence.items())
        typer.echo(dim(wrapped(f"confidence {row.confidence:.2f}: {evidence}", "")))
        if len(row.evidence) > 1:
            typer.echo(dim("(evidence in log-odds: positive values favour the story)"))
    typer.echo("\nHow story-indicative each sentence is (half a bar is the even share):")
    for text, weight in weighted:
        lines = wrapped(text, " " * 11).lstrip()
        typer.echo(f"  {weight_bar(weight * len(weighted))} {lines}")
    if row.runners_up:
        typer.echo("\nRunner-up stories:")
        for runner in row.runners_up:
            title = safe(names.get(runner.story, ""))
            typer.echo(f"  {runner.confidence:5.2f}  #{runner.story} {title}")
    for one in also:
        typer.echo(f"\nAlso about story {one.id}: {safe(one.title)}")
        for text in one.sentences:
            typer.echo(wrapped(text, "  "))
