"""Files as other tools write them, of the same two invented articles."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ONE = {
    "title": "Alder tops its banks",
    "text": "The river Alder rose on Tuesday; homes in Größ were evacuated.",
    "url": "https://wire.example/alder",
    "date": "2026-03-03T06:35:00Z",
    "unix": 1772519700,
    "rfc": "Tue, 03 Mar 2026 06:35:00 GMT",
}
TWO = {
    "title": "Court hears the Kestrel case",
    "text": "The judge heard two witnesses.\nA verdict is due in May.",
    "url": "https://wire.example/kestrel",
    "date": "2026-03-04T10:00:00Z",
    "unix": 1772618400,
    "rfc": "Wed, 04 Mar 2026 10:00:00 GMT",
}
BOTH = (ONE, TWO)


@dataclass(frozen=True)
class Shape:
    """A file: its name, the tool that writes such files, its bytes, and what is not in it."""

    name: str
    tool: str
    body: bytes | Callable[[Path], None]
    lacks: frozenset[str] = frozenset()
    """What cannot be read from it: text, title, time (of the day), url, date."""


def rows(delimiter: str, header: str, cells: list[list[str]], end: str = "\r\n") -> str:
    def cell(text: str) -> str:
        quoted = any(mark in text for mark in (delimiter, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if quoted else text

    lines = [delimiter.join(map(cell, row)) for row in [header.split("|"), *cells]]
    return end.join(lines) + end


def table(delimiter: str, header: str, *names: str, dates: tuple[str, str] | None = None) -> str:
    cells = [
        [dates[n] if name == "date" and dates else str(article[name]) for name in names]
        for n, article in enumerate(BOTH)
    ]
    return rows(delimiter, header, cells)


def dump(value: object, **options: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, **options).encode()  # type: ignore[arg-type]


def lines(records: list[object]) -> bytes:
    return b"\n".join(map(dump, records)) + b"\n"


def named(**names: str) -> list[dict[str, object]]:
    """Return both articles, with our fields under other names."""
    return [{theirs: a[ours] for theirs, ours in names.items()} for a in BOTH]


def zipped(name: str, body: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/._x", b"\0")
        archive.writestr(name, body)
    return packed.getvalue()


def zstandard(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(body)


def parquet(records: list[dict[str, object]]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow as arrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(arrow.Table.from_pylist(records), path)

    return write


def hugging_face(records: list[dict[str, object]]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        import pyarrow as arrow

        (folder / "train").mkdir(parents=True)
        (folder / "dataset_dict.json").write_text('{"splits": ["train"]}')
        (folder / "train" / "dataset_info.json").write_text('{"features": {}}')
        (folder / "train" / "state.json").write_text('{"_data_files": []}')
        made = arrow.Table.from_pylist(records)
        file = folder / "train" / "data-00000-of-00001.arrow"
        with arrow.ipc.new_stream(file, made.schema) as stream:
            stream.write_table(made)

    return write


OWN = [
    {"id": str(n), **{k: a[k] for k in ("date", "title", "text", "url")}}
    for n, a in enumerate(BOTH)
]
GERMAN = table(
    ";", "Titel|Text|Datum|Link", "title", "text", "date", "url", dates=("03.03.2026", "04.03.2026")
)
ENGLISH = table(
    ",",
    "Headline|Body|Published At|Link",
    "title",
    "text",
    "date",
    "url",
    dates=("3/3/2026 6:35 AM", "3/4/2026 10:00 AM"),
)
PLAIN = named(title="title", text="text", date="date", url="url")

GDELT = {
    "articles": [
        {
            "url": a["url"],
            "url_mobile": "",
            "title": a["title"],
            "seendate": str(a["date"]).replace("-", "").replace(":", ""),
            "socialimage": "",
            "domain": "wire.example",
            "language": "English",
            "sourcecountry": "United States",
        }
        for a in BOTH
    ]
}
NEWSAPI = {
    "status": "ok",
    "totalResults": 2,
    "articles": [
        {
            "source": {"id": None, "name": "The Wire"},
            "author": None,
            "title": a["title"],
            "description": None,
            "url": a["url"],
            "urlToImage": None,
            "publishedAt": a["date"],
            "content": f"{a['text']}… [+1200 chars]",
        }
        for a in BOTH
    ],
}
EVENT_REGISTRY = {
    "articles": {
        "results": [
            {
                "uri": f"81234{n}",
                "lang": "eng",
                "isDuplicate": False,
                "date": str(a["date"])[:10],
                "time": str(a["date"])[11:19],
                "dateTime": a["date"],
                "dateTimePub": a["date"],
                "dataType": "news",
                "url": a["url"],
                "title": a["title"],
                "body": a["text"],
                "source": {"uri": "wire.example", "dataType": "news", "title": "The Wire"},
                "authors": [],
                "eventUri": f"eng-{n}",
            }
            for n, a in enumerate(BOTH)
        ],
        "totalResults": 2,
        "page": 1,
        "count": 100,
        "pages": 1,
    }
}
HACKER_NEWS = {
    "hits": [
        {
            "_highlightResult": {"title": {"matchLevel": "none", "value": a["title"]}},
            "_tags": ["story", "author_ann", f"story_{n}"],
            "author": "ann",
            "created_at": a["date"],
            "created_at_i": a["unix"],
            "num_comments": 7,
            "objectID": f"4321{n}",
            "points": 70,
            "story_id": 43210 + n,
            "title": a["title"],
            "url": a["url"],
        }
        for n, a in enumerate(BOTH)
    ],
    "hitsPerPage": 20,
    "nbHits": 2,
    "page": 0,
}
WORDPRESS = [
    {
        "id": 700 + n,
        "date": "2026-03-03T01:35:00",
        "date_gmt": str(a["date"])[:19],
        "guid": {"rendered": f"https://wire.example/?p={n}"},
        "slug": "x",
        "status": "publish",
        "type": "post",
        "link": a["url"],
        "title": {"rendered": a["title"]},
        "content": {"rendered": f"<p>{a['text']}</p>\n", "protected": False},
        "excerpt": {"rendered": "<p>Short.</p>", "protected": False},
        "author": 3,
    }
    for n, a in enumerate(BOTH)
]
ELASTIC = [
    {"_index": "news", "_type": "_doc", "_id": f"e{n}", "_score": 1, "_source": record}
    for n, record in enumerate(
        named(headline="title", body="text", published_at="date", link="url")
    )
]
MONGO = [
    {
        "_id": {"$oid": f"65e40000000000000000000{n}"},
        "title": a["title"],
        "content": a["text"],
        "url": a["url"],
        "publishedAt": {"$date": a["date"]} if n else {"$date": {"$numberLong": "1772519700000"}},
    }
    for n, a in enumerate(BOTH)
]
TWEETS = [
    {
        "created_at": ("Tue Mar 03 06:35:00 +0000 2026", "Wed Mar 04 10:00:00 +0000 2026")[n],
        "id": 2028766512345678901 + n,
        "id_str": str(2028766512345678901 + n),
        "full_text": a["text"],
        "source": '<a href="https://wire.example">The Wire</a>',
        "user": {"id": 7, "name": "Ann"},
        "lang": "en",
        "entities": {"hashtags": [], "urls": []},
    }
    for n, a in enumerate(BOTH)
]
REDDIT = {
    "kind": "Listing",
    "data": {
        "after": None,
        "children": [
            {
                "kind": "t3",
                "data": {
                    "subreddit": "worldnews",
                    "selftext": "",
                    "title": a["title"],
                    "url": a["url"],
                    "id": f"1r{n}",
                    "created_utc": float(str(a["unix"])),
                },
            }
            for n, a in enumerate(BOTH)
        ],
    },
}
GUARDIAN = {
    "response": {
        "status": "ok",
        "total": 2,
        "results": [
            {
                "id": f"world/{n}",
                "type": "article",
                "webTitle": a["title"],
                "webPublicationDate": a["date"],
                "webUrl": a["url"],
                "fields": {"bodyText": a["text"], "trailText": "Short."},
            }
            for n, a in enumerate(BOTH)
        ],
    }
}
NEW_YORK_TIMES = {
    "status": "OK",
    "response": {
        "docs": [
            {
                "_id": f"nyt://article/{n}",
                "web_url": a["url"],
                "snippet": a["text"],
                "headline": {"main": a["title"], "kicker": None},
                "pub_date": str(a["date"]).replace("Z", "+0000"),
            }
            for n, a in enumerate(BOTH)
        ],
        "meta": {"hits": 2},
    },
}
WIKI = (
    """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
