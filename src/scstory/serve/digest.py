"""The digest of a day, as a page, as Markdown and as HTML that is ready to be mailed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from scstory.serve.render import render, safe_url
from scstory.store.records import ArticleRow, DayCount
from scstory.store.store_reader import StoreReader
from scstory.text.phrases import counted, plain

MAX_FOLLOWED, MAX_OTHERS, MAX_SINGLES = 50, 15, 10
"""The most stories of a digest: followed ones, other ones, and those of one article."""
LOOKED_AT = 500
"""Among how many stories of the day, those with the most articles, these are chosen."""
MAX_HEADLINES, MAX_SENTENCES = 3, 2
_ESCAPED = str.maketrans(
    {**{c: f"\\{c}" for c in "\\`*_[]#|~"}, "&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


@dataclass(frozen=True, slots=True)
class DigestStory:
    """A story in a digest: what was new on the day, and what the story says as of now."""

    id: int
    title: str
    language: str | None
    """The language of the title and of the sentences, if known."""
    url: str
    began: bool
    """Whether it began on the day."""
    new: int
    """How many articles of the day it has."""
    size: int
    """How many it had at the end of the day."""
    outlets: int
    sentences: tuple[str, ...]
    headlines: tuple[ArticleRow, ...]
    because: tuple[str, ...]

    @property
    def facts(self) -> str:
        """What there is to count, in words."""
        if self.began:
            return f"new: {counted(self.new, 'article')}"
        return f"{counted(self.new, 'new article')}, {counted(self.size, 'article')} by then"


@dataclass(frozen=True, slots=True)
class Digest:
    """The stories of a day: followed ones, others, and those of one article. Muted ones are not."""

    day: date
    count: DayCount
    followed: tuple[DigestStory, ...]
    others: tuple[DigestStory, ...]
    singles: tuple[DigestStory, ...]
    left_out: int
    """How many stories of the day it does not show."""

    @property
    def before(self) -> date:
        """The day before."""
        return self.day - timedelta(days=1)


def make_digest(reader: StoreReader, day: date) -> Digest:
    """Return the digest of a day of UTC."""
    follows = reader.follows()
    choice = reader.choice(follows)
    count = reader.count_of_day(day)
    followed, others, singles = list[DigestStory](), list[DigestStory](), list[DigestStory]()
    for one in reader.stories_of_day(day, limit=LOOKED_AT):
        if choice.mutes(one.story):
            continue
        because = choice.because.get(one.story.id, ())
        kind = followed if because else singles if one.size == 1 else others
        most = {id(followed): MAX_FOLLOWED, id(others): MAX_OTHERS, id(singles): MAX_SINGLES}
        if len(kind) >= most[id(kind)]:
            continue
        articles = [row for row in one.articles if not choice.mutes_outlet(row.source)]
        kind.append(
            DigestStory(
                id=one.story.id,
                title=one.story.title,
                language=one.story.language,
                url=f"/stories/{one.story.id}",
                began=one.story.first_seen.date() == day,
                new=len(one.articles),
                size=one.size,
                outlets=len(one.story.sources),
                sentences=_sentences(one.story, day),
                headlines=_headlines(articles, one.story.title),
                because=tuple(
                    f"{follow.kind} {follow.target}" if follow.kind != "story" else "followed"
                    for follow in because
                ),
            )
        )
    shown = len(followed) + len(others) + len(singles)
    left_out = count.stories - shown
    return Digest(day, count, tuple(followed), tuple(others), tuple(singles), left_out)


def _sentences(story: Any, day: date) -> tuple[str, ...]:
    """Return what a story says of a day, or else of itself; never its title again."""
    of_day = [one.text for one in story.milestones if one.day == day]
    said = {plain(story.title)}
    found = []
    for text in [*of_day, *(quote.text for quote in story.summary)]:
        if plain(text) not in said:
            said.add(plain(text))
            found.append(text)
    return tuple(found[:MAX_SENTENCES])


def _headlines(articles: Sequence[ArticleRow], title: str) -> tuple[ArticleRow, ...]:
    """Return the articles to name: the latest, without those that repeat a title."""
    said, found = {plain(title)}, []
    for row in articles:
        if row.title and plain(row.title) not in said:
            said.add(plain(row.title))
            found.append(row)
    return tuple(found[:MAX_HEADLINES] or articles[:1])


def as_html(digest: Digest, base: str) -> str:
    """Return a digest as one HTML document without scripts, style sheets or pictures: a mail."""
    return render("digest_mail.html", digest=digest, base=base)


def as_markdown(digest: Digest, base: str) -> str:
    """Return a digest as Markdown. Stories are linked where the base of addresses is known."""
    count = digest.count
    lines = [f"# Stories of {digest.day:%A} {digest.day.day} {digest.day:%B %Y}", ""]
    if not count.articles:
        return "\n".join([*lines, "No article of this day is in the database.", ""])
    lines += [f"{counted(count.articles, 'article')}, {counted(count.stories, 'story')}.", ""]
    parts = (("Followed", digest.followed), ("Stories", digest.others))
    for heading, stories in parts:
        if stories:
            lines += [f"## {heading if digest.followed else 'Stories'}", ""]
        for story in stories:
            lines += _story_lines(story, base)
    if digest.singles:
        lines += ["## Stories of one article", ""]
        for story in digest.singles:
            row = story.headlines[0] if story.headlines else None
            lines.append(f"- {_linked(story.title, _address(row, story, base))}{_by(row)}")
        lines.append("")
    if digest.left_out > 0:
        lines += [f"{counted(digest.left_out, 'more story')} not shown.", ""]
    return "\n".join(lines)


def _story_lines(story: DigestStory, base: str) -> list[str]:
    lines = [f"### {_linked(story.title, f'{base}{story.url}' if base else None)}", ""]
    if story.sentences:
        lines += [" ".join(_escaped(text) for text in story.sentences), ""]
    lines += [
        f"- {_linked(row.title or '(no title)', safe_url(row.url))}{_by(row)}"
        for row in story.headlines
    ]
    why = f" ({_escaped('; '.join(story.because))})" if story.because else ""
    return [*lines, *([""] if story.headlines else []), f"*{story.facts}*{why}", ""]


def _address(row: ArticleRow | None, story: DigestStory, base: str) -> str | None:
    return f"{base}{story.url}" if base else safe_url(row.url if row else None)


def _by(row: ArticleRow | None) -> str:
    return f" ({_escaped(row.source)})" if row and row.source else ""


def _linked(text: str, url: str | None) -> str:
    if not url:
        return _escaped(text)
    address = url.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")
    return f"[{_escaped(text)}]({address})"


def _escaped(text: str) -> str:
    """Return text on one line, in which nothing is markup.

    >>> _escaped("1 [link](x) & <b>").replace(chr(92), "/")
    '1 /[link/](x) &amp; &lt;b&gt;'
    """
    line = " ".join(text.split()).translate(_ESCAPED)
    return f"\\{line}" if line[:1] in "+-" else line
