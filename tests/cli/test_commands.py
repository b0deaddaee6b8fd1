"""The command line as scripts rely on it."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.cli.conftest import FAST, first_lines, lines
from tests.store.search.sample_store import write_sample


def test_run_prints_a_decision_a_line(scstory, articles):
    outcome = scstory("run", articles, "--json", *FAST)
    assert outcome.code == 0
    decided = lines(outcome)
    first = first_lines(decided)
    assert [set(d) for d in first] == [{"article", "story", "confidence", "new"}] * 40
    assert decided[0] == {"article": "a001", "story": 1, "confidence": 1.0, "new": True}
    assert "40 articles taken in" in outcome.err


def test_without_json_standard_output_stays_empty_and_there_is_no_bar(scstory, articles):
    outcome = scstory("run", articles, *FAST)
    assert outcome.out == ""
    assert outcome.err.count("\n") == 2
    assert "scstory.db now holds 40 articles of" in outcome.err
    assert "\x1b" not in outcome.err


def test_titles_and_summaries_are_in_the_language_asked_for(scstory, tmp_path):
    file = tmp_path / "two.jsonl"
    same = {"date": "2026-03-02T08:00:00Z", "text": ""}
    records = [
        {"id": "e", "title": "Heron of Aurel Vass gone from Lindgate Museum", **same},
        {"id": "d", "title": "Heron von Aurel Vass fort aus Lindgate Museum", "language": "de"}
        | same,
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    assert scstory("run", file, *FAST).code == 0
    (usual,) = lines(scstory("stories", "--json"))
    (german,) = lines(scstory("stories", "--json", "--language", "de"))
    assert (usual["language"], usual["title"]) == ("en", records[0]["title"])
    assert (german["language"], german["title"]) == ("de", records[1]["title"])
    assert [edition["language"] for edition in german["editions"]] == ["en"]
    shown = scstory("story", "1", "--language", "de-AT").out
    assert shown.startswith(records[1]["title"])
    outcome = scstory("stories", "--language", "german!")
    assert outcome.code != 0
    assert "language" in outcome.err


def test_running_again_takes_nothing_twice(scstory, articles, db):
    outcome = scstory("run", articles, "--json", *FAST)
    assert (outcome.code, outcome.out) == (0, "")
    assert "0 articles taken in, 0 new stories; 40 already known." in outcome.err


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_in_parts_or_at_once_is_the_same(scstory, articles, first_run, tmp_path, preset):
    whole = first_run
    if preset != "default":
        whole = scstory("run", articles, "--json", "--db", "a.db", "--preset", preset, *FAST)
    rows = articles.read_text().splitlines(keepends=True)
    # Cut between two days, so that both ways see the same slides.
    cut = next(i for i, row in enumerate(rows) if json.loads(row)["date"] >= "2026-03-05")
    parts = []
    for name, part in (("one", rows[:cut]), ("two", rows)):
        (tmp_path / f"{name}.jsonl").write_text("".join(part))
        parts += lines(
            scstory(
                "run",
                f"{name}.jsonl",
                "--json",
                "--db",
                "b.db",
                *FAST,
                *(("--preset", preset) if name == "one" else ()),
            )
        )
    if preset == "default":
        assert parts == lines(whole)
    # The paper's first window is cut short by the end of the first part; nothing is lost.
    assert sorted(d["article"] for d in parts) == sorted(d["article"] for d in lines(whole))


def test_a_killed_run_goes_on_as_if_nothing_had_happened(scstory, start, articles, first_run):
    expected = lines(first_run)
    decided, kills = [], 0
    for _ in range(30):
        process = start("run", articles, "--json", "--db", "b.db", *FAST)
        if kills < 3:
            decided.append(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            kills += 1
        rest, _ = process.communicate()
        decided += rest.splitlines(keepends=True)
        if process.returncode == 0:
            break
    listed = scstory("stories", "--json", "--all", "--db", first_run.db).out
    assert scstory("stories", "--json", "--all", "--db", "b.db").out == listed
    printed = [json.loads(line) for line in decided if line.strip()]
    assert printed
    assert all(line in expected for line in printed)


def test_interrupted_is_one_line(start, articles):
    process = start("run", "-", "--json", "--encoder", "hashing:64")
    process.stdin.write(articles.read_text())
    process.stdin.flush()
    assert process.stdout.readline()  # it is at work
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == (
        "scstory: stopped; decided articles are stored, the same command continues"
    )


def test_a_reader_that_stops_reading_is_no_error(articles, tmp_path):
    command = f"{sys.executable} -m scstory run {articles} --json {' '.join(FAST)} | head -n 1"
    outcome = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=tmp_path
    )
    assert outcome.stdout.count("\n") == 1
    assert "Traceback" not in outcome.stderr
    assert "Exception" not in outcome.stderr


def test_bad_lines_are_reported_with_their_place_and_counted(
    scstory, articles, first_run, tmp_path
):
    good = articles.read_text().splitlines()
    bad = [
        "{broken",
        json.dumps({"id": "x1", "title": "t", "text": "x"}),
        json.dumps({"id": "x2", "date": "soon", "title": "t", "text": "x"}),
        json.dumps({"id": "x3", "date": "2026-03-02", "title": "", "text": " "}),
        good[0],
        json.dumps({**json.loads(good[1]), "text": "Something else."}),
        json.dumps({"id": "x4", "date": "2026-03-02", "title": "t", "text": "x" * 5_000_000}),
        json.dumps({"id": "x5", "date": "2026-03-02", "title": "t", "text": "a\0b"}),
    ]
    (tmp_path / "mixed.jsonl").write_text("\n".join([*good[:2], *bad, *good[2:]]) + "\n")
    outcome = scstory("run", "mixed.jsonl", "--json", *FAST)
    assert outcome.code == 0
    assert outcome.out == first_run.out
    reported = outcome.err.splitlines()[:-2]
    # What repeats an id is found when the slide is accepted, the other faults when they are read.
    places = [line.split(": ")[0] for line in reported]
    assert sorted(places) == sorted(f"mixed.jsonl:{n}" for n in (3, 4, 5, 6, 8, 9, 10))
    assert any("mixed.jsonl:8: duplicate id 'a002'" in line for line in reported)
    assert "1 already known; 7 skipped (see above)" in outcome.err


def test_the_same_page_under_other_addresses_is_one_article(scstory, articles, tmp_path):
    rows = [json.loads(line) for line in articles.read_text().splitlines()]
    urls = [
        "https://www.example.com/news/dam?id=7",
        "http://example.com/news/dam?id=7",
        "example.com/news/dam?id=7&utm_source=feed",
        "https://example.com/news/dam/?utm_source=x&id=7#top",
    ]
    pages = [
        {**rows[n], "id": f"page {n}", "url": url, "title": f"Headline {n}", "text": f"Text {n}."}
        for n, url in enumerate(urls)
    ]
    copy = {**rows[5], "id": "copy", "title": "Another headline"}
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, [*rows[:10], *pages, copy])))
    outcome = scstory("run", "pages.jsonl", "--json", *FAST)
    assert outcome.code == 0
    decided = {line["article"] for line in lines(outcome)}
    assert decided == {row["id"] for row in rows[:10]} | {"page 0"}
    assert "11 articles taken in" in outcome.err
    assert "4 copies of other articles" in outcome.err
    assert json.loads(scstory("explain", "page 3", "--json").out)["article"] == "page 3"
    again = scstory("run", "pages.jsonl", *FAST)
    assert "0 articles taken in, 0 new stories; 15 already known." in again.err


def test_an_id_that_comes_back_with_another_text_is_reported(scstory, articles, tmp_path, db):
    record = json.loads(articles.read_text().splitlines()[0])
    (tmp_path / "again.jsonl").write_text(json.dumps({**record, "text": "Quite another."}))
    outcome = scstory("run", "again.jsonl", *FAST)
    assert "again.jsonl:1: duplicate id 'a001'; the first article of that id is used" in outcome.err


def test_a_damaged_file_is_failed_but_kept_as_far_as_it_goes(scstory, articles, tmp_path):
    import gzip

    content = gzip.compress(articles.read_bytes())
    (tmp_path / "cut.jsonl.gz").write_bytes(content[: len(content) // 2])
    outcome = scstory("run", "cut.jsonl.gz", "--json", *FAST)
    assert outcome.code == 1
    assert "damaged file" in outcome.err
    assert 0 < len(lines(outcome)) < 40


WRONG_KINDS = {
    "header.csv": (b"id,title\n", "no column is known as date"),
    "packed.jsonl": (b"\x1f\x8b\x08", "damaged file, the rest is unreadable"),
    "page.html": (b"<html><p>Nothing</p></html>", "is a web page"),
}


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_a_file_of_the_wrong_kind_costs_the_others_nothing(scstory, articles, tmp_path, name):
    content, reason = WRONG_KINDS[name]
    (tmp_path / name).write_bytes(content)
    rows = articles.read_text().splitlines(keepends=True)
    (tmp_path / "later.jsonl").write_text("".join(rows[6:10]))
    articles.write_text("".join(rows[:6]))
    outcome = scstory("run", articles, name, "later.jsonl", *FAST)
    assert outcome.code == 1
    reported, taken, holds = outcome.err.splitlines()
    assert reported.startswith(f"{name}: {reason}")
    assert taken.startswith("10 articles taken in")
    assert holds.startswith("scstory.db now holds 10 articles")


def test_the_new_stories_that_are_told_are_those_that_are_there(scstory, tmp_path):
    from scstory.sample import load_sample

    articles = [item.article for item in load_sample()]
    (tmp_path / "all.jsonl").write_text(
        "\n".join(
            json.dumps({"id": a.id, "date": str(a.published), "title": a.title, "text": a.text})
            for a in articles
        )
    )
    outcome = scstory("run", "all.jsonl", "--json", "--encoder", "hashing:64")
    listed = lines(scstory("stories", "--all", "--json"))
    there = [story["id"] for story in listed if story["size"]]
    founded = {d["story"] for d in lines(outcome) if d.get("new")}
    assert founded - set(there)  # some were emptied again
    assert f"122 articles taken in, {len(there)} new stories." in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "none.jsonl"), "none.jsonl: no such file; give a file, a folder"),
        (("run", "none/*.csv"), "none/*.csv: no file has such a name"),
        (("run", "articles.jsonl", "--map", "headline=x"), "--map headline=x: write FIELD=COLUMN"),
        (("run",), "no SOURCE"),
        (("run", "a", "--colour"), "No such option"),
        (("run", "articles.jsonl", "--preset", "best"), "preset 'best': there are paper, default"),
        (("run", "articles.jsonl", "--set", "delta"), "write NAME=VALUE"),
        (("run", "articles.jsonl", "--set", "delta=true"), "delta of 'true': must be a number"),
        (("run", "articles.jsonl", "--set", "delta=2"), "delta of 2.0: must be between 0 and 1"),
        (("run", "articles.jsonl", "--set", "window=0d"), "window of 0d: must be at least"),
        (("run", "articles.jsonl", "--config", "none.toml"), "none.toml: no such file"),
        (("run", "articles.jsonl", "--threads", "0"), "threads"),
        (
            ("stories", "--db", "none.db", "--limit", "0"),
            "Input should be greater than or equal to 1; see scstory stories --help",
        ),
        (("story", "one"), "Invalid value for 'story'"),
        (("nonsense",), "No such command 'nonsense'"),
        (("run", "articles.jsonl", "--db", "no/x.db"), "no/x.db: there is no folder"),
        (("run", "articles.jsonl", "--db", "."), ".: is a folder; name a file, as in ./scstory.db"),
        (
            ("run", "articles.jsonl", "--encoder", "hashing", "--device", "cuda"),
            "encoder hashing: runs on the CPU only, not on cuda",
        ),
    ],
)
def test_wrong_usage_exits_with_2_and_the_way_out(scstory, articles, arguments, message):
    outcome = scstory(*arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_a_store_keeps_the_parameters_it_was_created_with(scstory, articles, db):
    outcome = scstory("run", articles, "--set", "delta=0.9")
    assert outcome.code == 2
    assert "delta of 0.9: scstory.db was created with 0." in outcome.err
    outcome = scstory("run", articles, "--encoder", "hashing:32")
    assert outcome.code == 2
    assert "the saved state was made with hashing:64" in outcome.err
    assert scstory("run", articles).code == 0  # the store knows its encoder


def test_missing_database(scstory):
    for arguments in (("stories",), ("story", "1"), ("explain", "a001")):
        outcome = scstory(*arguments)
        assert outcome.code == 2
        assert "scstory.db: no such database; make one with: scstory run" in outcome.err


def test_stories(scstory, db):
    shown = scstory("stories", "--limit", "3")
    assert shown.code == 0
    assert shown.out.count("#") == 3
    listed = lines(scstory("stories", "--json"))
    assert {
        "id",
        "title",
        "title_article",
        "language",
        "editions",
        "keywords",
        "summary",
        "key_sentences",
        "milestones",
        "headlines",
        "first_seen",
        "last_seen",
        "size",
        "confidence",
        "active",
        "articles",
    } == set(listed[0])
    assert sum(story["size"] for story in listed) == 40
    assert all(s["size"] >= 2 for s in lines(scstory("stories", "--json", "--min-size", "2")))


def test_story(scstory, db):
    listed = lines(scstory("stories", "--json"))
    story = max(listed, key=lambda s: s["size"])
    shown = scstory("story", story["id"])
    assert story["title"] in shown.out.replace("\n", " ")
    whole = " ".join(shown.out.split())
    said = {quote["text"] for quote in (*story["summary"], *story["milestones"])}
    assert said
    assert all(text in whole for text in said)
    assert "Mar 2026" in shown.out
    (told,) = lines(scstory("story", story["id"], "--json"))
    assert [a["id"] for a in told["articles"]] == story["articles"]
    assert sum(s["weight"] for s in told["articles"][0]["sentences"]) == pytest.approx(1, abs=1e-3)
    outcome = scstory("story", 9999)
    assert outcome.code == 2
    assert "story 9999: not in scstory.db; scstory stories --all lists them" in outcome.err


def test_explain(scstory, db):
    shown = scstory("explain", "a030")
    assert "How story-indicative each sentence is" in shown.out
    assert "Runner-up stories" in shown.out
    (told,) = lines(scstory("explain", "a030", "--json"))
    assert told["article"] == "a030"
    assert told["runners_up"]
    assert told["sentences"][0]["text"]
    assert scstory("explain", "nobody").code == 2


def test_stories_of_a_paper_run(scstory, articles):
    outcome = scstory("run", articles, "--preset", "paper", "--json", *FAST)
    assert len(lines(outcome)) == 40
    assert scstory("explain", "a001").code == 0


def test_control_characters_do_not_reach_the_terminal(scstory, tmp_path):
    record = {
        "id": "e",
        "date": "2026-03-02",
        "title": "Bad \x1b[31mred\x07 title",
        "text": "Text \x1b]0;owned\x07 here.",
    }
    (tmp_path / "evil.jsonl").write_text(json.dumps(record))
    scstory("run", "evil.jsonl", *FAST)
    for arguments in (("stories",), ("story", 1), ("explain", "e")):
        assert "\x1b" not in scstory(*arguments).out
        assert "\x07" not in scstory(*arguments).out


def test_csv_from_standard_input_is_json_lines_only(scstory, articles, monkeypatch):
    with articles.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": file}))
        outcome = scstory("run", "-", "--json", *FAST)
    assert len(first_lines(lines(outcome))) == 40


def test_version_and_help(scstory):
    assert scstory("--version").out.startswith("scstory 0.")
    for arguments in ((), ("--help",), ("run", "--help"), ("stories", "-h")):
        assert "Usage" in scstory(*arguments).out + scstory(*arguments).err


def test_a_group_without_a_command_lists_them(scstory):
    outcome = scstory("feeds")
    assert outcome.code == 2
    assert "\n  add " in outcome.err


def test_help_does_not_wait_for_heavy_imports():
    code = (
        "import sys, scstory.cli; "
        "print([m for m in ('torch', 'numpy', 'onnxruntime', 'pydantic', 'rich') "
        "if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_hash_seeds_do_not_change_what_is_stored(scstory, articles):
    listed = []
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-m", "scstory", "run", articles, *FAST, "--db", f"{seed}.db"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        listed.append(scstory("stories", "--all", "--json", "--db", f"{seed}.db").out)
    assert listed[0] == listed[1] != ""


@pytest.mark.parametrize(
    "arguments", [("story", "9" * 25), ("explain", "\udcff"), ("explain", "a\x1b[31m")]
)
def test_odd_arguments_are_one_line(scstory, db, arguments):
    outcome = scstory(*arguments)
    assert outcome.code == 2
    assert "not in scstory.db" in outcome.err
    assert "\x1b" not in outcome.err


def test_a_pipe_is_read_like_a_file(scstory, articles, first_run):
    """As a shell's <(command) gives it: it has a name, and is read once."""
    end, to_end = os.pipe()
    writer = threading.Thread(target=lambda: os.fdopen(to_end, "wb").write(articles.read_bytes()))
    writer.start()
    outcome = scstory("run", f"/dev/fd/{end}", "--json", *FAST)
    writer.join()
    os.close(end)
    assert (outcome.code, outcome.out) == (0, first_run.out)


