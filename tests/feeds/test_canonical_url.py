"""URLs that name the same page have one form, others keep apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.feeds.canonical_url import canonical_url

PAGE = "https://example.com/news/flood"


@pytest.mark.parametrize(
    "other",
    [
        "http://example.com/news/flood",
        "https://www.example.com/news/flood/",
        "https://EXAMPLE.com:443/news/flood#comments",
        "HTTPS://example.com./news//flood",
        "https://example.com/news/flood?utm_source=rss&utm_medium=feed",
        "https://example.com/news/flood?fbclid=Iw&gclid=1&at_medium=RSS",
        "https://example.com/news/fl%6Fod?",
        "https://m.example.com/news/flood/index.html",
        "https://amp.example.com/news/flood",
        "https://example.com/news/flood/amp/",
        "  https://user:secret@example.com/news/flood  ",
        "https://www.m.example.com/news/flood",
        "https://ｗｗｗ.example.com/news/flood",
        "https://example.com/news/%2fflood/amp/amp",
        "https://example.com/news/flood/index.html/amp/index.html",
    ],
)
def test_the_same_page(other):
    assert canonical_url(other) == canonical_url(PAGE) == "example.com/news/flood"


@pytest.mark.parametrize(
    "other",
    [
        "https://example.com/news/floods",
        "https://example.com/News/Flood",
        "https://example.com/news/flood?id=7",
        "https://example.com/news/flood?page=2",
        "https://example.com:8080/news/flood",
        "https://news.example.com/news/flood",
        "https://example.org/news/flood",
    ],
)
def test_another_page(other):
    assert canonical_url(other) != canonical_url(PAGE)


def test_parameters_are_put_in_order():
    assert canonical_url(f"{PAGE}?b=2&a=1&a=0") == canonical_url(f"{PAGE}?a=0&a=1&b=2")


def test_names_in_other_scripts():
    assert canonical_url("https://müller.example/ä") == canonical_url(
        "http://xn--mller-kva.example/%C3%A4"
    )


@pytest.mark.parametrize("scheme", ["http://", "https://", ""])
@pytest.mark.parametrize("host", ["example.com", "www.example.com", "example.com:443"])
def test_with_or_without_its_scheme(scheme, host):
    assert canonical_url(f"{scheme}{host}/a?utm_source=x&b=1") == "example.com/a?b=1"
    assert canonical_url(f"{scheme}{host}") == "example.com"


@pytest.mark.parametrize(
    "no_page",
    [
        "",
        "flood",
        "/news/flood",
        "mailto:a@b.c",
        "ftp://example.com/x",
        "http://",
        "http://[",
        "http://a:b/",
    ],
)
def test_what_is_no_web_address_has_no_form(no_page):
    assert canonical_url(no_page) == ""


@given(st.text())
def test_nothing_breaks_it(text):
    canonical_url(text)
    once = canonical_url(f"https://example.com/{text}")
    assert canonical_url(f"https://{once}") == once


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://[::1]:8080/x", "[::1]:8080/x"),
        ("https://a b.example/x", "a%20b.example/x"),
        ("https://./", ""),
        ("https://\uff0e/", "%ef%bc%8e"),
    ],
)
def test_hosts_that_are_no_names(url, form):
    assert canonical_url(url) == form
    assert canonical_url(f"https://{form}") == form
