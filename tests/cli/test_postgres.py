"""The commands on a PostgreSQL server, alone and several at once."""

import json
import re
import signal
import subprocess
import sys

import httpx2
import pytest

from scstory.store import open_store
from tests.cli.conftest import FAST
from tests.cli.test_feeds import full, read
from tests.cli.test_serve import AUTHORISED, serving
from tests.postgres import raw
from tests.serve.conftest import record_of, tell, until
from tests.web import rss


@pytest.fixture
def address(postgres):
    address = postgres.make()
    yield address
    postgres.drop(address)


def test_commands_do_the_same_on_both(scstory, articles, address):
    shown = re.escape(open_store(address).name)
    hint = f" --db '?({shown}|a.db)'?"  # suggested commands repeat it
    printed = {}
    for db in ("a.db", address):
        outcome = scstory("run", articles, "--json", "--db", db, *FAST)
        assert outcome.code == 0
        assert re.search(f"({shown}|a.db) now holds 40 articles", outcome.err)
        first = json.loads(outcome.out.splitlines()[0])["article"]
        printed[db] = [
            outcome.out,
            scstory("run", articles, "--json", "--db", db).out,
            scstory("stories", "--all", "--json", "--db", db).out,
            re.sub(hint, "", scstory("story", "1", "--db", db).out),
            scstory("explain", first, "--db", db).out,
            scstory("doctor", "--db", db).out.partition("\n")[2],
            re.sub(hint, "", scstory("feeds", "list", "--db", db).out),
            scstory("compact", "--older-than", "1d", "--db", db).out.partition(" MB")[0][-4:],
            scstory("stories", "--all", "--json", "--db", db).out,
        ]
    assert all("Traceback" not in out for out in printed[address])
    assert printed[address][:-2] == printed["a.db"][:-2]
    assert printed[address][-1] == printed["a.db"][-1]


def test_refusals_are_one_line(scstory, articles, address, postgres):
    for arguments, code, reason in (
        (("backup", "copy.db", "--db", address), 2, "pg_dump"),
        (("stories", "--db", address), 2, "nothing is there yet"),
        (("demo", "--db", address), 2, "name a path"),
        (("run", articles, "--db", "postgresql://ann:se@cret@h/n"), 2, "%40 for @"),
        (("run", articles, "--db", "postgresql://ann:secret@127.0.0.1:1/n"), 1, "refused"),
    ):
        if arguments[0] == "backup":
            open_store(address).close()
        outcome = scstory(*arguments)
        assert outcome.code == code
        assert reason in outcome.err
        assert len(outcome.err.splitlines()) == 1
        assert "cret" not in outcome.err
        if arguments[0] == "backup":
            postgres.drop(address)
            postgres.do(f"CREATE DATABASE {address.partition('?')[0].rpartition('/')[2]}")


def test_without_psycopg_the_way_out_is_told():
    program = "import sys; sys.modules['psycopg'] = None; from scstory.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "stories", "--db", "postgresql://ann:secret@h/n"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "pip install 'scstory[postgres]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr


def test_a_second_service_stands_by_and_takes_over(scstory, articles, address, postgres):
    """Both answer and take articles; the first decides, and when it is killed the second does."""

    def post(service, article):
        answer = httpx2.post(
            f"{service.address}/api/articles", json=record_of(article), headers=AUTHORISED
        )
        assert answer.status_code == 202

    def decided(service, article):
        answer = httpx2.get(f"{service.address}/api/articles/{article.id}", timeout=60)
        return answer.status_code == 200 and answer.json()["story"]

    def is_writer(service):
        return "scstory_writer 1.0" in httpx2.get(f"{service.address}/metrics").text

    one, two, three, four = (tell(number, "flood") for number in range(4))
    with serving("--db", address, "--encoder", "hashing") as first:
        post(first, one)
        until(lambda: decided(first, one))
        with serving("--db", address, "--encoder", "hashing") as second:
            assert any("standing by: " in line and "is its writer" in line for line in second.said)
            assert is_writer(first)
            assert not is_writer(second)
            post(second, two)
            until(lambda: decided(second, two))
            text = {"title": one.title, "text": one.text}
            placed = httpx2.post(f"{second.address}/api/match", json=text, timeout=60).json()
            assert placed["story"] == decided(first, one)
            outcome = scstory("run", articles, "--db", address)
            assert outcome.code == 0
            assert re.match(r"postgresql://.*: \S+:\d+ is its writer, so these", outcome.err)
            first.process.kill()
            until(lambda: is_writer(second), seconds=60)
            post(second, three)
            until(lambda: decided(second, three))
            assert any("taken over" in line for line in second.said)
            postgres.stop()
            postgres.start()
            post(second, four)
            until(lambda: decided(second, four), seconds=60)
        first.process.wait()
    store = open_store(address, create=False)
    assert store.counts()[0] == 44
    assert store.check().problems == ()
    store.close()


def test_following_stands_by_until_the_other_ends(start, site, address, monkeypatch):
    monkeypatch.setenv("SCSTORY_FEEDS__ALLOW_PRIVATE", "true")
    site.pages["/feed"] = rss(full(1))
    holder = open_store(address)
    holder.claim()
    process = start("run", "--follow", f"{site.url}/feed", "--json", "--db", address, *FAST)
    said = process.stderr.readline()
    assert said.startswith("standing by: ")
    assert "is its writer" in said
    holder.close()
    assert read(process, 1)[0]["new"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert raw(address).value("SELECT count(*) FROM articles") == 1
