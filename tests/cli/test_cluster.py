"""``scstory cluster`` and ``--runner ray``: plans, and what is said when there is no Ray."""

import json
import socket

import pytest


@pytest.fixture(autouse=True)
def no_ray_around(tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


def test_a_plan(scstory):
    done = scstory("cluster", "plan", "--articles-per-day", 10_000_000, "--burst", 100_000)
    assert done.code == 0
    assert "115.7 on average, 231.5 at the peak" in done.out
    assert "after the burst" in done.out
    assert "This is a simulation with measured costs" in done.out


def test_a_plan_as_json(scstory):
    done = scstory(
        *("cluster", "plan", "--articles-per-day", 20_000, "--json"),
        *("--cost", "database_kb=10", "--lag", "1m"),
    )
    found = json.loads(done.out)
    assert found["plan"]["disk_gb_day"] == pytest.approx(0.2)
    assert found["plan"]["outcome"]["lag"] <= 60
    assert found["costs"]["database_kb"] == 10


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("auto", "this machine is part of no cluster"),
        ("nonsense", "write HOST:PORT"),
        ("127.0.0.1:1", "Connection refused"),
        ("ray://127.0.0.1:1", "Connection refused"),
    ],
)
def test_ray_that_is_not_there_is_said_in_a_line(scstory, articles, address, said):
    done = scstory("run", articles, "--runner", "ray", "--ray-address", address)
    assert done.code == 1
    assert done.err.startswith(f"scstory: Ray at {address}: cannot be reached (")
    assert said in done.err
    assert "scstory cluster start" in done.err
    assert len(done.err.splitlines()) == 1


def test_joining_nothing(scstory):
    done = scstory("cluster", "join", "127.0.0.1:1")
    assert (done.code, done.out) == (1, "")
    assert "no cluster at 127.0.0.1:1" in done.err


def test_a_port_that_is_taken(scstory):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = scstory("cluster", "start", "--host", "127.0.0.1", "--port", port)
    assert done.code == 1
    assert f"port {port}: is in use; name another with --port" in done.err


def test_other_runners_there_are_not(scstory, articles):
    done = scstory("run", articles, "--runner", "bay")
    assert done.code == 2
    assert "setting runner: Input should be 'local' or 'ray'" in done.err
