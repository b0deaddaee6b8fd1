"""Following feeds, against a real server and a real store."""

import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from scstory.config import Settings
from scstory.runners.follow import GIVE_UP, Follower, Notebook
from scstory.store import open_store
from tests.web import LOCAL, LONG, Answer, drip, item, page, paragraphs, redirect, rss

SETTINGS = Settings(feeds=LOCAL.model_copy(update={"min_interval": "1s", "max_interval": "1h"}))


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = datetime.now(UTC)

    def __call__(self):
        return self.now

    def forward(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def store(tmp_path):
    opened = open_store(str(tmp_path / "news.db"))
    yield opened
    opened.close()


@pytest.fixture
def clock():
    return Clock()


class Watch:
    """What a follower tells, and a way to wait for it."""

    def __init__(self):
        self.polls, self.problems = [], []
        self._told = threading.Condition()

    def poll(self, poll):
        with self._told:
            self.polls.append(poll)
            self._told.notify_all()

    def problem(self, found):
        self.problems.append(found)

    def wait_for(self, number, seconds=15):
        with self._told:
            assert self._told.wait_for(lambda: len(self.polls) >= number, seconds), self.polls


@contextmanager
def following(store, clock, *, books=None, settings=SETTINGS, **options):
    watch, stop = Watch(), threading.Event()
    follower = Follower(
        books or [store],
        store.accept,
        settings,
        on_poll=watch.poll,
        on_problem=watch.problem,
        clock=clock,
        **options,
    )
    thread = threading.Thread(target=follower.run, args=(stop,))
    thread.start()
    try:
        yield watch
    finally:
        stop.set()
        thread.join(15)
        assert not thread.is_alive()


def titles(store):
    return [article.title for article in store.pending(1000)]


def full(number, **more):
    return item(number, text="\n".join(paragraphs(number)), **more)


def test_what_is_new_is_accepted_oldest_first_and_what_is_known_is_not_fetched_again(
    site, store, clock
):
    def feed(*numbers):
        return rss(
            *(
                item(n, link=f"{site.url}/{n}", date=f"Tue, 03 Mar 2026 0{n}:00:00 GMT")
                for n in numbers
            )
        )

    for number in (1, 2, 3):
        site.pages[f"/{number}"] = page(f"Page {number}", *paragraphs(number))
    site.pages["/feed"] = feed(2, 1)
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
        assert titles(store) == ["Headline 1", "Headline 2"]
        site.pages["/feed"] = feed(3, 2, 1)
        clock.forward(hours=1)
        watch.wait_for(2)
    assert [poll.new for poll in watch.polls] == [2, 1]
    assert titles(store) == ["Headline 1", "Headline 2", "Headline 3"]
    assert sorted(site.paths()) == ["/1", "/2", "/3", "/feed", "/feed"]
    (kept,) = store.subscriptions()
    assert (kept.title, kept.errors, kept.found) == ("The Wire", 0, clock.now)
    assert kept.due > clock.now


def test_an_unchanged_feed_costs_a_word(site, store, clock):
    def answer(request):
        if request.headers.get("if-none-match") == '"1"':
            return Answer(b"", 304)
        return Answer(rss(full(1)).encode(), headers={"ETag": '"1"'})

    site.pages["/feed"] = answer
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
        clock.forward(hours=1)
        watch.wait_for(2)
    assert [poll.new for poll in watch.polls] == [1, 0]
    assert [r.headers.get("if-none-match") for r in site.requests] == [None, '"1"']
    assert store.subscriptions()[0].etag == '"1"'


def test_a_new_follower_goes_on_where_the_last_one_stopped(site, store, clock):
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/1"))
    site.pages["/1"] = page("Page", *LONG)
    store.subscribe(f"{site.url}/feed")
    for _ in range(2):
        with following(store, clock) as watch:
            watch.wait_for(1)
        clock.forward(hours=2)
    assert site.paths().count("/1") == 1
    assert len(titles(store)) == 1


def test_failures_are_kept_and_told_and_the_feed_is_left_alone(site, store, clock):
    site.pages["/feed"] = Answer(b"", 500)
    store.subscribe(f"{site.url}/feed", "The Wire")
    with following(store, clock) as watch:
        watch.wait_for(1)
        time.sleep(0.6)
        assert len(watch.polls) == 1
        clock.forward(minutes=1)
        watch.wait_for(2)
    (kept,) = store.subscriptions()
    assert (kept.errors, kept.error) == (2, "answered 500 Internal Server Error")
    assert kept.fetched is None


def test_retry_after_is_kept(site, store, clock):
    site.pages["/feed"] = Answer(b"", 429, {"Retry-After": "7200"})
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
    assert store.subscriptions()[0].due >= clock.now + timedelta(hours=2)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"no feed at all", "is neither RSS nor Atom nor JSON Feed"),
        (page("Front", *LONG), "is a page, not a feed, and links to none"),
        (
            page(
                "Front",
                *LONG,
                head="<link rel=alternate type=application/rss+xml href=https://w.example/f>",
            ),
            "is a page, not a feed; it links to the feed https://w.example/f",
        ),
        (b"x" * 11_000_000, "more than 10,000,000 bytes (feeds.max_bytes, feeds.max_page_bytes)"),
    ],
    ids=["words", "page", "page with feed", "huge"],
)
def test_what_is_no_feed_is_an_error_of_the_feed(site, store, clock, answer, reason):
    site.pages["/feed"] = answer
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
    assert store.subscriptions()[0].error == reason
    assert titles(store) == []


