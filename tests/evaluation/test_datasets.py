"""Labelled streams in the formats their publishers use; all text is invented."""

import gzip
import json
import lzma

import pytest

from scstory.errors import SourceError
from scstory.evaluation.datasets import CATALOGUE, json_records, open_dataset, wcep
from scstory.evaluation.datasets.spec import DATASETS
from scstory.feeds import json_text

PACKERS = [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]


def changed(record, changes):
    return {key: value for key, value in (record | changes).items() if value is not ...}


def split(spec):
    """Return the articles of a data set with their labels, and its problems by place."""
    items = list(open_dataset(str(spec)))
    good = [(item.article.id, item.label) for item in items if item.article]
    return good, {item.place: item.problem for item in items if item.problem}


def write_json(path, value):
    path.write_text(json.dumps(value))
    return path


# --- News14 -------------------------------------------------------------------------------------


def document(**changes):
    record = {
        "id": "d1",
        "date": "2014-03-03 07:35:00",
        "lang": "eng",
        "title": "Alder rises",
        "text": "The river Alder rose by a metre.",
        "cluster": "17",
    }
    return changed(record, changes)


class TestNews14:
    def test_a_document_becomes_a_labelled_article(self, tmp_path):
        path = write_json(tmp_path / "dataset.dev.json", [document(source={"a": 1}, extra=[1])])
        data = open_dataset(f"news14:{path}")
        (item,) = data
        assert data.name == "news14"
        assert (item.article.id, item.label, item.place) == ("d1", "17", f"{path}:1")
        assert item.article.published.isoformat() == "2014-03-03T07:35:00+00:00"
        assert (item.article.title, item.article.language) == ("Alder rises", "en")

    def test_only_english_of_2014(self, tmp_path):
        documents = [
            document(id="before", date="2013-12-31 23:59:59"),
            document(id="first", date="2014-01-01 00:00:00"),
            document(id="spanish", lang="spa"),
            document(id="german", lang="deu"),
            document(id="last", date="2014-12-31 23:59:59"),
            document(id="after", date="2015-01-01 00:00:00"),
        ]
        path = write_json(tmp_path / "dataset.dev.json", documents)
        assert split(f"news14:{path}") == ([("first", "17"), ("last", "17")], {})

    def test_a_folder_of_both_files_is_one_stream_in_order(self, tmp_path):
        write_json(tmp_path / "dataset.dev.json", [document(id="b"), document(id="a", cluster=3)])
        late, early = (document(id=i, date=f"2014-0{i}-01 00:00:00") for i in "92")
        write_json(tmp_path / "dataset.test.json", [late, early])
        write_json(tmp_path / "clustering.dev.json", {"id": "b", "features": {}})
        good, problems = split(f"news14:{tmp_path}")
        assert good == [("2", "17"), ("b", "17"), ("a", "3"), ("9", "17")]
        assert problems == {}

    def test_it_can_be_read_again(self, tmp_path):
        data = open_dataset(f"news14:{write_json(tmp_path / 'a.json', [document()])}")
        assert list(data) == list(data)

    @pytest.mark.parametrize(("suffix", "pack"), PACKERS)
    def test_packed_or_not(self, tmp_path, suffix, pack):
        path = tmp_path / f"dataset.test.json{suffix}"
        path.write_bytes(pack(json.dumps([document()], indent=1).encode()))
        assert split(f"news14:{path}") == ([("d1", "17")], {})
        assert split(f"NEWS14:{tmp_path}") == ([("d1", "17")], {})

    def test_unpacked_beside_its_archive_it_is_read_once(self, tmp_path):
        path = write_json(tmp_path / "dataset.dev.json", [document()])
        (tmp_path / "dataset.dev.json.gz").write_bytes(gzip.compress(path.read_bytes()))
        assert split(f"news14:{tmp_path}") == ([("d1", "17")], {})

    def test_broken_documents_are_named_and_the_rest_is_read(self, tmp_path):
        documents = [
            document(id="good"),
            "text",
            document(id="x", lang=...),
            document(id="x", cluster=None),
            document(id="x", text=None, title=...),
            document(id="x", text=" "),
            document(id="x", date="soon"),
            document(id="good", date="2014-05-05 00:00:00"),
            document(id="cluster 0", cluster=0),
        ]
        path = write_json(tmp_path / "a.json", documents)
        good, problems = split(f"news14:{path}")
        assert good == [("good", "17"), ("cluster 0", "0")]
        assert problems == {
            f"{path}:2": "not a JSON object",
            f"{path}:3": "missing lang",
            f"{path}:4": "missing cluster",
            f"{path}:5": "missing title, text",
            f"{path}:6": "empty text",
            f"{path}:7": "unreadable date 'soon'; write it like 2026-03-03T06:35:00Z or 2026-03-03",
            f"{path}:8": f"id 'good' is used already, at {path}:1",
        }

    @pytest.mark.parametrize(
        ("end", "reason"),
        [
            (", {]", "Expecting property name"),
            (', {"id": "un', "Unterminated string"),
            ("", "it ends in the middle of a list"),
            (", " + "[" * 100_000, "nest|recursion"),
        ],
    )
    def test_a_broken_list_gives_what_comes_before(self, tmp_path, end, reason):
        path = tmp_path / "a.json"
        path.write_text(json.dumps([document()])[:-1] + end)
        good, problems = split(f"news14:{path}")
        assert good == [("d1", "17")]
        (problem,) = problems.values()
        assert list(problems) == [f"{path}:2"]
        assert problem.startswith("broken JSON, the rest is unreadable (")
        assert any(part in problem for part in reason.split("|"))

    @pytest.mark.parametrize("size", [1, 7, 64])
    def test_documents_may_be_cut_anywhere_by_the_reading(self, tmp_path, monkeypatch, size):
        monkeypatch.setattr(json_text, "READ_BYTES", size)
        documents = [12345, document(title="Größe 水"), -0.5e3, [], document(id="d2")]
        path = tmp_path / "a.json"
        path.write_text("\ufeff " + json.dumps(documents, ensure_ascii=False), "utf-8")
        values = list(json_records.read_values(path))
        assert values == [(n, value, None) for n, value in enumerate(documents, 1)]

    def test_a_document_that_never_ends_is_not_kept_in_memory(self, tmp_path, monkeypatch):
        monkeypatch.setattr(json_text, "READ_BYTES", 100)
        monkeypatch.setattr(json_text, "MAX_VALUE_CHARACTERS", 1000)
        path = tmp_path / "a.json"
        path.write_text(json.dumps([document(), document(text="x" * 5000)]))
        good, problems = split(f"news14:{path}")
        assert len(good) == len(problems) == 1

    def test_bytes_that_are_not_utf8_are_passed_over(self, tmp_path):
        path = tmp_path / "a.json"
        path.write_bytes(json.dumps([document(title="caf#")]).encode().replace(b"#", b"\xe9"))
        (item,) = open_dataset(f"news14:{path}")
        assert item.article.title == "caf"

    def test_a_damaged_archive_gives_what_it_can(self, tmp_path):
        path = tmp_path / "a.json.gz"
        documents = [document(id=str(n), text=f"{n * 7919} text " * 50) for n in range(5000)]
        packed = gzip.compress(json.dumps(documents).encode())
        path.write_bytes(packed[:-2000])
        good, problems = split(f"news14:{path}")
        assert len(good) > 100
        (problem,) = problems.values()
        assert problem.startswith("damaged file, the rest is unreadable")
        path.write_bytes(packed[:200])
        with pytest.raises(SourceError, match="a.json.gz: .*ended before.*; give dataset.dev.json"):
            open_dataset(f"news14:{path}")


