"""Stories of articles that are not in the window: described by their texts alone."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from scstory.discovery import Engine
from scstory.text import keywords, wording_of
from scstory.text.headlines import plain_headline
from scstory.text.language import language_of
from scstory.text.quotable import quotable
from scstory.types import Article, KeySentence, Milestone, Quote, Story

SUMMARY = 3
"""Sentences of the summary."""


def past_story(engine: Engine, number: int, articles: Sequence[Article]) -> Story:
    """Return an ended story of some articles, in the order of their publication."""
    articles = sorted(articles, key=lambda article: article.published)
    readings = [engine.settings.read(article) for article in articles]
    said, milestones, key = [], [], []
    for article, reading in zip(articles, readings, strict=True):
        body = reading.sentences[bool(article.title.strip()) :]
        found = (quotable(sentence, reading.language) for sentence in body)
        quotes = [Quote(sentence, article.id) for sentence in dict.fromkeys(found) if sentence]
        said += quotes
        milestones += [Milestone(article.published.date(), *quote) for quote in quotes[:1]]
        key += [KeySentence(text, article.id, 1.0) for text in reading.sentences[1:2]]
    first = articles[0]
    wordings = [
        wording_of(article, reading.sentences, reading.language)
        for article, reading in zip(articles, readings, strict=True)
    ]
    return Story(
        id=number,
        title=plain_headline(first.title, readings[0].language) or readings[0].sentences[0],
        title_article=first.id,
        language=readings[0].language,
        keywords=keywords(wordings, engine.statistics),
        summary=tuple(said[:SUMMARY]),
        milestones=tuple({one.day: one for one in reversed(milestones)}.values())[::-1],
        key_sentences=tuple(key[:SUMMARY]),
        first_seen=first.published,
        last_seen=articles[-1].published,
        articles=tuple(article.id for article in articles),
        size=len(articles),
        confidence=1.0,
        active=False,
    )


def without(story: Story, gone: Collection[str], left: Sequence[Article]) -> Story:
    """Return an ended story without some of its articles, and without what they say."""
    title, title_article, language = story.title, story.title_article, story.language
    if title_article in gone:
        title_article, language = left[0].id, language_of(left[0])
        title = plain_headline(left[0].title, language) or title
    return replace(
        story,
        title=title,
        title_article=title_article,
        language=language,
        editions=tuple(
            one._replace(summary=tuple(said for said in one.summary if said.article not in gone))
            for one in story.editions
            if one.title_article not in gone and one.language != language
        ),
        summary=tuple(said for said in story.summary if said.article not in gone),
        milestones=tuple(said for said in story.milestones if said.article not in gone),
        key_sentences=tuple(said for said in story.key_sentences if said.article not in gone),
        headlines=tuple(said for said in story.headlines if said.article not in gone),
    )
