"""Lemmas and entities: by stems and capitals, and by spaCy, for which a small stand-in reads."""

import json
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from scstory.baselines import annotators
from scstory.baselines.annotators import SpacyAnnotator, make_annotator
from scstory.errors import ConfigError, UsageError
from scstory.types import Article
from tests.conftest import START, encoded

TITLE = "Ann Lanning Warns Kelby"
BODY = ("Mill Lane flooded in Kelby on Monday.", "So said Ann Lanning.")


def member(title=TITLE, body=BODY):
    sentences = [part for part in (title, *body) if part]
    vectors = np.ones((len(sentences), 2), dtype=np.float32)
    return encoded(Article("a", START, title, " ".join(body)), sentences, vectors)


class Document(list):
    """Tokens with the entities they are in."""

    def __init__(self, tokens, entities):
        super().__init__(tokens)
        self.ents = entities


@pytest.fixture
def spacy(monkeypatch, tmp_path):
    """Put a stand-in for spaCy in its place, which counts the texts it has read."""
    (tmp_path / "meta.json").write_text(
        json.dumps({"lang": "en", "name": "core_web_md", "version": "3.8.0"})
    )
    library, package = ModuleType("spacy"), ModuleType(annotators.VENDORED)
    library.__version__, library.read = "3.8.18", []
    package.model_path = lambda: tmp_path
    lemmas = {"flooded": "flood", "said": "say", "Warns": "warn"}
    kinds = {"Ann Lanning": "PERSON", "the Mill Lane": "FAC", "Monday": "DATE"}

    def read(text):
        library.read.append(text)
        tokens = [SimpleNamespace(lemma_=lemmas.get(w, w)) for w in text.replace(".", "").split()]
        found = [(n, k) for n, k in kinds.items() if n.removeprefix("the ") in text]
        entities = [SimpleNamespace(text=name, label_=kind) for name, kind in found]
        return Document(tokens, entities)

    library.load = lambda folder, exclude: read
    monkeypatch.setitem(sys.modules, "spacy", library)
    monkeypatch.setitem(sys.modules, annotators.VENDORED, package)
    monkeypatch.setattr(annotators, "find_spec", lambda name: name == annotators.VENDORED)
    return library


def test_stems_and_names_in_capitals():
    annotator = make_annotator("snowball")
    found = annotator.annotate(member())
    assert found.title_lemmas == ["ann", "lan", "warn", "kelbi"]
    assert found.body_lemmas[:3] == ["mill", "lane", "flood"]
    assert found.title_entities == ["ann lanning", "kelby"]
    assert found.body_entities == ["lane", "kelby", "ann lanning"]
    assert annotator.description.endswith("entities by capital letters")
    assert make_annotator("snowball") is annotator


def test_an_article_without_a_title_has_only_a_body():
    found = make_annotator("snowball").annotate(member(title=""))
    assert (found.title_lemmas, found.title_entities) == ([], [])
    assert found.body_entities == ["lane", "kelby", "ann lanning"]


def test_lemmas_and_entities_by_spacy(spacy, tmp_path):
    annotator = SpacyAnnotator(tmp_path)
    assert annotator.description == "lemmas and entities by spaCy 3.8.18, en_core_web_md 3.8.0"
    found = annotator.annotate(member())
    assert found.title_lemmas == ["ann", "lanning", "warn", "kelby"]
    assert found.body_lemmas == ["mill", "lane", "flood", "kelby", "ann", "lanning"]
    assert found.title_entities == ["ann lanning"]
    assert found.body_entities == ["ann lanning", "mill lane"]  # a day is no name


def test_spacy_reads_a_text_once_also_in_another_process(spacy, tmp_path):
    found = SpacyAnnotator(tmp_path).annotate(member())
    assert len(spacy.read) == 2
    assert SpacyAnnotator(tmp_path).annotate(member()) == found
    assert len(spacy.read) == 2
    other = SpacyAnnotator(tmp_path).annotate(member(title=f"{TITLE} Dam"))
    assert len(spacy.read) == 4
    assert other != found


def test_a_missing_library_or_model_is_refused_and_never_replaced(spacy, monkeypatch):
    monkeypatch.setattr(annotators, "find_spec", lambda name: False)
    with pytest.raises(UsageError, match="needs the model en_core_web_md, which is not installed"):
        SpacyAnnotator()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UsageError, match=r"annotator spacy needs spacy.*'scstory\[spacy\]'"):
        SpacyAnnotator()
    with pytest.raises(ConfigError, match="annotator 'best': there are snowball, spacy"):
        make_annotator("best")


def test_a_cache_that_cannot_be_written_is_one_line(spacy, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be used .* set SCSTORY_CACHE"):
        SpacyAnnotator(tmp_path / "file" / "folder")


def test_the_real_model(tmp_path):
    pytest.importorskip("spacy")
    pytest.importorskip(annotators.VENDORED)
    found = SpacyAnnotator(tmp_path).annotate(
        member(title="Obama visits Germany", body=("Leaders met in Berlin on Monday.",))
    )
    assert "visit" in found.title_lemmas
    assert found.body_lemmas[:2] == ["leader", "meet"]
    assert "germany" in found.title_entities
    assert found.body_entities == ["berlin"]
