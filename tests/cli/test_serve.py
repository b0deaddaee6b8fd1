"""``scstory serve`` as a process: started, asked, stopped by a signal."""

import os
import re
import signal
import socket
import threading
from contextlib import contextmanager

import httpx2
import pytest

from scstory.store import open_store
from tests.processes import Command
from tests.serve.conftest import record_of, tell, until

TOKEN = "a-token-for-tests"
AUTHORISED = {"Authorization": f"Bearer {TOKEN}"}


class Served:
    """A running `scstory serve`, its address and what it said."""

    def __init__(self, *arguments, token=TOKEN):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        environment.pop("SCSTORY_TOKEN", None)
        if token:
            environment["SCSTORY_TOKEN"] = token
        self.process = Command("serve", "--port", "0", *arguments, env=environment)
        self.said = []
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()
        self.address = until(self._address, seconds=60)
        # Who was told where it is may come at once, and is let wait until all is ready.
        assert httpx2.get(f"{self.address}/readyz", timeout=30).status_code == 200

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def _address(self):
        assert self.process.poll() is None, self.said
        found = re.search(r"http://\S+:\d+", " ".join(self.said))
        return found and found[0]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(20)
        self._listener.join()
        self.process.close()
        return code


@contextmanager
def serving(*arguments, **options):
    served = Served(*arguments, **options)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.stop()


def test_what_was_accepted_is_there_after_a_stop(tmp_path):
    db = tmp_path / "news.db"
    articles = [record_of(tell(i, topic)) for i in range(5) for topic in ("flood", "trial")]
    with serving("--db", db, "--encoder", "hashing") as served:
        answer = httpx2.post(f"{served.address}/api/articles", json=articles, headers=AUTHORISED)
        assert answer.status_code == 202
        # Stopped at once, with a listener connected: whatever is not decided on yet must wait.
        with httpx2.stream("GET", f"{served.address}/api/events", timeout=30) as stream:
            next(stream.iter_lines())
            assert served.stop(signal.SIGINT) == 0
    assert not [line for line in served.said if "Traceback" in line]
    store = open_store(str(db), create=False)
    kept = store.counts()[0] + len(store.pending(100))
    store.close()
    assert kept == len(articles)


def test_beside_a_writer_elsewhere(scstory, tmp_path):
    db = tmp_path / "news.db"
    with serving("--db", db, "--encoder", "hashing") as writer:
        articles = [record_of(tell(i, "flood")) for i in range(4)]
        httpx2.post(f"{writer.address}/api/articles", json=articles, headers=AUTHORISED)
        until(lambda: httpx2.get(f"{writer.address}/api/stories?state=all").json()["stories"])
        second = scstory("serve", "--port", "0", "--db", db)
        assert second.code == 1
        assert "is its writer; stop it" in second.err
        assert len(second.err.splitlines()) == 1
        with serving("--db", db, "--read-only") as reader:
            found = httpx2.get(f"{reader.address}/api/stories?state=all").json()["stories"]
            assert found
            posted = httpx2.post(f"{reader.address}/api/articles", json={}, headers=AUTHORISED)
            assert posted.status_code == 403
            text = {"title": articles[0]["title"], "text": articles[0]["text"]}
            placed = httpx2.post(f"{reader.address}/api/match", json=text, timeout=60)
            assert placed.json()["story"] == found[0]["id"]
            more = record_of(tell(9, "comet"))
            httpx2.post(f"{writer.address}/api/articles", json=more, headers=AUTHORISED)
            until(lambda: httpx2.get(f"{reader.address}/api/articles/comet-9").status_code == 200)


def test_the_demo_is_alive_within_seconds_and_leaves_nothing(tmp_path):
    with serving("--demo", "--encoder", "hashing", token=None) as served:
        until(lambda: httpx2.get(f"{served.address}/api/stories?min_size=2").json()["stories"])
        assert "A demonstration" in httpx2.get(served.address).text
        said = " ".join(served.said)
        token = re.search(r"shown once[^:]*: (\S+)", said)[1]
        answer = httpx2.post(
            f"{served.address}/api/articles",
            json=record_of(tell(1, "flood")),
            headers={"Authorization": f"Bearer {token}"},
        )
        assert answer.status_code == 202
        assert served.stop() == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--demo", "--db", "x.db"], "--demo"),
        (["--read-only", "--db", "none.db"], "none.db"),
        (["--port", "70000"], "--port"),
        (["--host", "no such host"], "host"),
    ],
    ids=str,
)
def test_wrong_usage_is_one_line(scstory, arguments, says):
    outcome = scstory("serve", *arguments)
    assert outcome.code == 2
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_port_that_is_taken_is_one_line(scstory):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = scstory("serve", "--port", port, "--encoder", "hashing")
    assert outcome.code == 2
    assert f"port {port}" in outcome.err
    assert "--port" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_short_token_is_refused(scstory, monkeypatch):
    monkeypatch.setenv("SCSTORY_TOKEN", "short")
    outcome = scstory("serve", "--port", "0")
    assert outcome.code == 2
    assert "token" in outcome.err
    assert "'short'" not in outcome.err
