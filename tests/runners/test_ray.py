"""Encoders on Ray: the same result as without, whoever dies, comes or goes on the way.

A real cluster of real processes on the loopback, started as a user would.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from importlib.util import find_spec

import pytest

from scstory.config import Settings
from scstory.discovery.state import dump_state
from scstory.errors import ClusterError
from scstory.runners import Writer, opened, ray_encoder, run
from scstory.runners.cluster import connect, nodes
from scstory.runners.listener import Listener
from scstory.runners.ray_encoder import RayEncoder
from scstory.sample import load_sample
from scstory.store import open_store
from scstory.vectors import Prefetcher, Unencodable, encode_articles
from scstory.vectors.hashing import HashingEncoder
from scstory.vectors.remote import RemoteEncoder
from tests.conftest import make_article, make_distinct
from tests.discovery.engines import make
from tests.processes import Command
from tests.runners.test_run_sources import Listed

# Not by importing it: Ray reads its variables when it is imported.
if find_spec("ray") is None:
    pytest.skip("Ray is not installed: pip install 'scstory[ray]'", allow_module_level=True)

HEAD, OTHER = "127.0.0.2", "127.0.0.3"
"""Both are this machine, by the loopback."""
SPEC = "hashing:64"
STREAM = make_distinct(6)


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


class Machine:
    """A machine of the cluster: `scstory cluster start` or `join` as a process."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "scstory", "cluster", *arguments, "--cpus", "1"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.said = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        until(lambda: self.process.poll() is not None or "Ctrl-C" in "".join(self.said))
        assert self.process.poll() is None, self.said

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


@pytest.fixture(scope="module")
def address():
    before = os.environ.copy()
    with socket.create_server((HEAD, 0)) as free:
        port = free.getsockname()[1]
    with Machine("start", "--host", HEAD, "--port", str(port)) as head:
        disconnect = connect(f"{HEAD}:{port}")
        yield f"{HEAD}:{port}"
        disconnect()
    assert head.process.returncode == 0
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def pool(address, monkeypatch):
    """Give what makes pools, and close them."""
    monkeypatch.setattr(ray_encoder, "LOOK", 0.1)
    made = []

    def make_pool(**options):
        made.append(RayEncoder(options.pop("spec", SPEC), address=address, **options))
        return made[-1]

    yield make_pool
    for one in made:
        if not one._closed.is_set():
            one.close()


def ahead_of(pool, **options):
    return Prefetcher(
        pool, lanes=lambda: pool.lanes, most_lanes=8, **{"at_once": pool.at_once, **options}
    )


def outcome(path, articles, **settings):
    """Return all that a run leaves: stories, decisions, what is parked, the engine."""
    settings = Settings(encoder=SPEC, discovery={"batch_size": 16, "window": "3d"}, **settings)
    store = open_store(str(path))
    with opened(store, settings) as (engine, encoding):
        run([Listed(articles)], engine, store, encoding=encoding)
    return left_by(store)


def left_by(store):
    stories = [replace(story, last_event=0) for story in store.stories()]
    decided = [store.article(a) for story in stories for a in story.articles]
    found = stories, decided, [p.reason for p in store.parked()], dump_state(store.state())
    store.close()
    return found


def test_the_result_is_the_local_runners_to_the_last_bit(tmp_path, address):
    expected = outcome(tmp_path / "local.db", STREAM)
    assert len(expected[1]) == len(STREAM)
    assert outcome(tmp_path / "ray.db", STREAM, runner="ray", ray_address=address) == expected


def test_the_default_encoder_is_the_same_there_as_here(pool, minilm):
    there = pool(spec=None)
    assert (there.name, there.dim) == (minilm.name, minilm.dim)
    articles = [item.article for item in load_sample()[:4]]
    for one, other in zip(
        encode_articles(articles, there), encode_articles(articles, minilm), strict=True
    ):
        assert one.vectors.tobytes() == other.vectors.tobytes()


def test_what_cannot_be_encoded_is_told_and_what_kills_is_given_up(pool):
    class Odd(RemoteEncoder):
        def encode(self, sentences):
            if any("unencodable" in sentence for sentence in sentences):
                raise ValueError("cannot encode this")
            if any("deadly" in sentence for sentence in sentences):
                os._exit(1)
            return super().encode(sentences)

    texts = ["Fine.", "Quite unencodable.", "Really deadly.", "Good."]
    articles = [make_article(n, "flood") for n in range(4)]
    articles = [
        type(a)(a.id, a.published, a.title, t) for a, t in zip(articles, texts, strict=True)
    ]
    found = ahead_of(pool(worker=Odd)).encode(articles)
    errors = [str(one.error) if isinstance(one, Unencodable) else None for one in found]
    assert errors == [
        None,
        "cannot encode this",
        "the encoder's process died over it, 3 times",
        None,
    ]


def test_an_encoder_killed_during_a_run_changes_nothing(tmp_path, pool):
    class Slow(RemoteEncoder):
        def pid(self):
            return os.getpid()

        def encode(self, sentences):
            time.sleep(0.05)
            return super().encode(sentences)

    import ray

    there, killed = pool(worker=Slow), []
    ((worker,),) = there._workers.values()

    def pid():
        try:
            return ray.get(worker.actor.pid.remote())
        except ray.exceptions.RayActorError:  # it is being started again
            return None

    class Killing(Listener):
        def step(self, step):
            if len(killed) < 2:
                killed.append(until(pid))
                os.kill(killed[-1], signal.SIGKILL)

    store = open_store(str(tmp_path / "a.db"))
    engine = make(encoder=there, window="3d")
    run([Listed(STREAM)], engine, store, encoding=ahead_of(there, at_once=4), listener=Killing())
    assert len(set(killed)) == 2
    expected = open_store(str(tmp_path / "b.db"))
    run([Listed(STREAM)], make(encoder=HashingEncoder(dim=64), window="3d"), expected)
    assert left_by(store) == left_by(expected)


