"""The languages of a reader: those that the address names, or the settings, or the browser."""

import re
from collections.abc import Sequence
from typing import Annotated

from fastapi import HTTPException, Query, Request

from scstory.config import LANGUAGE
from scstory.serve.service import Service, service_of
from scstory.text.language import primary

MOST = 3
"""Languages of a browser that are looked at, the preferred ones."""
MAX_HEADER = 1_000
_RANGE = re.compile(r"([A-Za-z]{2,3})(?:-[A-Za-z0-9]+)*(?:;q=([01](?:\.\d{1,3})?))?")

Language = Annotated[
    str | None,
    Query(
        max_length=50,
        description="The language of titles and summaries, where a story has articles in it: de.",
    ),
]


def asked_for(language: str | None) -> tuple[str, ...]:
    """Return the language of a parameter as a list; answer 422 if it is none."""
    if not language:
        return ()
    if not re.fullmatch(LANGUAGE, language):
        raise HTTPException(422, f"language {language[:50]!r}: write its code, as in de or pt-BR")
    return (primary(language),)


async def reader_languages(request: Request) -> tuple[str, ...]:
    """Return the languages that a page is wanted in, the preferred one first.

    Where no story has articles in several languages, there is nothing to choose from.
    """
    service = service_of(request)
    given = asked_for(request.query_params.get("language"))
    given = given or service.languages or accepted(request.headers.get("accept-language", ""))
    return given if given and await service.has_editions() else ()


def accepted(header: str) -> tuple[str, ...]:
    """Return the languages of an Accept-Language header, the preferred one first.

    >>> accepted("de-AT, en;q=0.5, fr;q=0.7, *;q=0.1")
    ('de', 'fr', 'en')
    """
    found: dict[str, float] = {}
    for part in header[:MAX_HEADER].split(","):
        if (match := _RANGE.fullmatch(part.replace(" ", ""))) and float(match[2] or 1) > 0:
            found.setdefault(primary(match[1]), float(match[2] or 1))
    return tuple(sorted(found, key=lambda language: -found[language])[:MOST])


def version_in(service: Service, languages: Sequence[str], version: str | None) -> str | None:
    """Return the version of a response for a reader of some languages."""
    return "-".join((version or str(service.hub.version), *languages)) if languages else version
