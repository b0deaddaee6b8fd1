"""The outlet of an article: its source, else the host of its address."""

from urllib.parse import urlsplit


def outlet_of(source: str | None, url: str | None) -> str | None:
    """Return the name of the outlet, or None if nothing is known.

    >>> outlet_of("Kelby Herald", "https://k.example/a"), outlet_of(None, "https://www.k.example/a")
    ('Kelby Herald', 'k.example')
    """
    if source and source.strip():
        return source.strip()
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        return None
    return host.removeprefix("www.") if host else None
