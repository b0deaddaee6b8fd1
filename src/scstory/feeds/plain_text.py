"""From untrusted bytes and markup to plain text."""

import codecs
import re
from contextlib import suppress
from typing import Any

import lxml.etree
import lxml.html

_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})|encoding\s*=\s*["']([\w.:-]{1,40})""",
    re.IGNORECASE,
)
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_NOT_FOR_TEXT = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}
_HIDDEN = {"script", "style", "noscript", "template", "iframe", "object", "svg", "head", "form"}
_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|d[dlt]|div|figcaption|figure|footer|h[1-6]|header|hr|li"
    "|main|nav|[ou]l|p|pre|section|table|t[dhr]"
)


def decode(body: bytes, charset: str | None = None) -> str:
    """Return bytes as text: by their byte order mark, the given or the declared charset, or UTF-8.

    A charset that does not fit is ignored; bytes that fit none are Windows-1252. We do not guess
    statistically: charset-normalizer reads "Größe" in Windows-1252 as Big5, in 100 ms per page.
    """
    declared = _DECLARED.search(body[:4096])
    inside = [name.decode("ascii") for name in declared.groups() if name] if declared else []
    marked = [name for mark, name in _BYTE_ORDER_MARKS if body.startswith(mark)]
    for name in (*marked, charset, *inside, "utf-8"):
        with suppress(LookupError, ValueError):
            codec = codecs.lookup(name or "").name
            if codec not in _NOT_FOR_TEXT:
                # On the web, Latin-1 has always meant Windows-1252.
                return body.decode("cp1252" if codec in ("iso8859-1", "ascii") else codec)
    return body.decode("cp1252", "replace")


def clean(text: str) -> str:
    """Return text without control characters, lone surrogates and marks that change direction.

    >>> clean("Alder\\u202e rises\\x07")
    'Alder rises'
    """
    return _CONTROLS.sub("", text)


def one_line(text: str) -> str:
    """Return clean text on one line."""
    return " ".join(clean(text).split())


def strip_markup(html: str) -> str:
    """Return the text of a piece of HTML, one line per block.

    >>> strip_markup("<p>Alder <b>rises</b> &amp; rises.</p><script>x()</script><p>Again.</p>")
    'Alder rises & rises.\\nAgain.'
    """
    if "<" not in html and "&" not in html:
        return _lines(html)
    try:
        tree = lxml.html.fragment_fromstring(clean(html), create_parent="div")
    except (lxml.etree.LxmlError, ValueError, AssertionError):
        return _lines(re.sub(r"<[^>]*>", " ", html))
    return _lines("".join(_pieces(tree)))


def _pieces(tree: Any) -> list[str]:
    """Return the text of a tree in order, with a line end around every block."""
    pieces: list[str] = []
    hidden = 0
    for event, element in lxml.etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = element.tag if isinstance(element.tag, str) else ""
        around = "\n" if _BLOCKS.fullmatch(tag) else ""
        if event == "start":
            hidden += tag in _HIDDEN
            if not hidden:
                pieces += [around, re.sub(r"\s+", " ", element.text or "")]
            continue
        if event == "end":
            pieces.append("" if hidden else around)
            hidden -= tag in _HIDDEN
        if not hidden and element is not tree:
            pieces.append(re.sub(r"\s+", " ", element.tail or ""))
    return pieces


def _lines(text: str) -> str:
    lines = (one_line(line) for line in text.splitlines())
    return "\n".join(line for line in lines if line)