def test_a_slow_feed_holds_up_no_other(site, store, clock):
    site.pages["/slow"] = Answer(drip([b" "] * 1000, 0.05))
    site.pages["/good"] = rss(full(1))
    store.subscribe(f"http://slow.example:{site.port}/slow")
    store.subscribe(f"http://good.example:{site.port}/good")

    async def look_up(host, port):
        return ["127.0.0.1"]

    with following(store, clock, look_up=look_up) as watch:
        watch.wait_for(1)
        assert watch.polls[0].feed.url.endswith("/good")
        assert titles(store) == ["Headline 1"]


def test_stopping_does_not_wait_for_a_slow_feed(site, store, clock):
    site.pages["/slow"] = Answer(drip([b" "] * 1000, 0.05))
    store.subscribe(f"{site.url}/slow")
    with following(store, clock):
        while not site.requests:
            time.sleep(0.01)
        started = time.monotonic()
    assert time.monotonic() - started < 3
    assert store.subscriptions()[0].errors == 0  # it is not to blame


def test_what_was_fetched_before_the_stop_is_kept_and_the_rest_comes_next_time(site, store, clock):
    gate = threading.Event()

    def second(request):
        gate.wait(10)
        return Answer(page("Page 2", *paragraphs(2)).encode())

    def feed(request):
        body = rss(item(1, link=f"{site.url}/1"), item(2, link=f"{site.url}/2", date=None))
        if request.headers.get("if-none-match"):
            return Answer(b"", 304)
        return Answer(body.encode(), headers={"ETag": '"1"'})

    site.pages.update({"/feed": feed, "/1": page("Page 1", *LONG), "/2": second})
    store.subscribe(f"{site.url}/feed")
    with following(store, clock):
        while "/2" not in site.paths():
            time.sleep(0.01)
    assert titles(store) == ["Headline 1"]
    gate.set()
    with following(store, clock) as watch:
        watch.wait_for(1)
    assert titles(store) == ["Headline 1", "Headline 2"]
    assert site.paths().count("/1") == 1


def test_a_page_that_may_come_later_is_tried_again_then_done_without(site, store, clock):
    def feed(request):
        if request.headers.get("if-none-match"):
            return Answer(b"", 304)
        return Answer(rss(item(1, link=f"{site.url}/1")).encode(), headers={"ETag": '"1"'})

    site.pages.update({"/feed": feed, "/1": Answer(b"", 503)})
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        for number in range(1, GIVE_UP + 1):
            assert titles(store) == []
            clock.forward(hours=2)
            watch.wait_for(number)
        assert titles(store) == ["Headline 1"]
        clock.forward(hours=2)
        watch.wait_for(GIVE_UP + 1)
    assert store.pending(9)[0].text == "A summary."
    assert site.paths().count("/1") == GIVE_UP
    assert site.requests[-1].headers.get("if-none-match") == '"1"'


def test_a_page_that_comes_at_the_second_try_is_the_text(site, store, clock):
    answers = [Answer(b"", 503), Answer(page("Page", *LONG).encode())]
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/1"))
    site.pages["/1"] = lambda request: answers.pop(0)
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
        clock.forward(hours=2)
        watch.wait_for(2)
    assert store.pending(9)[0].text == "\n".join(LONG)


def test_bad_items_are_told_once(site, store, clock):
    site.pages["/feed"] = rss(
        item(1, text="", link=f"{site.url}/none").replace("Headline 1", ""), full(2)
    )
    store.subscribe(f"{site.url}/feed")
    with following(store, clock) as watch:
        watch.wait_for(1)
        clock.forward(hours=2)
        watch.wait_for(2)
    (told,) = watch.problems
    assert told.problem.startswith("neither title nor text")
    assert titles(store) == ["Headline 2"]


def test_the_same_article_in_two_feeds_is_one(site, store, clock):
    site.pages["/a"] = rss(full(1, link="https://wire.example/x?utm_source=a"))
    site.pages["/b"] = rss(full(1, link="https://www.wire.example/x?utm_source=b"))
    store.subscribe(f"{site.url}/a")
    store.subscribe(f"{site.url}/b")
    with following(store, clock) as watch:
        watch.wait_for(2)
    assert sorted(poll.new for poll in watch.polls) == [0, 1]
    assert len(titles(store)) == 1