<siteinfo><sitename>Wikinews</sitename><base>https://wire.example/Main_Page</base></siteinfo>
<page><title>Old</title><ns>0</ns><redirect title="New"/></page>
<page><title>Talk:Alder</title><ns>1</ns><id>8</id><revision><text>Hello</text></revision></page>
"""
    + "".join(
        f"<page><title>{a['title']}</title><ns>0</ns><id>{n}</id><revision><id>1</id>"
        f"<timestamp>2026-05-01T00:00:00Z</timestamp><text>{{{{date|March {n + 3}, 2026}}}}\n"
        f"{a['text'].replace('river', '[[river]]')}\n== Sources ==\n*{{{{source|url=x}}}}\n"
        "[[Category:Published]]</text></revision></page>"
        for n, a in enumerate(BOTH)
    )
    + "</mediawiki>"
)
WIKI_API = {
    "batchcomplete": "",
    "query": {
        "pages": {
            str(n + 5): {
                "pageid": n + 5,
                "ns": 0,
                "title": a["title"],
                "extract": a["text"],
                "touched": a["date"],
                "fullurl": a["url"],
            }
            for n, a in enumerate(BOTH)
        }
    },
}
RSS = (
    """<?xml version="1.0"?><rss version="2.0"><channel><title>The Wire</title>
