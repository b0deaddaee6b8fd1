"""Use scstory as a library: stream articles through it and print the stories.

Run it with ``python examples/stream_articles.py``.
"""

from scstory import StoryDiscovery
from scstory.sample import load_sample

articles = [item.article for item in load_sample()]
discovery = StoryDiscovery()
for assignment in discovery.stream(articles):
    if assignment.new:
        print(f"article {assignment.article} founded story {assignment.story}")
for story in discovery.stories():
    print(f"{story.size} articles: {story.title} ({', '.join(story.keywords[:4])})")
