"""A story in its languages: in each of them a title and a summary, from the articles in it.

A story has one title in one language. Where its articles are in several, a reader gets the title
and the summary in a language of their own: its edition in that language. As its articles leave the
window, an edition stays as it was.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from scstory.discovery.headline import choose_headline
from scstory.discovery.profile import Profile
from scstory.discovery.summary import summarise
from scstory.text.language import detected
from scstory.types import Edition, Milestone, Quote, Story


def make_editions(
    profile: Profile,
    headline: tuple[str, str | None],
    milestones: Sequence[Milestone],
    before: Story | None,
    left: Collection[str],
) -> tuple[Edition, ...]:
    """Return the editions of a story: that of its headline, then the others by their articles.

    `left` names articles that have left the story for others.
    """
    known = _known(before, left)
    title, article = headline
    spoken = Counter(member.reading.language for member in profile.members)
    in_window = {member.article.id: member.reading.language for member in profile.members}
    main = in_window.get(article or "") or _language(before, title)
    one_language = spoken.keys() | known.keys() <= {main}
    said = [
        (main if one_language else in_window.get(one.article) or detected(one.text), one)
        for one in milestones
    ]

    def summary(language: str, title: str) -> tuple[Quote, ...]:
        earlier = known[language].summary if language in known else ()
        if language not in spoken:
            return earlier
        own = [one for spoken_in, one in said if spoken_in == language]
        return summarise(profile.part(language), title, own, earlier)

    found = [Edition(main, title, article, summary(main, title))]
    for language in [language for language, _ in spoken.most_common() if language != main]:
        earlier = known.get(language)
        present = earlier is not None and earlier.title_article not in left
        title, article = choose_headline(profile.part(language), earlier, present=present)
        found.append(Edition(language, title, article, summary(language, title)))
    rest = known.keys() - spoken.keys() - {main}
    found += [known[name] for name in sorted(rest) if known[name].title_article not in left]
    return tuple(found)


def _known(before: Story | None, left: Collection[str]) -> dict[str, Edition]:
    """Return the editions of a story as it was, without what articles say that left it."""
    if before is None:
        return {}
    main = _language(before, before.title)
    first = Edition(main, before.title, before.title_article, before.summary)
    return {
        one.language: one._replace(
            summary=tuple(quote for quote in one.summary if quote.article not in left)
        )
        for one in (*before.editions, first)
    }


def _language(story: Story | None, title: str) -> str:
    """Return the language of a title of which the article is not there."""
    known = story.language if story is not None and story.title == title else None
    return known or detected(title)