# --- WCEP ---------------------------------------------------------------------------------------


def wcep_article(number=1, **changes):
    record = {
        "id": f"cc-{number}",
        "cc_file": "crawl-data/CC-NEWS/a.warc.gz",
        "time": "2018-03-03T07:35:00",
        "title": "Alder rises",
        "text": "The river Alder rose by a metre.",
        "url": f"https://a.test/{number}",
        "collection": "train",
        "origin": "CommonCrawl",
    }
    return changed(record, changes)


def story(articles, **changes):
    record = {
        "id": 7,
        "date": "2018-03-03",
        "summary": "The Alder floods Lowbridge.",
        "articles": articles,
        "collection": "train",
        "wiki_links": [],
        "reference_urls": ["https://a.test/1"],
        "category": "Disasters and accidents",
    }
    return changed(record, changes)


def write_lines(path, *values):
    lines = (v if isinstance(v, bytes) else json.dumps(v).encode() for v in values)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.fixture
def three(monkeypatch):
    """Three articles make a large story, so that files stay small."""
    monkeypatch.setattr(wcep, "WCEP_MIN_ARTICLES", 3)


class TestWcep:
    def test_fifty_articles_of_the_year_make_a_story(self, tmp_path):
        path = write_lines(
            tmp_path / "train.jsonl",
            story([wcep_article(n) for n in range(50)], id="enough"),
            story([wcep_article(100 + n) for n in range(49)], id="too few"),
            story([wcep_article(200 + n, time="2019-01-01") for n in range(50)], id="2019"),
        )
        assert split(f"wcep18:{path}") == ([(f"cc-{n}", "enough") for n in range(50)], {})
        assert {label for _, label in split(f"wcep19:{path}")[0]} == {"2019"}

    def test_fields(self, tmp_path, three):
        sources = [wcep_article(n, id=..., origin="WCEP", archive_url="x") for n in (1, 2, 3)]
        data = open_dataset(f"wcep18:{write_lines(tmp_path / 'a.jsonl', story(sources))}")
        first = next(iter(data))
        assert data.name == "wcep18"
        assert (first.article.id, first.label) == ("7-1", "7")
        assert first.place == f"{tmp_path / 'a.jsonl'}:1, article 1"
        assert (first.article.url, first.article.language) == ("https://a.test/1", "en")

    def test_articles_of_another_year_do_not_count(self, tmp_path, three):
        times = [
            "2017-12-31T23:59:59",
            "2018-01-01T00:00:00",
            "2018-06-01T00:30:00+01:00",
            "2018-12-31T23:59:59Z",
            "2018-12-31T23:59:59-05:00",
        ]
        articles = [wcep_article(n, time=time) for n, time in enumerate(times)]
        path = write_lines(tmp_path / "a.jsonl", story(articles))
        assert [i for i, _ in split(f"wcep18:{path}")[0]] == ["cc-1", "cc-2", "cc-3"]
        path = write_lines(tmp_path / "b.jsonl", story(articles[:3]))
        assert split(f"wcep18:{path}") == ([], {})

    def test_problems_are_told_of_stories_that_are_taken(self, tmp_path, three):
        bad = [
            wcep_article(10, time=None),
            wcep_article(11, title=None, text=None),
            wcep_article(12, text=""),
            wcep_article(13, time="2999-01-01"),
            "text",
        ]
        path = write_lines(
            tmp_path / "a.jsonl",
            story([*bad, *(wcep_article(n) for n in range(3))]),
            story([*bad, wcep_article(4), wcep_article(5)], id=8),
        )
        good, problems = split(f"wcep18:{path}")
        assert [i for i, _ in good] == ["cc-0", "cc-1", "cc-2"]
        assert problems == {
            f"{path}:1, article 1": "missing time",
            f"{path}:1, article 2": "missing title, text",
            f"{path}:1, article 3": "empty text",
            f"{path}:1, article 4": "date '2999-01-01' lies in the future",
            f"{path}:1, article 5": "not a JSON object",
        }

    def test_a_broken_line_costs_only_itself(self, tmp_path, three):
        path = write_lines(
            tmp_path / "a.jsonl",
            b'{"id": 1, "articles": [',
            story([wcep_article(n) for n in range(3)]),
            b"",
            b"[1]",
            story({}, id=2),
            story([], id=None),
            b"[" * 100_000,
            story([wcep_article(n) for n in range(10, 13)], id=9),
        )
        good, problems = split(f"wcep18:{path}")
        assert [label for _, label in good] == ["7"] * 3 + ["9"] * 3
        assert [place.rpartition(":")[2] for place in problems] == ["1", "4", "5", "6", "7"]
        told = list(problems.values())
        assert told[0].startswith("broken JSON (")
        assert told[1:4] == ["not a story with summary and articles"] * 2 + ["missing id"]
        assert told[4].startswith("broken JSON (")

    def test_a_line_that_never_ends_is_passed_over(self, tmp_path, three, monkeypatch):
        stories = [story([wcep_article(n) for n in range(k, k + 3)], id=k) for k in (0, 10)]
        path = write_lines(tmp_path / "a.jsonl", stories[0], b"x" * 9000, stories[1])
        monkeypatch.setattr(json_records, "MAX_JSON_LINE_BYTES", 2000)
        good, problems = split(f"wcep18:{path}")
        assert len(good) == 6
        assert problems == {f"{path}:2": "line longer than 2,000 bytes"}

    @pytest.mark.parametrize(("suffix", "pack"), PACKERS)
    def test_a_folder_of_all_files_is_one_stream_in_order(self, tmp_path, three, suffix, pack):
        for month, name in enumerate(("test", "val", "train"), 1):
            time = f"2018-0{month}-03T00:00:00"
            articles = [wcep_article(f"{name}{n}", time=time) for n in range(3)]
            packed = pack(json.dumps(story(articles, id=name)).encode())
            (tmp_path / f"{name}.jsonl{suffix}").write_bytes(packed)
        good, problems = split(f"wcep18:{tmp_path}")
        assert [label for _, label in good] == ["test"] * 3 + ["val"] * 3 + ["train"] * 3
        assert problems == {}