<link>https://wire.example/</link>"""
    + "".join(
        f"<item><title>{a['title']}</title><link>{a['url']}</link><pubDate>{a['rfc']}</pubDate>"
        f"<description>{a['text']}</description></item>"
        for a in BOTH
    )
    + "</channel></rss>"
)
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "The Wire",
    "home_page_url": "https://wire.example/",
    "items": named(id="url", url="url", title="title", content_text="text", date_published="date"),
}
MAIL = [
    {"article": a["text"], "highlights": f"{a['title']} .\nMore of it .", "id": f"{n:040x}"}
    for n, a in enumerate(BOTH)
]
CC_NEWS = [
    {
        "title": a["title"],
        "text": a["text"],
        "domain": "wire.example",
        "date": str(a["date"])[:19].replace("T", " "),
        "description": "Short.",
        "url": a["url"],
        "image_url": "",
    }
    for a in BOTH
]
COLUMNS_ = {
    name: {str(n): a[name] for n, a in enumerate(BOTH)} for name in ("title", "text", "url")
}
COLUMNS_["date"] = {"0": 1772519700000, "1": 1772618400000}
TABLE_SCHEMA = {
    "fields": [{"name": "index", "type": "integer"}, {"name": "title", "type": "string"}],
    "primaryKey": ["index"],
    "pandas_version": "1.4.0",
}
DAY = frozenset({"time"})
WITHOUT_TEXT = frozenset({"text"})

