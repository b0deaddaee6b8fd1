"""What the README and the pages say is true: commands and code run, the map is the territory."""

import csv
import doctest
import gzip
import io
import json
import re
import runpy
import shutil
import subprocess
import tomllib
from itertools import pairwise, product
from pathlib import Path

import pytest

from scstory.config import load_settings
from scstory.discovery.presets import make_settings
from scstory.evaluation import comparison
from scstory.evaluation.systems import tuning_grid
from scstory.feeds import parse_article
from scstory.sample import load_sample
from tests import web
from tests.cli.conftest import scstory  # noqa: F401
from tests.conftest import make_article, make_stream

pytestmark = pytest.mark.usefixtures("known_vectors")

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


def blocks(kind, text=README):
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def test_the_library_code_runs(tmp_path, monkeypatch, capsys):
    (code,) = blocks("python")
    assert len(code.strip().splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert re.match(r"\d+ stories\n\d+ ", out)
    assert (tmp_path / "engine.npz").stat().st_size > 1_000_000


PAPERS_FIGURES = page("paper-figures")


def commands_in(text):
    return re.findall(r"^\$ (?:\.venv/bin/)?scstory ([^#|\n]*)", text, re.MULTILINE)


@pytest.mark.parametrize("number", range(len(blocks("python", page("library")))))
def test_the_code_for_library_users_runs(number, write_sample, tmp_path, monkeypatch, capsys):
    write_sample()
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("python", page("library"))[number], "library.md", "exec"), {})
    shown = ("articles", "story", "1 1.0 True", "0.4")
    assert shown[number] in capsys.readouterr().out


@pytest.fixture
def write_sample(tmp_path):
    """Write articles with and without their labels to files."""

    def write(count=45):
        plain, labelled = tmp_path / "articles.jsonl", tmp_path / "labelled.jsonl"
        with plain.open("w") as file, labelled.open("w") as beside:
            for number, item in enumerate(load_sample()[:count], 1):
                article = item.article
                record = {
                    "id": str(number),
                    "date": article.published.isoformat(),
                    "title": article.title,
                    "text": article.text,
                }
                file.write(json.dumps(record) + "\n")
                beside.write(json.dumps({**record, "story": item.label}) + "\n")

    return write


COMMANDS = {
    "README": [
        *("run", "stories", "story", "explain", "init"),
        *("feeds", "feeds", "feeds", "run", "serve", "serve"),
    ],
    "run": ["run", "run", "stories", "feeds", "feeds", "run", "run"],
    "evaluate": ["evaluate", "evaluate", "data"],
    "desk": ["run", "stories", *["correct"] * 7],
}
"""The commands that pages show. They run in this order, each page in a folder of its own."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_run(name, scstory, site, write_sample, tmp_path, monkeypatch):  # noqa: F811
    commands = commands_in(README if name == "README" else page(name))
    assert [command.split()[0] for command in commands] == COMMANDS[name]
    # Two kinds go on until they are stopped, and have tests of their own.
    commands = [c for c in commands if not c.startswith("serve") and "--follow" not in c]
    for variable, value in (("ALLOW_PRIVATE", "true"), ("HOST_INTERVAL", "0")):
        monkeypatch.setenv(f"SCSTORY_FEEDS__{variable}", value)
    site.pages["/"] = site.pages["/feed.xml"] = web.rss(web.item(1))
    site.pages["/1"] = web.page("Alder", *web.LONG)
    (tmp_path / "subscriptions.opml").write_text(
        f'<opml><body><outline type="rss" xmlUrl="{site.url}/feed.xml"/></body></opml>'
    )
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # starting workers would take most of the time
    write_sample()
    rows = csv_of(tmp_path / "articles.jsonl")
    (tmp_path / "articles.csv").write_text(rows)
    for command in commands:
        words = command.replace("https://news.example", site.url).split()
        outcome = scstory(*words)
        assert outcome.code == 0, (command, outcome.err)
        assert outcome.out or outcome.err


def test_the_tutorial_goes_as_it_says(scstory, tmp_path, capsys):  # noqa: F811
    """Its commands run in order, and every line of output is there that it shows in full.

    A line with "…" stands for others, and numbers after a decimal point may change.
    """
    text = page("tutorial")
    (articles,) = blocks("json", text)
    (tmp_path / "articles.jsonl").write_text(articles)
    assert scstory("demo").code == 0
    steps = re.findall(r"^\$ \.venv/bin/scstory (.*)\n((?:(?!\$|```).*\n)*)", text, re.MULTILINE)
    assert [command.split()[0] for command, _ in steps] == [
        *("story", "explain", "run", "stories", "run", "init")
    ]
    for command, shown in steps:
        outcome = scstory(*command.split())
        assert outcome.code == 0, outcome.err
        seen = (outcome.out + outcome.err).splitlines()
        exact = [line for line in shown.splitlines() if not re.search(r"…|\d\.\d", line)]
        assert set(exact) <= {*seen, ""}
    (posted,) = re.findall(r"^\$ curl .* -d '(.*)'$", text, re.MULTILINE)
    assert parse_article(json.loads(posted)).id == "5"
    (session,) = re.findall(r"^\$ \.venv/bin/python\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(session, {}, "tutorial", "tutorial.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def csv_of(path):
    """Return a file of articles as CSV."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(records[0]))
    writer.writeheader()
    writer.writerows({**record, "id": f"c{record['id']}"} for record in records)
    return text.getvalue()