# --- NewsAPI ------------------------------------------------------------------------------------


def api_article(**changes):
    record = {
        "source": {"id": None, "name": "Lowbridge Post"},
        "author": None,
        "title": "Alder rises",
        "description": "The river Alder rose by a metre on…",
        "url": "https://a.test/1",
        "urlToImage": None,
        "publishedAt": "2026-03-03T07:35:00Z",
        "content": "The river Alder rose by a metre on Monday.\r\nBridges were cl… [+2586 chars]",
    }
    return changed(record, changes)


def answer(*articles, **changes):
    record = {"status": "ok", "totalResults": 900, "articles": list(articles)}
    return changed(record, changes)


class TestNewsApi:
    def test_a_file_is_a_story(self, tmp_path):
        write_json(tmp_path / "flood.json", answer(api_article(publishedAt="2026-03-04T00:00:00Z")))
        packed = gzip.compress(json.dumps(answer(api_article(url="https://b.test/"))).encode())
        (tmp_path / "Trial of M. Orr.json.gz").write_bytes(packed)
        (tmp_path / "notes.txt").write_text("not read")
        data = open_dataset(f"newsapi:{tmp_path}")
        trial, flood = data
        assert data.name == "newsapi"
        assert (trial.label, flood.label) == ("Trial of M. Orr", "flood")
        assert (flood.article.id, flood.article.url) == ("https://a.test/1", "https://a.test/1")
        assert flood.article.source == "Lowbridge Post"
        assert flood.place == f"{tmp_path / 'flood.json'}:1"

    @pytest.mark.parametrize(
        ("description", "content", "text"),
        [
            ("The start…", "The start of it. More… [+2586 chars]", "The start of it. More"),
            ("A summary.", "The start of it.", "A summary.\nThe start of it."),
            ("A summary.", None, "A summary."),
            (None, "The start of it.", "The start of it."),
            ("…", "The start of it.", "The start of it."),
        ],
    )
    def test_text(self, tmp_path, description, content, text):
        record = api_article(description=description, content=content)
        (item,) = open_dataset(f"newsapi:{write_json(tmp_path / 'a.json', answer(record))}")
        assert item.article.text == text

    def test_pages_follow_each_other_in_a_file(self, tmp_path):
        pages = [answer(api_article(url=f"https://a.test/{n}")) for n in range(3)]
        error = {"status": "error", "code": "maximumResultsReached", "message": "Too\nmany."}
        path = tmp_path / "flood.json"
        path.write_text("".join(json.dumps(page, indent=2) for page in [*pages, error]))
        good, problems = split(f"newsapi:{tmp_path}")
        assert good == [(f"https://a.test/{n}", "flood") for n in range(3)]
        assert problems == {f"{path}:4": "the answer is an error (Too many.); ask again"}

    def test_bad_articles_are_named_and_the_rest_is_read(self, tmp_path):
        records = [
            api_article(),
            api_article(title="[Removed]", url="https://removed.com"),
            api_article(url="u2", content=None, description=None),
            api_article(url="u3", publishedAt=...),
            None,
            api_article(url="u4", content=["a"]),
            api_article(url=None, source="Post"),
            api_article(url="u" * 600),
        ]
        path = write_json(tmp_path / "flood.json", answer(*records))
        again = write_json(tmp_path / "storm.json", answer(api_article()))
        good, problems = split(f"newsapi:{tmp_path}")
        assert [i for i, _ in good] == ["https://a.test/1", "flood-7", "flood-8"]
        assert problems == {
            f"{path}:2": "removed by its publisher",
            f"{path}:3": "missing content",
            f"{path}:4": "missing publishedAt",
            f"{path}:5": "not a JSON object",
            f"{path}:6": "text is a list, not text",
            f"{again}:1": f"id 'https://a.test/1' is used already, at {path}:1",
        }