def test_an_empty_database_name_is_refused(scstory, articles, monkeypatch):
    monkeypatch.setenv("SCSTORY_DB", "")
    outcome = scstory("run", articles, *FAST)
    assert outcome.code == 2
    assert "database '': give the path of a file" in outcome.err


def test_a_fault_of_our_own_is_one_line_that_says_where(scstory, db, monkeypatch):
    from scstory.store import Store

    def broken(self, **options):
        return {}["no such\nkey"]

    monkeypatch.setattr(Store, "stories", broken)
    outcome = scstory("stories")
    assert outcome.code == 1
    assert outcome.err.startswith("scstory: internal error, please report it: KeyError")
    assert "(at test_commands.py:" in outcome.err
    assert " < stories.py:" in outcome.err
    assert outcome.err.count("\n") == 1


def test_stories_are_searched(scstory, tmp_path):
    db = str(tmp_path / "sample.db")
    write_sample(db)
    outcome = scstory("stories", "--db", db, "--search", '"ferry strike" -teachers')
    assert outcome.code == 0
    assert "1 story found" in outcome.out
    assert "Judge refuses to halt ferry strike" in outcome.out
    (line,) = scstory(
        "stories", "--db", db, "-s", "ferry strike sailing", "--json"
    ).out.splitlines()
    assert "all eleven ferries were tied up" in json.loads(line)["snippet"]
    outcome = scstory("stories", "--db", db, "--search", "ferrry strike")
    assert outcome.out == (
        "No story found. No article has: ferrry.\n"
        f"Did you mean: scstory stories --search 'ferry strike' --db {db}\n"
    )
    outcome = scstory("stories", "--db", db, "--search", "since:soon")
    assert (outcome.code, outcome.out) == (2, "")
    assert "since:soon: write a date like since:2026-03-03" in outcome.err


