"""Files as other tools write them, of the same two invented articles."""

import bz2
import gzip
import lzma

from tests.feeds.api_answers import (
    CC_NEWS,
    COLUMNS_,
    ELASTIC,
    EVENT_REGISTRY,
    GDELT,
    GUARDIAN,
    HACKER_NEWS,
    JSON_FEED,
    MAIL,
    MONGO,
    NEW_YORK_TIMES,
    NEWSAPI,
    REDDIT,
    RSS,
    TABLE_SCHEMA,
    TWEETS,
    WIKI,
    WIKI_API,
    WORDPRESS,
)
from tests.feeds.file_writers import (
    BOTH,
    PLAIN,
    Shape,
    dump,
    hugging_face,
    lines,
    named,
    parquet,
    rows,
    table,
    warc,
    zipped,
    zstandard,
)

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
        "million.csv",
        "Kaggle, “A Million News Headlines”",
        table(
            ",", "publish_date|headline_text", "date", "title", dates=("20260303", "20260304")
        ).encode(),
        DAY | {"text", "url"},
    ),
    Shape(
        "chinese.csv",
        "a table with Chinese names and dates",
        table(
            ",",
            "标题|正文|发布时间|链接",
            "title",
            "text",
            "date",
            "url",
            dates=("2026年3月3日 06:35", "2026年3月4日 10:00"),
        ).encode(),
    ),
    Shape(
        "russian.csv",
        "a table with Russian names and dates",
        table(
            ";",
            "Заголовок|Текст|Дата|Ссылка",
            "title",
            "text",
            "date",
            "url",
            dates=("3 марта 2026 09:35 MSK", "4 марта 2026 13:00 MSK"),
        ).encode(),
    ),
    Shape(
        "sqlserver.csv",
        "SQL Server, `bcp -w` (UTF-16 without a mark, `NULL`)",
        rows(
            ",",
            "id|title|text|date|url",
            [["NULL", *(str(a[k]) for k in ("title", "text", "date", "url"))] for a in BOTH],
        ).encode("utf-16-le"),
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
    Shape("firehose", "Amazon Firehose (objects side by side)", b"".join(map(dump, PLAIN))),
    Shape(
        "firestore.json",
        "Firestore",
        dump([{**r, "date": {"_seconds": a["unix"]}} for r, a in zip(PLAIN, BOTH, strict=True)]),
    ),
    Shape(
        "php.json",
        "PHP, `json_encode` of a DateTime",
        dump(
            [
                {**r, "date": {"date": day, "timezone_type": 3, "timezone": "Europe/Berlin"}}
                for r, day in zip(
                    PLAIN,
                    ("2026-03-03 07:35:00.000000", "2026-03-04 11:00:00.000000"),
                    strict=True,
                )
            ]
        ),
    ),
    Shape(
        "trafilatura.jsonl",
        "trafilatura, `--json`",
        lines(named(title="title", text="text", date="date", source="url")),
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
    Shape("CC-NEWS-20260305.warc.gz", "Common Crawl, CC-NEWS", warc),
    Shape("news.json.gz", "gzip", gzip.compress(dump(PLAIN))),
    Shape("news.json.zst", "zstd", zstandard(dump(PLAIN))),
    Shape("news.csv.xz", "xz", lzma.compress(ENGLISH.encode())),
    Shape(
        "news.zip", "zip, made on a Mac", zipped("news.csv", b"\xef\xbb\xbf" + GERMAN.encode()), DAY
    ),
)