def test_machines_come_and_go(pool, address):
    class Slow(RemoteEncoder):
        def encode(self, sentences):
            time.sleep(0.2)
            return super().encode(sentences)

    class Different(RemoteEncoder):
        def encode(self, sentences):
            import ray

            off = 0 if ray.util.get_node_ip_address() == "127.0.0.2" else 1e-7
            return super().encode(sentences) + off

    class OnGpu(RemoteEncoder):
        def __init__(self, spec, threads, device):
            assert device == "cuda"
            super().__init__("hashing:64", threads, None)

    there = pool(worker=Slow)
    assert there.lanes == 1
    with Machine("join", address, "--host", OTHER, "--gpus", "1") as other:
        until(lambda: there.lanes == 2)
        found = [(node.address, node.cpus, node.head) for node in nodes()]
        assert found == [(HEAD, 1, True), (OTHER, 1, False)]
        there.close()

        gpu = pool(spec="minilm", worker=OnGpu)  # which can use a GPU, and there is one
        assert [w.node.address for some in gpu._workers.values() for w in some] == [OTHER]
        assert (gpu.lanes, gpu.at_once) == (1, ray_encoder.BATCH_GPU)
        gpu.close()

        problems = []
        unlike = pool(worker=Different, on_problem=problems.append)
        until(lambda: problems)
        assert re.match(r"machine \S+ encodes differently .*; it is not used", problems[0])
        assert unlike.lanes == 1
        unlike.close()

        there, articles = pool(worker=Slow), make_distinct(10)
        until(lambda: there.lanes == 2)
        ahead = ahead_of(there, at_once=2)
        ahead.expect(articles)
        until(lambda: not there._free)  # both are at it
        assert other.stop() == 0
        found = ahead.encode(articles)
    expected = encode_articles(articles, HashingEncoder(dim=64))
    assert [m.vectors.tobytes() for m in found] == [m.vectors.tobytes() for m in expected]
    until(lambda: there.lanes == 1)


def test_a_burst_floods_nothing_and_is_decided_on(tmp_path, pool):
    waiting, limit = 100_000, 64
    store = open_store(str(tmp_path / "a.db"))
    rows = (
        (f"b{n}", f"2026-03-02T08:{n % 60:02}:00+00:00", f"News {n}", f"Line {n}.")
        for n in range(waiting)
    )
    store.accept([make_article(0, "flood")])
    columns = "id, published, title, text"
    insert = f"INSERT INTO inbox ({columns}) VALUES (?, ?, ?, ?)"
    store.db.write(lambda: store.db.run_many(insert, rows))
    there = pool()
    encoding = ahead_of(there)
    writer = Writer(make(encoder=there), store, encoding=encoding)
    bound = limit + max(limit, 2 * there.lanes * there.at_once)
    for step in range(1, 5):
        assert len(writer.step(limit).articles) == limit
        assert len(encoding._held) <= bound
        assert encoding._threads._work_queue.qsize() <= bound
        assert store.counts()[0] == step * limit


def test_no_encoder_is_said_after_a_while(pool, monkeypatch):
    class Doomed(RemoteEncoder):
        def encode(self, sentences):
            os._exit(1)

    class Broken(RemoteEncoder):
        def __init__(self, *arguments):
            raise OSError("no weights here")

    with pytest.raises(ClusterError, match="a machine has no encoder .*no weights here"):
        pool(worker=Broken)
    with pytest.raises(ClusterError, match="device cuda: no machine of the cluster has a GPU"):
        pool(device="cuda")
    monkeypatch.setattr(ray_encoder, "MAX_WITHOUT_ENCODER", 3.0)
    with pytest.raises(ClusterError, match="no encoder in the cluster for 3 seconds"):
        pool(worker=Doomed)


def test_the_writer_killed_during_a_run_goes_on_when_started_again(tmp_path, address):
    file = tmp_path / "stream.jsonl"
    rows = [
        {
            "id": a.id,
            "date": a.published.isoformat(),
            "title": a.title,
            "text": a.text,
            "source": a.source,
        }
        for a in make_distinct(10)
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    settings = ("--encoder", SPEC, "--set", "batch_size=16", "--set", "window=3d", "--json")
    command = ("run", file, *settings, "--db", tmp_path / "r.db")
    command += ("--runner", "ray", "--ray-address", address)
    writer = Command(*command)
    assert writer.stdout.readline()
    writer.close()
    store = open_store(str(tmp_path / "r.db"), create=False)
    taken = store.counts()[0]
    store.close()
    assert 0 < taken < len(rows)
    again = Command(*command)
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert f"{len(rows) - taken} articles taken in" in err
    decided = [json.loads(line)["article"] for line in out.splitlines()]
    assert set(decided) >= {row["id"] for row in rows[taken:]}
    local = Command("run", file, *settings, "--db", tmp_path / "l.db")
    local.communicate(timeout=120)
    assert local.returncode == 0
    found, expected = (left_by(open_store(str(tmp_path / name))) for name in ("r.db", "l.db"))
    assert found == expected
