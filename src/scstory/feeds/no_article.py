"""Why a page has no article: it is an error, a form, a list of links, or has a few words only.

And texts that a site shows under many addresses, which are no articles either.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import urlsplit

from scstory.feeds.canonical_url import canonical_url
from scstory.types import Article

MIN_WORDS = 25
"""Words below which the text of a page is no article, unless the page declares one."""
MIN_DECLARED_WORDS = 8
"""The same for a page that declares an article by its metadata."""
SHORT_WORDS = 150
"""Words below which a text counts as an error or a notice if it reads like one."""
VERY_SHORT_WORDS = 40
"""Words below which one sign of a notice is enough; else it takes two."""
MAX_LINKED = 0.5
"""The share of links in the text above which a page is a list of articles and not one of them."""
MANY_ADDRESSES = 3
"""Addresses of a site under which the same text is no article."""
MAX_TEXTS = 20_000
"""Texts that are remembered."""
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")
"""Characters of scripts that put no spaces between words."""
_ERROR = re.compile(
    r"^\W*(?:error|http|status)\W*[45]\d\d\b"
    r"|^\W*[45]\d\d\W*(?:$|[-–|:]|error|not\b|page|forbidden|bad|internal|service|gateway|access)"
    r"|\b(?:page|file) (?:was |is |could )?(?:not (?:be )?found|unavailable|missing)"
    r"|\bpage (?:doesn.t|does not) exist|^\W*(?:\w+ )?not found\W*$"
    r"|^\W*(?:access denied|forbidden|just a moment|attention required|bad gateway|internal server"
    r" error|service (?:temporarily )?unavailable|site maintenance|down for maintenance"
    r"|too many requests|something went wrong|oops|are you a robot|bot verification|security check"
    r"|seite nicht gefunden|page introuvable|página no encontrada|pagina non trovata)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"we (?:and our partners )?(?:use|store|value)\b[^.]{0,60}\b(?:cookies?|privacy)|your privacy"
    r"|accept (?:all )?cookies|cookie (?:settings|policy|preferences|consent)|before you continue"
    r"|manage (?:your )?(?:consent|preferences)|wir verwenden cookies|nous utilisons des cookies"
    r"|utilizamos cookies|enable (?:javascript|cookies)|javascript (?:is|must be) (?:dis|en)abled"
    r"|(?:log|sign) in to (?:continue|read)|subscribe to (?:continue|read|keep)"
    r"|verify (?:that )?you are (?:a )?human|checking your browser|unusual traffic",
    re.IGNORECASE,
)


def why_no_article(
    title: str, text: str, *, declared: bool = False, linked: float = 0.0
) -> str | None:
    """Return the reason why a page is no article, None if it may be one.

    >>> why_no_article("404", "Nothing here.")
    'an error page'
    >>> why_no_article("", "No")
    'no article on the page (1 word of text)'
    """
    if not text.strip():
        return "no article on the page"
    words = count_words(text)
    if words < SHORT_WORDS:
        first = text.strip().partition("\n")[0]
        if _ERROR.search(title) or (words < VERY_SHORT_WORDS and _ERROR.search(first)):
            return "an error page"
        if len(_NOTICE.findall(text)) > (words >= VERY_SHORT_WORDS):
            return "a notice about cookies, a login or the like"
    if linked > MAX_LINKED and not declared:
        return "a list of links, not an article"
    if words < (MIN_DECLARED_WORDS if declared else MIN_WORDS):
        return f"no article on the page ({words} word{'s' * (words != 1)} of text)"
    return None


def count_words(text: str) -> int:
    """Return the number of words; without spaces between words, two characters count as one."""
    wide = len(_WIDE.findall(text))
    return len(_WORD.findall(_WIDE.sub(" ", text))) + wide // 2


class RepeatedTexts:
    """Notices texts that one site has under several addresses, each with another title.

    An article under several addresses has the same title everywhere, and is a copy of itself.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, dict[str, str]] = OrderedDict()

    def add(self, articles: Iterable[Article]) -> None:
        """Remember the texts of some articles."""
        for article in articles:
            if key := _key(article):
                known = self._seen.setdefault(key, {})
                self._seen.move_to_end(key)
                if len(known) < MANY_ADDRESSES:
                    known.setdefault(article.title, canonical_url(article.url or ""))
        while len(self._seen) > MAX_TEXTS:
            self._seen.popitem(last=False)

    def problem(self, article: Article) -> str | None:
        """Return why an article is none, if its text stands under too many addresses."""
        key = _key(article)
        known = self._seen.get(key, {}) if key else {}
        if len(set(known.values())) < MANY_ADDRESSES:
            return None
        return f"the same text stands under {MANY_ADDRESSES} or more addresses of its site"


def _key(article: Article) -> bytes | None:
    host = urlsplit(f"//{canonical_url(article.url or '')}").netloc
    text = " ".join(article.text.split())
    if not (host and text):
        return None
    return hashlib.blake2b(f"{host}\0{text}".encode("utf-8", "replace"), digest_size=16).digest()
