"""`scstory run` on files of others: what it says of them, what it refuses, and what it leaves."""

import json

import pytest

from tests.cli.conftest import FAST, lines


@pytest.mark.parametrize(
    "body", ["", "{}\n", '{"id": "x", "date": "soon", "title": "T", "text": "x"}\n' * 3]
)
def test_nothing_usable_fails_and_leaves_no_database(scstory, tmp_path, body):
    (tmp_path / "bad.jsonl").write_text(body)
    outcome = scstory("run", "bad.jsonl", "--db", "news.db", *FAST)
    assert outcome.code == 1
    assert outcome.err.splitlines()[-1].startswith("scstory: bad.jsonl: no usable article")
    assert not list(tmp_path.glob("news.db*"))


def test_nothing_usable_leaves_a_database_as_it_is(scstory, db, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}\n")
    outcome = scstory("run", "bad.jsonl", *FAST)
    assert outcome.code == 1
    assert "scstory.db now holds 40 articles" in outcome.err
    assert outcome.err.endswith("no usable article (1 skipped, see above); nothing was stored\n")


def test_boilerplate_is_named_and_refused(scstory, tmp_path):
    rows = [
        {
            "date": "2026-03-02",
            "title": f"T {n}",
            "text": "Sign up.",
            "url": f"https://w.example/{n}",
        }
        for n in range(4)
    ]
    rows.append(
        {**rows[0], "url": "https://w.example/x", "title": "Alder rises", "text": "It did."}
    )
    (tmp_path / "a.json").write_text(json.dumps(rows))
    outcome = scstory("run", "a.json", "--json", *FAST)
    assert outcome.code == 0
    assert {line["article"] for line in lines(outcome)} == {"w.example/x"}
    assert "a.json item 1: the same text stands under 3 or more addresses" in outcome.err
    assert "1 article taken in, 1 new story; 4 skipped (see above)." in outcome.err


def test_nothing_but_boilerplate_leaves_no_database(scstory, tmp_path):
    rows = [
        {
            "date": f"2026-03-0{n}",
            "title": f"T {n}",
            "text": "Sign up.",
            "url": f"https://w.example/{n}",
        }
        for n in range(1, 5)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    outcome = scstory("run", "a.json", "--db", "news.db", *FAST)
    assert outcome.code == 1
    assert outcome.err.endswith(
        "scstory: a.json: no usable article (4 skipped, see above); nothing was stored\n"
    )
    assert not list(tmp_path.glob("news.db*"))


def test_headlines_are_counted_and_columns_are_shown_once(scstory, tmp_path):
    table = "Headline;Published At\n" + "".join(
        f"Alder report number {n} of the day;0{n}.03.2026\n" for n in range(1, 6)
    )
    (tmp_path / "a.csv").write_text(table)
    outcome = scstory("run", "a.csv", "--db", "my news.db", *FAST)
    assert outcome.code == 0
    shown, taken, holds = outcome.err.splitlines()
    assert shown == (
        "a.csv: read: date ← Published At, title ← Headline; id made from the address or the text"
    )
    assert taken.startswith("5 articles taken in (all headlines without text), ")
    assert holds.endswith("scstory stories --db 'my news.db'")
    again = scstory("run", "a.csv", "--db", "my news.db", *FAST)
    assert "5 already known" in again.err


def test_a_column_of_texts_under_an_unknown_name_is_named(scstory, tmp_path):
    table = "Titel;Datum;Körper;Ort\nDamm bricht;03.03.2026;Der Damm brach am Morgen.;Kelby\n"
    (tmp_path / "a.csv").write_text(table)
    shown, *_ = scstory("run", "a.csv", *FAST).err.splitlines()
    assert shown.endswith("; no text; --map text=NAME takes it from Körper")
    chosen = scstory("run", "a.csv", "--map", "text=Körper", "--db", "other.db", *FAST)
    assert "text ← Körper" in chosen.err
    assert "no text" not in chosen.err


def test_what_holds_for_many_files_is_said_of_the_first(scstory, tmp_path):
    (tmp_path / "news").mkdir()
    for n in range(1, 6):
        text = "date,Headline\n2026-03-0{n},Alder rises by {n} metres\n"
        (tmp_path / "news" / f"{n}.csv").write_text(text.format(n=n))
    (tmp_path / "news" / "6.csv").write_text("date,Titel\n2026-03-06,Alder sinkt\n")
    outcome = scstory("run", "news", *FAST)
    assert [line.partition(":")[0] for line in outcome.err.splitlines() if "read:" in line] == [
        "news/1.csv",
        "news/6.csv",
    ]


def test_columns_may_be_named(scstory, tmp_path):
    (tmp_path / "a.csv").write_text("Titre,A,B,when\nx,Alder rises,It rose.,2026-03-02\n")
    outcome = scstory("run", "a.csv", "--map", "title=A", "--map", "text=b", "--map", "date=when")
    assert "a.csv: read: date ← when, title ← A, text ← B; id made" in outcome.err
    for wrong in ("title=C", "title=", "name=A"):
        outcome = scstory("run", "a.csv", "--map", wrong, "--db", "other.db", *FAST)
        assert outcome.code in (1, 2)
        assert "--map" in outcome.err


def test_many_problems_of_one_kind_are_summed_up(scstory, articles, tmp_path):
    bad = "".join(f'{{"id": "{n}", "title": "T", "date": "day {n}"}}\n' for n in range(250))
    (tmp_path / "bad.jsonl").write_text(bad)
    outcome = scstory("run", "bad.jsonl", articles, *FAST)
    reported = [line for line in outcome.err.splitlines() if "unreadable date" in line]
    assert len(reported) == 22
    assert reported[20].startswith("80 more like it, the last: bad.jsonl:100: unreadable date")
    assert reported[21].startswith("150 more like it, the last: bad.jsonl:250: unreadable date")
    assert "250 skipped (see above)" in outcome.err
