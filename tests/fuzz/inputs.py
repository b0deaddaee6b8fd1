"""Inputs: anything at all, and what was valid before somebody got at it."""

import os
import string
import tempfile
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scstory.types import Article

MINUTES = float(os.environ.get("FUZZ_MINUTES", "0"))
"""How long each test goes on; a moment if 0."""
SETTINGS = settings(
    max_examples=300 if MINUTES else 25,
    derandomize=not MINUTES,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
    **({} if MINUTES else {"database": None}),
)
WORDS = [
    b"",
    b"\0",
    b"\n",
    b"\r",
    b'"',
    b'""',
    b",",
    b"'",
    b"\\",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\\u0000",
    b"&#0;",
    b"&#xd800;",
    b"&#x110000;",
    b"&amp;",
    b"]]>",
    b"<![CDATA[",
    b"<!--",
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    b"&a;",
    b"<",
    b">",
    b"</",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[" * 1200,
    b"<p>" * 1200,
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"9" * 5000,
    b"2026-03-03T06:35:00Z",
    b"9999-12-31T23:59:59-23:59",
    b"0001-01-01T00:00:00+23:59",
    b"Tue, 99 Xyz 99999 99:99:99 +9999",
    b"javascript:alert(1)",
    b"http://[",
    b"http://[::1]:99999/",
    b"//",
    b"%00",
    b"%ff",
    b"%25",
    b"?",
    b"#",
    b"xn--a",
    b"\xe2\x80\xae",
    b"\xcc\x81" * 50,
    b"A" * 3000,
    b"utf-16",
    b"utf-7",
    b"idna",
    b"zlib",
    b"WARC/1.0\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: 99999999999\r\n",
    b"Transfer-Encoding: chunked\r\n",
]
"""What parsers have tripped over before."""

anything = st.text(st.characters(), max_size=200)
"""Any text, halves of characters among it."""
texts = st.text(max_size=200)
plain = st.text(string.ascii_letters + string.digits + " .,;'-éß中", min_size=1, max_size=80)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | anything
    | st.sampled_from(["2026-03-03", "https://a.example/", "", " ", "9" * 400]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def mutated(draw, valid: bytes) -> bytes:
    """Return bytes after a few strokes: cut, doubled, swapped, or with something put in."""
    body = bytearray(valid)
    for _ in range(draw(st.integers(1, 6))):
        size = len(body)
        start = draw(st.integers(0, size))
        end = min(size, start + draw(st.sampled_from([0, 1, 2, 4, 16, 100, 5000])))
        match draw(st.integers(0, 5)):
            case 0:
                body[start:end] = draw(st.sampled_from(WORDS))
            case 1:
                body[start:end] = draw(st.binary(max_size=8))
            case 2:
                del body[start:end]
            case 3:
                body[start:start] = body[start:end]
            case 4:
                body[start:end] = bytes(byte ^ 0x40 for byte in body[start:end])
            case _:
                del body[start if start > size // 2 else size :]
    return bytes(body)


def damaged(*valid: bytes):
    """Return a strategy: valid bytes after a few strokes, or any bytes."""
    return st.binary(max_size=300) | st.one_of(*(mutated(body) for body in valid))


def fuzz(*strategies):
    """Try a test on as many inputs as there is time for."""
    return lambda test: SETTINGS(given(*strategies)(test))


@contextmanager
def only(*kinds):
    """Let nothing out but errors of some kinds, and of those none; each says on one line what."""
    try:
        yield
    except kinds as error:
        check_message(str(error))


def check_message(message: str) -> None:
    assert len(message.splitlines()) == 1
    assert len(message) < 2_000
    message.encode("utf-8")


@contextmanager
def file_of(name: str, body: bytes):
    """Give the path of a file that holds some bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(body)
        yield path


def check_article(article: Article) -> None:
    """What holds for every article, wherever it came from."""
    assert article.id
    assert article.id == article.id.strip()
    assert len(article.id) <= 500
    assert article.text.strip() or article.title
    assert article.title == " ".join(article.title.split())
    assert article.published.utcoffset() == timedelta(0)
    for value in (article.id, article.title, article.text, article.url, article.source):
        assert value is None or ("\0" not in value and value.encode("utf-8") is not None)
    for value in (article.url, article.source, article.language):
        assert value is None or value.strip()


def check_items(items) -> None:
    """What holds for every item: it is an article, or says on one line why it is none."""
    for item in items:
        assert item.place
        if item.article is None:
            check_message(item.problem)
        else:
            assert item.problem is None
            check_article(item.article)
