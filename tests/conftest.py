"""Small streams, and the encoders tests share."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

# Before anything imports the hub's client: tests reach nothing but this machine.
os.environ["HF_HUB_OFFLINE"] = "1"
# Before anything starts threads: those with nothing to do sleep, where others need the core.
os.environ |= {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "OPENBLAS_NUM_THREADS": "1"}
# Where several workers run the tests side by side, each of them and each command has one core.
THREADS = 1 if "PYTEST_XDIST_WORKER" in os.environ else 2
if THREADS == 1:
    os.environ["OMP_NUM_THREADS"] = "1"
# Before anything starts processes: where tests run in the background, Ctrl-C would be ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Before anything uses Ray: a process keeps the token it had then.
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)

import hypothesis
import pytest
import torch

from scstory.discovery import Engine, make_engine, make_settings
from scstory.text import read
from scstory.types import Article, EncodedArticle, Vectors
from scstory.vectors import Encoder, default_encoder
from scstory.vectors.hashing import HashingEncoder
from tests.postgres import Server
from tests.web import Site

torch.set_num_threads(THREADS)

# The same examples in every run, so that a failure is there again; others with `make fuzz`.
hypothesis.settings.register_profile(
    "same", derandomize=True, database=None, print_blob=True, deadline=None
)
if not os.environ.get("FUZZ_MINUTES"):
    hypothesis.settings.load_profile("same")

TOGETHER = {
    **dict.fromkeys(("tests/runners/test_ray.py", "tests/cli/test_cluster.py"), "ray"),
    **dict.fromkeys(
        (f"tests/serve/test_{name}.py" for name in ("browser", "browser_editor", "desk_browser")),
        "browser",
    ),
    **dict.fromkeys(
        ("tests/cli/test_demo.py", "tests/test_docs.py", "tests/test_examples.py"), "sample"
    ),
}
"""Files whose tests run in one worker: a machine has room for one Ray cluster of ours, and for one
browser at a time; the vectors of the sample are made once."""
BY_CASE = ("tests/discovery/test_calls.py", "tests/evaluation/test_contract.py")
"""Files whose tests share what is made for a parameter: those of a parameter run in one worker."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out tests by file, since those of a file share what takes long, in the usual order."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file, _, test = nodeid.partition("::")
            if file in BY_CASE and "[" in test:
                return f"{file}[{test.partition('[')[2]}"
            return TOGETHER.get(file, file)

    config.option.loadscopereorder = False  # the few long tests of a file may not come last
    return Scheduling(config, log)


START = datetime(2026, 3, 2, 8, tzinfo=UTC)
TOPICS = {
    "flood": "river bank water homes evacuated rain dam flooded rescue boats shelter",
    "trial": "court jury judge prosecutor witness verdict defence fraud bank testimony",
    "comet": "probe comet orbit antenna signal mission control flight camera dust",
    "strike": "union walkout pay crews ferry talks pension roster deal vote",
}


def make_article(number: int, topic: str, *, day: float = 0, sentences: int = 4) -> Article:
    """Return an article of a topic: each sentence takes some of the topic's words."""
    words = TOPICS[topic].split()
    body = [
        " ".join(words[(number * 3 + i * 5 + k) % len(words)] for k in range(6)).capitalize() + "."
        for i in range(sentences)
    ]
    return Article(
        id=f"{topic}-{number}",
        published=START + timedelta(days=day, minutes=number),
        title=f"{topic.capitalize()} news {words[number % len(words)]} {words[-1]}",
        text=" ".join(body),
        source="Test Wire",
        language="en",
    )


def make_stream(
    days: int = 12, topics: tuple[str, ...] = ("flood", "trial", "comet")
) -> list[Article]:
    """Return a stream of two articles of every topic a day; the last topic ends halfway."""
    stream = []
    for day in range(days):
        for topic in topics:
            if topic == topics[-1] and day >= days // 2:
                continue
            stream.append(make_article(day * 2, topic, day=day))
            stream.append(make_article(day * 2 + 1, topic, day=day))
    return sorted(stream, key=lambda article: article.published)


def make_distinct(days: int = 12) -> list[Article]:
    """Return the same stream with a word of its own in every article: none is another's copy."""
    return [replace(a, text=f"{a.text} Report {a.id}.") for a in make_stream(days)]


def engine_with(encoder: Encoder, preset: str = "default", **settings: object) -> Engine:
    """Return an engine at the start of a stream."""
    return make_engine(make_settings(preset, settings), encoder)


def encoded(article: Article, sentences: Sequence[str], vectors: Vectors) -> EncodedArticle:
    """Return an article as if it had been split into these sentences, with these vectors."""
    return EncodedArticle(article, read(article, sentences=tuple(sentences)), vectors)


@pytest.fixture
def hashing() -> HashingEncoder:
    return HashingEncoder(dim=64)


@pytest.fixture(scope="session")
def minilm() -> Encoder:
    return default_encoder(threads=THREADS)


@pytest.fixture
def known_vectors(minilm: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the default encoder be one that knows the sentences of earlier tests."""
    monkeypatch.setattr("scstory.vectors.minilm.make_minilm_int8", lambda *_, **__: minilm)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model of two small layers, made here."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "bert"
    folder.mkdir()
    words = [
        "the",
        "river",
        "alder",
        "burst",
        "its",
        "banks",
        "on",
        "tuesday",
        "a",
        "judge",
        "refused",
        "short",
        "floods",
        "hit",
    ]
    letters = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    transformer = Transformer(str(folder), max_seq_length=48)
    pooling = Pooling(transformer.get_embedding_dimension())
    target = folder.parent / "model"
    SentenceTransformer(modules=[transformer, pooling]).save(str(target))
    return target


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on loopback."""
    server = Site()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of our own."""
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def path(request, tmp_path) -> Iterator[str]:
    """The name of a database that is not there yet, of each kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "s.db")
        return
    server = request.getfixturevalue("postgres")
    address = server.make()
    yield address
    server.drop(address)
