"""What is said while it happens: events, webhooks."""

import asyncio
import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx2
import pytest

from scstory.serve.events import Hub
from scstory.store.store_reader import SharedReader
from tests.postgres import raw
from tests.serve.conftest import AUTHORISED, listening, post, record_of, tell, until, writing


@pytest.fixture
def db(any_db):
    return any_db


def read_events(answer, number):
    """Read so many events off a stream."""
    found, event = [], {}
    for line in answer.iter_lines():
        if not line and event:
            if "data" in event:
                found.append({**event, "data": json.loads(event["data"])})
            event = {}
            if len(found) == number:
                return found
        elif ": " in line:
            name, _, value = line.partition(": ")
            event[name] = value
    return found


def test_events_arrive_as_articles_are_decided_on(address):
    with httpx2.stream("GET", f"{address}/api/events", timeout=30) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        post(address, [record_of(tell(60, "flood", day=12))])
        event = read_events(answer, 1)[0]
    assert event["event"] in ("grew", "new")
    assert event["data"]["articles"] == ["flood-60"]
    assert event["data"]["title"]
    assert int(event["id"]) == event["data"]["number"]


def test_a_stream_goes_on_where_it_broke_off(address):
    with httpx2.stream("GET", f"{address}/api/events?after=0", timeout=30) as answer:
        whole = read_events(answer, 12)
    headers = {"Last-Event-ID": whole[4]["id"]}
    with httpx2.stream("GET", f"{address}/api/events", headers=headers, timeout=30) as answer:
        rest = read_events(answer, 7)
    for event in (*rest, *whole):
        event["data"].pop("title", None)  # that of the story now, which goes on
    assert rest == whole[5:]
    assert [int(event["id"]) for event in whole] == list(range(1, 13))


def test_no_event_is_told_before_the_version_has_it(told):
    """Else a client that comes back at once would seem to come from the future, and be reset."""
    browser = SharedReader(told)
    hub = Hub(browser)
    hub.version = browser.version()._replace(event=5)
    hub._recent.extend(browser.events(0, limit=8))

    async def ids(after, number):
        stream = hub.stream(after)
        pieces = [await anext(stream) for _ in range(number + 1)]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.1)
        return [int(piece.split()[1]) for piece in pieces[1:]]

    async def listen():
        assert await ids(3, 2) == [4, 5]
        hub.version = hub.version._replace(event=8)
        assert await ids(5, 3) == [6, 7, 8]

    asyncio.run(listen())
    browser.close()


def test_a_stream_from_nowhere_is_told_to_look_afresh(address):
    with httpx2.stream("GET", f"{address}/api/events?after=999999", timeout=30) as answer:
        assert read_events(answer, 1)[0]["event"] == "reset"


def test_open_streams_do_not_keep_the_service_from_stopping(db):
    with writing(db) as service:
        with listening(service) as address:
            client = httpx2.Client(timeout=30)
            stream = client.send(client.build_request("GET", f"{address}/api/events"), stream=True)
            until(lambda: service.hub.listeners == 1)
        # `listening` has asserted that the server ended
        stream.close()
        client.close()


class Endpoint:
    """A real HTTP server that takes deliveries, or fails to."""

    def __init__(self):
        self.deliveries, self.failing = [], 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                if endpoint.failing:
                    endpoint.failing -= 1
                    self.send_response(500)
                else:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    endpoint.deliveries.append((headers, body))
                    self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def endpoint():
    endpoint = Endpoint()
    yield endpoint
    endpoint.stop()


def register(address, **body):
    return httpx2.post(f"{address}/api/webhooks", json=body, headers=AUTHORISED)


def hooks(address):
    return httpx2.get(f"{address}/api/webhooks", headers=AUTHORISED).json()["webhooks"]