def write_papers_data(folder):
    """Write News14 and WCEP in the formats in which they are published, with a few articles."""
    (folder / "news14").mkdir()
    documents = [
        {
            "id": article.id,
            "date": f"{article.published.replace(year=2014):%Y-%m-%d %H:%M:%S}",
            "lang": "eng",
            "title": article.title,
            "text": article.text,
            "cluster": article.id.partition("-")[0],
        }
        for article in make_stream(9)
    ]
    for name, part in (("dev", documents[::2]), ("test", documents[1::2])):
        (folder / "news14" / f"dataset.{name}.json").write_text(json.dumps(part))
    (folder / "wcep").mkdir()
    places = [("train", 2018, "flood"), ("val", 2018, "trial"), ("test", 2019, "comet")]
    for name, year, topic in [*places, ("test", 2019, "strike")]:
        articles = [make_article(n, topic, day=n % 9, sentences=2) for n in range(50)]
        records = [
            {
                "time": article.published.replace(year=year).isoformat(),
                "title": article.title,
                "text": article.text,
                "url": f"https://news.example/{year}/{article.id}",
            }
            for article in articles
        ]
        story = {"id": f"{year}-{topic}", "summary": f"A {topic}.", "articles": records}
        with gzip.open(folder / "wcep" / f"{name}.jsonl.gz", "at") as file:
            file.write(json.dumps(story) + "\n")


@pytest.mark.parametrize("command", commands_in(PAPERS_FIGURES))
def test_the_commands_for_the_papers_figures_run(
    scstory,  # noqa: F811
    command,
    tiny_model,
    tmp_path,
    monkeypatch,
):
    """On small files in the published formats; the encoders are folders with these names."""
    write_papers_data(tmp_path)
    for name in ("all-roberta-large-v1", "sentence-t5-large"):
        shutil.copytree(tiny_model, tmp_path / name)
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(comparison, "tuning_grid", lambda name: tuning_grid(name)[:2])
    kind, *words = command.split()
    outcome = scstory(kind, *words)
    if kind == "data":
        assert outcome.code == 1  # these are not the paper's articles, and it says so
        assert outcome.out.startswith(f"{words[0]}: {44 if words[0] == 'news14' else 100} articles")
        assert "The paper has " in outcome.out
        return
    assert outcome.code == 0, outcome.err
    if kind == "evaluate":
        encoder = words[words.index("--encoder") + 1]
        assert outcome.out.startswith(f"{words[0].partition(':')[0]}: ")
        assert f"sentence-transformers:{encoder}, encoded in" in outcome.out
        assert "scstory (paper)" in outcome.out
    elif words[0] == "overall":
        for system in ("constream", "newslens", "batclus", "densps"):
            assert f"{system}+pse, tuned on labels" in outcome.out
    else:
        assert "without memory replay" in outcome.out