# --- Our own files, and what a path alone says --------------------------------------------------

OWN = {"id": "1", "date": "2026-03-03", "title": "T", "text": "Some text.", "story": "flood"}


class TestOwnFiles:
    def test_in_order_with_problems(self, tmp_path):
        late, early = OWN | {"id": "late", "date": "2026-03-04"}, OWN | {"id": "early"}
        unlabelled = changed(OWN, {"id": "unlabelled", "story": ...})
        path = write_lines(tmp_path / "my.jsonl", late, b"oops", early, early, unlabelled)
        assert open_dataset(str(path)).name == "my"
        good, problems = split(path)
        assert good == [("early", "flood"), ("unlabelled", None), ("late", "flood")]
        assert [place.rpartition(":")[2] for place in problems] == ["2", "4"]

    @pytest.mark.parametrize(("suffix", "pack"), PACKERS)
    def test_csv(self, tmp_path, suffix, pack):
        path = tmp_path / f"my.csv{suffix}"
        path.write_bytes(pack(b"id,date,title,text,story\n1,2026-03-03,T,Some text.,flood\n"))
        assert split(path) == ([("1", "flood")], {})

    def test_other_fields_do_not_mislead(self, tmp_path):
        path = write_lines(tmp_path / "a.jsonl", OWN | {"lang": "eng", "cluster": 3})
        assert split(path) == ([("1", "flood")], {})

    def test_a_colon_in_a_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write_lines(tmp_path / "day:1.jsonl", OWN)
        assert split("day:1.jsonl") == ([("1", "flood")], {})

    def test_an_empty_file_has_no_articles(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"")
        assert split(path) == ([], {})

    def test_standard_input_is_not_looked_at_before_it_is_read(self):
        assert open_dataset("-").name == "stdin"


