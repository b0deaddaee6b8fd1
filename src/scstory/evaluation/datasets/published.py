"""The data sets: what they are, how large they are in the paper, and where to get them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A data set as `scstory data` shows it. A `published` one must have the paper's size."""

    name: str
    what: str
    used: str
    obtain: tuple[str, ...]
    layout: tuple[str, ...]
    spec: str
    articles: int | None = None
    stories: int | None = None
    published: bool = True


_WCEP = (
    "News of 2016 to 2019 on the entries of Wikipedia's Current Events Portal, from the pages it "
    "cites and from Common Crawl (Gholipour Ghalandari et al., ACL 2020)."
)
_WCEP_OBTAIN = (
    "https://github.com/complementizer/wcep-mds-dataset, under Download Dataset",
    "train.jsonl.gz, val.jsonl.gz and test.jsonl.gz, all in one folder",
)
_WCEP_LAYOUT = (
    "FOLDER/train.jsonl.gz, val.jsonl.gz, test.jsonl.gz, or one of them (.jsonl or .xz too)",
    'one story per line: {"id", "summary", "articles": [{"time", "title", "text", "url"}]}',
)

CATALOGUE: Mapping[str, DatasetInfo] = {
    entry.name: entry
    for entry in (
        DatasetInfo(
            name="news14",
            what="Multilingual news grouped by event (Miranda et al., EMNLP 2018).",
            used="English articles published in 2014",
            obtain=(
                "https://github.com/Priberam/news-clustering, by its download_data.sh",
                "dataset.dev.json and dataset.test.json; clustering.*.json are not needed",
            ),
            layout=(
                "FOLDER/dataset.dev.json, dataset.test.json, or one of them (.gz or .xz too)",
                'one JSON list: [{"id", "date", "lang", "title", "text", "cluster"}]',
            ),
            spec="news14:FOLDER",
            articles=16_136,
            stories=788,
        ),
        *(
            DatasetInfo(
                name=f"wcep{year % 100}",
                what=_WCEP,
                used=f"articles published in {year} of stories with at least 50 of them",
                obtain=_WCEP_OBTAIN,
                layout=_WCEP_LAYOUT,
                spec=f"wcep{year % 100}:FOLDER",
                articles=articles,
                stories=stories,
            )
            for year, articles, stories in ((2018, 47_038, 828), (2019, 29_931, 519))
        ),
        DatasetInfo(
            name="newsapi",
            what="A case study of your own, one query per story. The paper's cannot be repeated: "
            "NewsAPI returns recent articles only.",
            used="all articles that are still there",
            obtain=(
                "https://newsapi.org, with your own key; for each story and page",
                "curl 'https://newsapi.org/v2/everything?q=QUERY&pageSize=100&page=1&apiKey=KEY' "
                ">> FOLDER/STORY.json",
            ),
            layout=(
                "FOLDER/STORY.json for each story, with one or more answers (.gz or .xz too)",
                '{"status", "articles": [{"title", "description", "url", "publishedAt", '
                '"content"}]}',
            ),
            spec="newsapi:FOLDER",
            articles=1_068,
            stories=4,
            published=False,
        ),
        DatasetInfo(
            name="file",
            what="Any labelled stream in our own format.",
            used="all articles",
            obtain=("write it yourself; the articles need not be in order",),
            layout=(
                "FILE.jsonl, one object per line, or FILE.csv with a header (.gz or .xz too)",
                '{"id", "date", "title", "text", "story"}, optional "url", "source", "language"',
            ),
            spec="FILE.jsonl",
            published=False,
        ),
    )
}