SHAPES = (
    Shape("own.jsonl", "scstory's own form", lines(OWN)),
    Shape("excel.csv", "Excel, “CSV UTF-8”, English", b"\xef\xbb\xbf" + ENGLISH.encode()),
    Shape(
        "excel-de.csv",
        "Excel, “CSV”, German (semicolons, Windows-1252)",
        GERMAN.encode("cp1252"),
        DAY,
    ),
    Shape(
        "excel-sep.csv", "Excel with a line `sep=;`", b"sep=;\r\n" + GERMAN.encode("cp1252"), DAY
    ),
    Shape(
        "unicode.txt",
        "Excel, “Unicode Text” (tabs, UTF-16)",
        table(
            "\t",
            "Titel|Text|Datum|Link",
            "title",
            "text",
            "date",
            "url",
            dates=("03.03.2026", "04.03.2026"),
        ).encode("utf-16"),
        DAY,
    ),
    Shape(
        "mac.csv",
        "Excel, “CSV (Macintosh)” (carriage returns)",
        table(
            ";",
            "Title|Summary|Date|URL",
            "title",
            "title",
            "date",
            "url",
            dates=("2026-03-03", "2026-03-04"),
        )
        .replace("\r\n", "\r")
        .encode(),
        DAY | WITHOUT_TEXT,
    ),
    Shape(
        "sheets.tsv",
        "Google Sheets",
        rows(
            "\t",
            "Headline|Story text|Date|Time|URL",
            [
                [
                    str(a["title"]),
                    str(a["text"]).replace("\n", " "),
                    str(a["date"])[:10],
                    str(a["date"])[11:16],
                    str(a["url"]),
                ]
                for a in BOTH
            ],
        ).encode(),
    ),
    Shape(
        "headlines.csv",
        "a list of headlines",
        table(",", "date|headline", "date", "title").encode(),
        frozenset({"text", "url"}),
    ),
    Shape(
        "unix.csv",
        "a database's export (Unix time)",
        rows(
            "|",
            "link|created|subject|content",
            [[str(a["url"]), str(a["unix"]), str(a["title"]), str(a["text"])] for a in BOTH],
        ).encode(),
    ),
    Shape(
        "mysql.csv",
        "MySQL, `INTO OUTFILE` (quotes after backslashes)",
        b'"url","pub_date","title","body"\n'
        + b"".join(
            f'"{a["url"]}","{a["date"]}","{a["title"]}",'.encode()
            + b'"He said \\"no\\", twice: It rose."\n'
            for a in BOTH
        ),
        frozenset({"exact"}),
    ),
    Shape(
        "pandas-records.json",
        "pandas, `orient='records'`",
        dump([{**r, "date": a["unix"] * 1000} for r, a in zip(PLAIN, BOTH, strict=True)]),
    ),
    Shape("pandas-columns.json", "pandas, `to_json` as it is (`orient='columns'`)", dump(COLUMNS_)),
    Shape(
        "pandas-index.json",
        "pandas, `orient='index'`",
        dump({str(n): r for n, r in enumerate(PLAIN)}),
    ),
    Shape(
        "pandas-split.json",
        "pandas, `orient='split'`",
        dump(
            {
                "columns": ["title", "text", "url", "date"],
                "index": [0, 1],
                "data": [[a["title"], a["text"], a["url"], a["date"]] for a in BOTH],
            }
        ),
    ),
    Shape(
        "pandas-table.json",
        "pandas, `orient='table'`",
        dump({"schema": TABLE_SCHEMA, "data": [{"index": n, **r} for n, r in enumerate(PLAIN)]}),
    ),
    Shape("pandas.parquet", "pandas, `to_parquet`", parquet(PLAIN)),
    Shape(
        "jq.json",
        "jq (objects over several lines)",
        b"\n".join(dump(r, indent=2) for r in PLAIN) + b"\n",
    ),
    Shape("mongo.json", "mongoexport", lines(MONGO)),
    Shape("mongo-array.json", "mongoexport `--jsonArray`", dump(MONGO)),
    Shape("elastic.json", "elasticdump", lines(ELASTIC)),
    Shape(
        "search.json",
        "Elasticsearch, `_search`",
        dump({"took": 3, "hits": {"total": {"value": 2}, "hits": ELASTIC}}),
    ),
    Shape(
        "scrapy.json",
        "Scrapy, JSON",
        b"[\n" + b",\n".join(dump({k: [v] for k, v in r.items()}) for r in PLAIN) + b"\n]",
    ),
    Shape(
        "scrapy.jl",
        "Scrapy, JSON lines",
        lines(named(headline="title", article_body="text", pub_date="rfc", url="url")),
    ),
    Shape(
        "datasette.json",
        "Datasette",
        dump(
            {
                "database": "news",
                "rows": [[a["title"], a["text"], a["url"], a["date"]] for a in BOTH],
                "columns": ["title", "text", "url", "published"],
                "truncated": False,
            }
        ),
    ),
    Shape("wordpress.json", "WordPress, `/wp-json/wp/v2/posts`", dump(WORDPRESS)),
    Shape("hn.json", "Hacker News, Algolia's search", dump(HACKER_NEWS), WITHOUT_TEXT),
    Shape("gdelt.json", "GDELT DOC 2.0, `mode=artlist&format=json`", dump(GDELT), WITHOUT_TEXT),
    Shape(
        "gdelt.csv",
        "GDELT DOC 2.0, `format=csv`",
        b"\xef\xbb\xbf"
        + rows(
            ",",
            "URL|MobileURL|Date|Title",
            [
                [str(a["url"]), "", str(a["date"])[:19].replace("T", " "), str(a["title"])]
                for a in BOTH
            ],
        ).encode(),
        WITHOUT_TEXT,
    ),
    Shape("newsapi.json", "NewsAPI, `everything`", dump(NEWSAPI)),
    Shape("er.json", "Event Registry, `getArticles`", dump(EVENT_REGISTRY)),
    Shape("guardian.json", "The Guardian's Open Platform", dump(GUARDIAN)),
    Shape("nyt.json", "The New York Times, Article Search", dump(NEW_YORK_TIMES)),
    Shape("reddit.json", "Reddit, `/r/….json`", dump(REDDIT), WITHOUT_TEXT),
    Shape("tweets.json", "X (Twitter), API 1.1", dump(TWEETS), frozenset({"title", "url"})),
    Shape(
        "enwikinews.xml.bz2",
        "Wikinews, `pages-articles` dump",
        bz2.compress(WIKI.encode()),
        DAY | {"url"},
    ),
    Shape("wikinews.json", "Wikinews, `action=query&prop=extracts`", dump(WIKI_API)),
    Shape("saved.rss", "a feed that was saved", RSS.encode()),
    Shape("feed.json", "JSON Feed that was saved", dump(JSON_FEED)),
    Shape(
        "cnn_dailymail",
        "Hugging Face, `save_to_disk` of cnn_dailymail",
        hugging_face(MAIL),
        frozenset({"date", "url"}),
    ),
    Shape("cc_news.parquet", "Hugging Face, cc_news", parquet(CC_NEWS)),
    Shape("news.json.gz", "gzip", gzip.compress(dump(PLAIN))),
    Shape("news.json.zst", "zstd", zstandard(dump(PLAIN))),
    Shape("news.csv.xz", "xz", lzma.compress(ENGLISH.encode())),
    Shape(
        "news.zip", "zip, made on a Mac", zipped("news.csv", b"\xef\xbb\xbf" + GERMAN.encode()), DAY
    ),
)