def test_a_path_alone_is_recognised(tmp_path):
    for name in ("news", "api"):
        (tmp_path / name).mkdir()
    documents = write_json(tmp_path / "news" / "dataset.test.json", [document()])
    answers = write_json(tmp_path / "api" / "flood.json", answer(api_article()))
    for file, name in ((documents, "news14"), (answers, "newsapi")):
        assert open_dataset(str(file)).name == open_dataset(str(file.parent)).name == name


@pytest.mark.parametrize("name", ["train.jsonl", "stories.json"])
def test_wcep_needs_a_year(tmp_path, name):
    path = write_lines(tmp_path / name, story([wcep_article()]))
    with pytest.raises(SourceError, match=rf"is WCEP; name the year: wcep18:{path} or wcep19"):
        open_dataset(str(path))


@pytest.mark.parametrize("name", DATASETS)
class TestWrongFiles:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty; give "),
            (b" \n ", "is empty; give "),
            (b"<!DOCTYPE html><title>Drive - virus scan warning", "is a web page, not the data"),
            (b"PK\x03\x04abc", "is a zip archive; unpack it first"),
            (gzip.compress(b"[]", mtime=0), "is compressed; name it .gz or .xz"),
            ("[]".encode("utf-16"), "is UTF-16; convert it to UTF-8"),
            (b"id,date,title,text\n1,2026-03-03,T,x\n", "see scstory data"),
            (b"[]", "see scstory data"),
            (json.dumps(OWN).encode(), "see scstory data"),
        ],
    )
    def test_are_refused_at_once(self, tmp_path, name, content, message):
        path = tmp_path / "a.json"
        path.write_bytes(content)
        with pytest.raises(SourceError, match=message) as raised:
            open_dataset(f"{name}:{path}")
        assert str(raised.value).startswith(f"{path}: ")
        assert "\n" not in str(raised.value)

    def test_not_packed_although_named_so(self, tmp_path, name):
        path = write_json(tmp_path / "a.json.gz", [document()])
        with pytest.raises(SourceError, match="cannot be read .Not a gzipped file"):
            open_dataset(f"{name}:{path}")

    def test_not_there(self, tmp_path, name):
        with pytest.raises(SourceError, match=f"no such file or folder; .*scstory data {name}"):
            open_dataset(f"{name}:{tmp_path / 'none'}")
        with pytest.raises(SourceError, match=f"no .*json.* in this folder; .* data {name}"):
            open_dataset(f"{name}:{tmp_path}")
        with pytest.raises(SourceError, match=f"no path; write {name}:PATH"):
            open_dataset(f"{name}:")