def test_a_webhook_is_told_signed_and_in_order(address, endpoint):
    made = register(address, url=endpoint.url).json()
    post(address, [record_of(tell(70, "flood", day=12))])
    until(lambda: endpoint.deliveries)
    headers, body = endpoint.deliveries[0]
    events = json.loads(body)["events"]
    assert "flood-70" in events[0]["articles"]
    stamp = headers["scstory-timestamp"]
    wanted = hmac.new(made["secret"].encode(), f"{stamp}.".encode() + body, hashlib.sha256)
    assert headers["scstory-signature"] == f"sha256={wanted.hexdigest()}"
    until(lambda: hooks(address)[0]["delivered"] >= events[-1]["number"])
    assert "secret" not in hooks(address)[0]


def test_webhooks_of_one_story_and_of_a_query(address, endpoint):
    def found(query):
        parameters = {"q": query, "state": "all"}
        return httpx2.get(f"{address}/api/stories", params=parameters).json()["stories"]

    one = found("trial")[0]["id"]
    for wrong, status in (({"story": 9999}, 404), ({"query": "  "}, 422), ({"query": "OR"}, 422)):
        assert register(address, url=endpoint.url, **wrong).status_code == status
    other = Endpoint()
    try:
        made = register(address, url=endpoint.url, story=one).json()
        assert (made["story"], made["query"]) == (one, None)
        assert register(address, url=other.url, query="flood  river").json()["query"]
        post(address, [record_of(tell(300, topic, day=12)) for topic in ("flood", "trial")])
        until(lambda: len(found("flood OR trial")) and {"flood-300"} <= told_articles(other))
        until(lambda: all(hook["delivered"] >= 1 for hook in hooks(address)))
        until(lambda: len({hook["delivered"] for hook in hooks(address)}) == 1)
        assert "trial-300" not in told_articles(other)
        assert {event["story"] for event in told(endpoint)} <= {one}
        assert {event["story"] for event in told(other)} <= {s["id"] for s in found("flood")}
    finally:
        other.stop()


def told(endpoint):
    return [event for _, body in endpoint.deliveries for event in json.loads(body)["events"]]


def told_articles(endpoint):
    return {article for event in told(endpoint) for article in event["articles"]}


def test_a_webhook_that_fails_is_tried_again(address, endpoint, monkeypatch):
    monkeypatch.setattr("scstory.serve.webhooks.FIRST_RETRY", 0.2)
    endpoint.failing = 2
    register(address, url=endpoint.url, kinds=["new", "grew"])
    post(address, [record_of(tell(71, "trial", day=12))])
    until(lambda: hooks(address)[0]["failures"])
    assert "500" in hooks(address)[0]["problem"]
    until(lambda: endpoint.deliveries)
    assert len(endpoint.deliveries) == 1
    until(lambda: hooks(address)[0]["failures"] == 0)


def test_a_webhook_outlives_the_service(db, endpoint):
    endpoint.failing = 1
    with writing(db) as service, listening(service) as address:
        register(address, url=endpoint.url)
        post(address, [record_of(tell(72, "flood", day=12))])
        until(lambda: hooks(address)[0]["failures"])
        waited = hooks(address)[0]["next_try"]
        assert waited
    raw(db).run("UPDATE webhooks SET next_try = NULL")
    with writing(db) as service, listening(service):
        until(lambda: endpoint.deliveries)
    assert b"flood-72" in endpoint.deliveries[0][1]


def test_webhooks_are_deleted_and_bad_ones_refused(address):
    number = register(address, url="https://example.org/x").json()["number"]
    gone = f"{address}/api/webhooks/{number}"
    assert httpx2.delete(gone, headers=AUTHORISED).status_code == 204
    assert httpx2.delete(gone, headers=AUTHORISED).status_code == 404
    assert hooks(address) == []
    for url in ("file:///etc/passwd", "javascript:1", "http://", "x" * 3000):
        assert register(address, url=url).status_code == 422
    assert register(address, url="https://example.org", kinds=["other"]).status_code == 422


def test_a_webhook_to_a_private_address_is_not_called(db, endpoint):
    with writing(db) as service, listening(service) as address:
        service.courier._allow_private = False
        register(address, url=endpoint.url)
        post(address, [record_of(tell(73, "flood", day=12))])
        until(lambda: hooks(address)[0]["failures"])
        assert "not a public address" in hooks(address)[0]["problem"]
    assert endpoint.deliveries == []
