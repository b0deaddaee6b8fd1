"""A store of the bundled sample with its true stories, for tests of what readers look for."""

from collections import Counter

from scstory.sample import load_sample
from scstory.store import open_store
from scstory.text import split_article, wording_of
from scstory.types import Assignment, Quote, Story
from tests.discovery.test_engine import make


def write_sample(address):
    """Commit the sample's articles in its true stories; return the number of each story."""
    engine = make("default")
    store = open_store(address)
    members = {}
    for item in load_sample():
        members.setdefault(item.label, []).append(item.article)
    numbers = {label: number for number, label in enumerate(members, 1)}
    articles = [item.article for item in load_sample()]
    decided = [
        Assignment(article.id, numbers[label], 0.9, new=article is own[0])
        for label, own in members.items()
        for article in own
    ]
    store.accept(articles)
    stories = [described(numbers[label], own) for label, own in members.items()]
    store.commit(articles, decided, stories, engine.state())
    store.close()
    return numbers


def described(number, articles):
    """Return a story with the first title, the commonest names, and the first sentences."""
    names = Counter(name for a in articles for name in set(wording_of(a, split_article(a)).names))
    best = sorted(names, key=lambda name: (-names[name], name))[:4]
    summary = tuple(Quote(split_article(a)[1], a.id) for a in articles[:2])
    return Story(
        id=number,
        title=articles[0].title,
        keywords=tuple(best),
        key_sentences=(),
        first_seen=min(a.published for a in articles),
        last_seen=max(a.published for a in articles),
        articles=tuple(a.id for a in articles),
        size=len(articles),
        confidence=0.9,
        summary=summary,
    )