def test_the_feature_files_of_news14_are_not_its_articles(tmp_path):
    path = write_lines(tmp_path / "clustering.dev.json", {"id": "d1", "features": {"TOKENS": {}}})
    with pytest.raises(SourceError, match="holds features, not articles; give dataset.dev.json"):
        open_dataset(f"news14:{path}")


def test_unknown_names_and_folders(tmp_path):
    with pytest.raises(SourceError, match="no data set 'wcep20'; there are news14, wcep18, wcep19"):
        open_dataset("wcep20:some/folder")
    with pytest.raises(SourceError, match="no such file or folder; give a .jsonl or .csv file"):
        open_dataset(str(tmp_path / "none.jsonl"))
    with pytest.raises(SourceError, match="in this folder; give a .jsonl"):
        open_dataset(str(tmp_path))
    write_json(tmp_path / "settings.json", {"a": 1})
    with pytest.raises(SourceError, match="no known data set in this folder"):
        open_dataset(str(tmp_path))


def test_every_format_is_in_the_catalogue():
    assert set(CATALOGUE) == {*DATASETS, "file"}
    sizes = {name: (entry.articles, entry.stories) for name, entry in CATALOGUE.items()}
    assert sizes["news14"] == (16_136, 788)
    assert sizes["wcep18"] == (47_038, 828)
    assert sizes["wcep19"] == (29_931, 519)
