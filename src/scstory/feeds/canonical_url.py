"""One form for all URLs of a page.

This is our own code because ids in databases depend on it, and because courlan keeps the scheme,
`www.`, mobile hosts, fragments and `index.html`, and raises on some malformed hosts.
"""

import re
from contextlib import suppress
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

_TRACKING = re.compile(
    r"""(?:utm|at|ga|hsa|mtm|matomo|pk|piwik|guce|oly)_.*|_hs.*
    |fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|yclid|ttclid|igshid|igsh|mc_cid|mc_eid
    |li_fat_id|epik|_ga|_gl|mkt_tok|wt_mc|cmp|cmpid|cmp_id|ocid|ncid|smid|smtyp|ito|xtor|spm|trk
    |ref|ref_src|ref_url|referrer|guccounter|sr_share|__twitter_impression|amp|outputtype
    |ns_mchannel|ns_source|ns_campaign|ns_linkname|ns_fee|rss|soc_src|soc_trk|taid""",
    re.VERBOSE | re.DOTALL,
)
_SITE = re.compile(r"^(?:(?:www\d?|m|mobile|amp)\.)+(?=[^.]+\.)")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}
_WITHOUT_SCHEME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}(?=[:/?#]|$)(?!:\D)")


def canonical_url(url: str) -> str:
    """Return the one form of all URLs of a page; "" if the URL is not a web address.

    The form is for comparing, not for fetching: the scheme is removed, as are ``www.``, the default
    port, the fragment, tracking parameters and a final slash; parameters are sorted.

    >>> canonical_url("HTTP://www.Example.com:80/News/flood/?utm_source=x&id=7&fbclid=a#top")
    'example.com/News/flood?id=7'
    >>> canonical_url("example.com/News/flood?id=7")
    'example.com/News/flood?id=7'
    >>> canonical_url("mailto:desk@example.com")
    ''
    """
    url = url.strip()
    try:
        parts = urlsplit(f"https://{url}" if _WITHOUT_SCHEME.match(url) else url)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in _PORTS or not host:
        return ""
    shown = "" if port in (None, *_PORTS.values()) else f":{port}"
    path, before = quote(unquote(parts.path), safe="/:@!$&'()*+,;=~"), ""
    path = re.sub(r"/{2,}", "/", path)
    while path != before:
        before, path = path, re.sub(r"(?:/amp)+/?$", "", _INDEX.sub("/", path)).rstrip("/")
    parameters = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name.lower())
    ]
    return f"{host}{shown}{path}{'?' + urlencode(sorted(parameters)) if parameters else ''}"


def _host(name: str) -> str:
    """Return a host's name in ASCII, without the prefix of a mobile or other variant."""
    with suppress(UnicodeError):
        name = name.encode("idna").decode("ascii")
    name = quote(unquote(name), safe=":!$&'()*+,;=~").lower().strip(".")
    return f"[{name}]" if ":" in name else _SITE.sub("", name)