def test_places_are_no_pictures(scstory, tmp_path):
    (tmp_path / "[red]a.jsonl").write_text("\n" * 99 + "{}\n")
    outcome = scstory("run", "[red]a.jsonl", *FAST)
    assert outcome.err.startswith("[red]a.jsonl:100: neither title nor text")


@pytest.mark.parametrize("columns", [40, 80])
def test_help_is_never_cut(scstory, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in (("--help",), ("feeds", "--help"), ("cluster", "--help")):
        shown = scstory(*arguments).out
        assert "..." not in shown.replace("[ARGS]...", "")
        assert all(len(line) <= max(columns, 50) for line in shown.splitlines())


def test_hints_repeat_the_database(scstory, db):
    os.rename(db, "other.db")
    assert "scstory story ID --db other.db\n" in scstory("stories", "--db", "other.db").out
    assert "explain ARTICLE --db other.db\n" in scstory("story", "1", "--db", "other.db").out
    assert "scstory stories --all --db other.db" in scstory("story", "999", "--db", "other.db").err
    assert "feeds add URL --db other.db" in scstory("feeds", "list", "--db", "other.db").out


def test_a_narrow_terminal_gets_narrow_lines(scstory, db, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    for arguments in (("stories", "--all"), ("story", "1")):
        shown = scstory(*arguments).out.splitlines()
        assert all(len(line) <= 40 for line in shown if " scstory " not in line)