def test_feeds_come_and_go_while_they_are_followed(site, store, clock):
    site.pages["/a"] = rss(full(1))
    with following(store, clock) as watch:
        store.subscribe(f"{site.url}/a")
        watch.wait_for(1)
        store.unsubscribe(f"{site.url}/a")
        clock.forward(hours=2)
        time.sleep(0.6)
        assert len(watch.polls) == 1
    assert store.subscriptions() == []


def test_a_feed_that_goes_while_it_is_fetched_does_not_come_back(site, store, clock):
    gate = threading.Event()

    def answer(request):
        gate.wait(10)
        return Answer(rss(full(1)).encode())

    site.pages["/a"] = answer
    store.subscribe(f"{site.url}/a")
    with following(store, clock) as watch:
        while not site.requests:
            time.sleep(0.01)
        store.unsubscribe(f"{site.url}/a")
        gate.set()
        watch.wait_for(1)
    assert store.subscriptions() == []


def test_feeds_of_one_run_leave_no_trace_but_articles(site, store, clock):
    site.pages["/a"] = rss(full(1))
    book = Notebook([f"{site.url}/a"])
    with following(store, clock, books=[store, book]) as watch:
        watch.wait_for(1)
        clock.forward(hours=2)
        watch.wait_for(2)
    assert [poll.new for poll in watch.polls] == [1, 0]
    assert store.subscriptions() == []
    assert titles(store) == ["Headline 1"]


@pytest.mark.parametrize("status", [301, 308])
def test_a_feed_that_moved_for_good_is_followed_where_it_is(site, store, clock, status):
    site.pages["/new"] = Answer(rss(full(1)).encode(), headers={"ETag": '"1"'})
    site.pages["/old"] = redirect("/new", status)
    store.subscribe(f"{site.url}/old", "Mine")
    with following(store, clock) as watch:
        watch.wait_for(1)
        clock.forward(hours=2)
        watch.wait_for(2)
    (feed,) = store.subscriptions()
    assert (feed.url, feed.title, feed.etag) == (f"{site.url}/new", "Mine", '"1"')
    assert watch.polls[0].was == f"{site.url}/old"
    assert site.paths() == ["/old", "/new", "/new"]
    assert [poll.new for poll in watch.polls] == [1, 0]
    assert store.tries(feed.url)


def test_a_feed_that_moves_to_another_that_is_followed_becomes_it(site, store, clock):
    site.pages["/new"] = rss(full(1))
    site.pages["/old"] = redirect("/new", 301)
    for name in ("old", "new"):
        store.subscribe(f"{site.url}/{name}", name)
    with following(store, clock) as watch:
        watch.wait_for(2)
    assert [(feed.url, feed.title) for feed in store.subscriptions()] == [
        (f"{site.url}/new", "new")
    ]
    assert titles(store) == ["Headline 1"]


def test_a_feed_that_is_elsewhere_for_now_stays_at_its_address(site, store, clock):
    site.pages["/new"] = rss(full(1))
    site.pages["/old"] = redirect("/middle", 302)
    site.pages["/middle"] = redirect("/new", 301)
    site.pages["/lost"] = redirect("/page", 301)
    site.pages["/page"] = page("A page", *LONG)
    for name in ("old", "lost"):
        store.subscribe(f"{site.url}/{name}")
    with following(store, clock) as watch:
        watch.wait_for(2)
    assert {feed.url for feed in store.subscriptions()} == {f"{site.url}/old", f"{site.url}/lost"}


def test_a_feed_of_one_run_moves_too(site, store, clock):
    site.pages["/new"] = rss(full(1))
    site.pages["/old"] = redirect("/new", 301)
    book = Notebook([f"{site.url}/old"])
    with following(store, clock, books=[book]) as watch:
        watch.wait_for(1)
        clock.forward(hours=2)
        watch.wait_for(2)
    assert site.paths() == ["/old", "/new", "/new"]


def test_a_hundred_feeds_of_which_half_are_broken(site, store, clock):
    kinds = [
        lambda n: rss(full(n, link=f"https://w.example/{n}")),
        lambda n: Answer(b"", 404),
        lambda n: rss(full(n, link=f"https://w.example/{n}"), title=f"Feed {n}"),
        lambda n: b"\x00\xff" * n,
    ]
    for number in range(100):
        site.pages[f"/{number}"] = kinds[number % 4](number)
        store.subscribe(f"{site.url}/{number}")
    with following(store, clock) as watch:
        watch.wait_for(100, seconds=60)
    assert sum(poll.new for poll in watch.polls) == 50
    assert sum(feed.errors for feed in store.subscriptions()) == 50
