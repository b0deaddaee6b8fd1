"""What APIs and published data sets say of the same two invented articles."""

from tests.feeds.file_writers import BOTH, named

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