def test_the_papers_figures_need_each_data_set_with_each_encoder():
    commands = [command.split() for command in commands_in(PAPERS_FIGURES)]
    assert {kind for kind, *_ in commands} == {"data", "evaluate", "study"}
    evaluated = {(words[1], words[7]) for words in commands if words[0] == "evaluate"}
    data = ("news14:news14", "wcep18:wcep", "wcep19:wcep")
    assert evaluated == set(product(data, ("all-roberta-large-v1", "sentence-t5-large")))


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^\$ make (\w+)", README, re.MULTILINE)
    assert targets == ["demo", "test"]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_article_shown_is_one():
    (article,) = map(json.loads, blocks("json"))
    (decision,) = map(json.loads, blocks("json", page("run")))
    assert parse_article(article).title
    assert set(decision) == {"article", "story", "confidence", "new"}


def test_the_settings_shown_are_valid(tmp_path):
    (toml,) = blocks("toml", page("run"))
    (tmp_path / "s.toml").write_text(toml)
    settings = load_settings(config=str(tmp_path / "s.toml"))
    shown = tomllib.loads(toml)
    assert settings.db == shown["db"]
    assert settings.feeds == load_settings().feeds
    parameters = make_settings(settings.preset, settings.discovery)
    assert parameters == make_settings("default")  # what is shown are the defaults


def test_the_demo_shown_tells_the_samples_stories():
    (shown,) = blocks("text")
    titles = {item.article.title for item in load_sample()}
    headlines = re.findall(r"^#\d+ +(.*)$", shown, re.MULTILINE)
    assert headlines
    assert set(headlines) <= titles


def test_the_file_map_is_the_territory():
    listed = re.findall(r"^\| `([\w/]+)/` \|", README, re.MULTILINE)
    command = ["git", "ls-files"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [Path(line) for line in files.splitlines() if not line.startswith(".")]
    top = {path.parts[0] for path in paths if len(path.parts) > 1} - {"src"}
    stages = {"/".join(p.parts[:3]) for p in paths if p.parts[0] == "src" and len(p.parts) > 3}
    assert set(listed) == top | stages


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    """To files of the repository, or to pages of the site that are written from the code."""
    generated = runpy.run_path(str(ROOT / "tools" / "docs_site.py"))["generated_pages"]()
    text = path.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith("http") and target not in generated:
            assert (path.parent / target).exists(), target
    folders = "src|docs|tests|benchmarks|deploy|examples|tools"
    for named in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
        assert (ROOT / named).exists(), named


INSIDE = page("inside")


def test_the_files_named_inside_exist_and_none_is_left_out():
    named = set(re.findall(r"`([\w/]+\.py)`", INSIDE))
    missing = [path for path in named if not (ROOT / "src" / "scstory" / path).is_file()]
    assert not missing
    methods = ROOT / "src" / "scstory" / "discovery"
    for folder in ("paper", "calibrated"):
        files = {f"discovery/{folder}/{file.name}" for file in (methods / folder).glob("*.py")}
        helpers = {f"discovery/{folder}/{name}.py" for name in ("__init__",)}
        assert files - named - helpers <= {
            "discovery/paper/embedding.py",  # M applied to the window
            "discovery/paper/model_state.py",  # M in a checkpoint
        }


def test_one_article_passes_through_twenty_files_at_most():
    section = INSIDE.partition("## One article, file by file")[2].partition("\n## ")[0]
    files = re.findall(r"^\| `([\w/]+\.py)` \|", section, re.MULTILINE)
    folders = [path.rpartition("/")[0] for path in files]
    assert 10 < len(files) == len(set(files)) <= 20
    assert sum(one != other for one, other in pairwise(folders)) <= 10


@pytest.mark.parametrize("number", range(2, 11))
def test_the_file_of_each_equation_names_it(number):
    (path,) = re.findall(rf"^\| Eq\. {number}: .* \| `([\w/]+\.py)` \|$", INSIDE, re.MULTILINE)
    text = (ROOT / "src" / "scstory" / path).read_text("utf-8")
    assert text.startswith(f'"""Eq. {number}: ')
    assert len(text.splitlines()) <= 120
