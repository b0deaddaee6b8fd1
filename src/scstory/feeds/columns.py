"""Which column, or field, of somebody's file is which of our fields.

Names are compared without regard to case, spaces, underscores and the like. A column that the user
named (`--map title=Headline`) comes before all that we know.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scstory.errors import UsageError

FIELDS: Mapping[str, str] = {
    "id": "idstr id articleid newsid docid documentid objectid itemid postid tweetid "
    "messageid statusid pageid guid uuid uri identifier",
    "date": "dategmt datetimepub publishedat publishedon publisheddate publishdate publishedtime "
    "publishtime published publicationdate publicationdatetime publicationtime pubdate "
    "datepublished datetimepublished articledate newsdate storydate webpublicationdate "
    "firstpublished firstpublicationdate issued dateissued posted postedat posteddate postdate "
    "datetime date seendate createdat createdutc datecreated createddate createdtime created "
    "creationdate timestamp isodate unixtime epoch ts time day updatedat updated lastmodified "
    "modified modifiedat touched crawldate scrapedate scrapedat fetchedat datum "
    "veröffentlichtam veröffentlicht erschienen fecha fechapublicacion data "
    "datepublication datedepublication дата датапубликации 发布时间 发布日期 日期 时间",
    "title": "title headline headlinetext heading articletitle newstitle storytitle posttitle "
    "webtitle header headlines hed displaytitle subject titel überschrift schlagzeile titre "
    "titular titulo título titolo заголовок 标题",
    "text": "text fulltext body articlebody bodytext bodyhtml articletext newstext maintext "
    "plaintext cleantext rawtext fullcontent articlecontent contenttext contenthtml content "
    "contents article extract storytext selftext posttext message tweet caption description "
    "summary abstract snippet trailtext standfirst excerpt lead leadparagraph teaser lede "
    "contentsnippet shortdescription subtitle inhalt volltext texte contenu texto contenido testo "
    "текст 正文 内容 摘要",
    "url": "url link articleurl articlelink newsurl storyurl weburl webaddress webpage "
    "canonicalurl canonicallink permalink pageurl sourceurl address href originalurl fullurl "
    "externalurl website uri lien enlace adresse ссылка 链接 网址",
    "source": "source sourcename publisher publishername outlet newspaper newssource publication "
    "sitename site domain domainname sourcedomain provider medium media channel feed feedtitle "
    "feedname newssite quelle medienname fuente fonte источник 来源",
    "language": "language lang languagecode langcode locale inlanguage sprache langue idioma "
    "lingua",
    "story": "story",
}
"""What each of our fields is called elsewhere, the most telling names first."""

CHOICES = tuple(FIELDS)
_PLACES: Mapping[str, Mapping[str, int]] = {
    ours: {name: place for place, name in enumerate(names.split())}
    for ours, names in FIELDS.items()
}
_NO_LETTER = re.compile(r"[\W_]+")


def normal(name: str) -> str:
    """Return a name as names are compared.

    >>> normal("Published_At "), normal("pubDate")
    ('publishedat', 'pubdate')
    """
    return _NO_LETTER.sub("", name).casefold()


def parse_map(pairs: Sequence[str]) -> dict[str, str]:
    """Return pairs such as `title=Headline` as a dictionary; raise UsageError for others."""
    chosen = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not equals or not theirs.strip() or ours.strip() not in CHOICES:
            raise UsageError(
                f"--map {pair[:100]}: write FIELD=COLUMN, as in --map title=Headline; the fields "
                f"are {', '.join(CHOICES)}"
            )
        chosen[ours.strip()] = theirs.strip()
    return chosen


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, or the fields of an object: which of them is which of ours.

    There may be several for one field, of which the first counts that is not empty.
    """

    names: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...] = ()
    """The columns that the user named and that are not there."""
    clock: str | None = None
    """The column with the time of day, where that is not in the date's."""

    def __contains__(self, ours: str) -> bool:
        return ours in self.names

    @property
    def is_article(self) -> bool:
        """Whether something with these fields could be an article."""
        has = set(self.names)
        return bool(has & {"title", "text"}) and len(has & _TELLING) > 1

    def values(self, record: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
        """Return the first value of each of our fields that is not empty, and its column."""
        found = {}
        for ours, theirs in self.names.items():
            for name in theirs:
                value = lookup(record, name)
                if value is not None and value != "" and value == value:
                    found[ours] = (name, value)
                    break
        return found

    def differ(self) -> bool:
        """Return whether any column is called otherwise than our field."""
        return any(names[0].strip().casefold() != ours for ours, names in self.names.items())

    def shown(self) -> str:
        """Return what is read as what, for people."""
        return ", ".join(
            f"{ours} ← {' or '.join(names[:3])}"
            for ours, names in self.names.items()
            if ours != "story" or names[0] != ours
        )

    def unread(self, record: Mapping[str, Any]) -> list[str]:
        """Return the first columns that are read as none of our fields and hold several words."""
        used = {name for names in self.names.values() for name in names}
        values = ((n, v) for n, v in record.items() if n not in used and isinstance(v, str))
        return [name for name, value in values if len(value.split()) > 2][:3]


_TELLING = {"id", "date", "title", "text", "url"}


def match_columns(names: Sequence[str], chosen: Mapping[str, str] | None = None) -> Columns:
    """Find out which of some names are which of our fields.

    >>> match_columns(["Headline", "Body", "Teaser", "pub_date"]).names["text"]
    ('Body', 'Teaser')
    """
    chosen = chosen or {}
    taken = set(chosen.values())
    normals = [(name, normal(name)) for name in names if name not in taken]
    found: dict[str, tuple[str, ...]] = {}
    for ours, places in _PLACES.items():
        if ours in chosen:
            continue
        fitting = sorted((places[short], name) for name, short in normals if short in places)
        # What is called as we call it is meant so, except where another says more.
        exact = [name for _, name in fitting if name.strip().casefold() == ours]
        if exact and ours not in ("date", "id"):
            found[ours] = (exact[0], *(n for _, n in fitting if n != exact[0]))
        elif fitting:
            found[ours] = tuple(name for _, name in fitting)
    missing = []
    for ours, theirs in chosen.items():
        there = next((n for n in names if n == theirs), None) or next(
            (n for n in names if normal(n) == normal(theirs)), None
        )
        if there is None and "." in theirs and theirs.partition(".")[0] in names:
            there = theirs
        if there is None:
            missing.append(theirs)
        else:
            found[ours] = (there,)
    if found.get("title") and found.get("text"):
        found["text"] = tuple(n for n in found["text"] if n not in found["title"]) or found["text"]
    clock = next((name for name, short in normals if short in ("time", "uhrzeit", "hora")), None)
    ordered = {ours: found[ours] for ours in CHOICES if ours in found}
    return Columns(ordered, tuple(missing), clock)


def lookup(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or of a field within fields (`content.body`)."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value
