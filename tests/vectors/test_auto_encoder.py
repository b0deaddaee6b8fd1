"""The encoder `auto`: chosen once, by the languages of the first articles, and kept."""

import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.presets import load_engine
from scstory.errors import UsageError
from scstory.vectors import make_encoder
from scstory.vectors.auto_encoder import AutoEncoder, served_languages
from scstory.vectors.hashing import HashingEncoder
from scstory.vectors.registry import SERVED
from tests.conftest import make_article

ENGLISH = ("en",) * 9


def auto():
    """Return an encoder that chooses between two that need no weights, and what it has made."""
    made = []

    def make(name):
        made.append(name)
        return HashingEncoder(dim=int(name.partition(":")[2]))

    return AutoEncoder(make, english="hashing:32", other="hashing:64", english_dim=32), made


@pytest.mark.parametrize(
    ("languages", "name"),
    [
        ([*ENGLISH, "en"], "hashing:32"),
        ([*ENGLISH, "de"], "hashing:32"),
        ([*ENGLISH, "de", "fr"], "hashing:64"),
        (["zh"], "hashing:64"),
    ],
)
def test_the_first_articles_choose_and_only_what_they_choose_is_made(languages, name):
    encoder, made = auto()
    assert (encoder.name, made) == ("auto", [])
    with pytest.raises(UsageError, match="not chosen yet"):
        encoder.encode(["river"])
    encoder.choose(languages)
    encoder.choose(["zh"] * 100)
    assert (encoder.name, made) == (name, [name])
    assert encoder.encode(["river"]).shape == (1, encoder.dim)


def test_an_engine_starts_with_the_vectors_that_were_chosen_and_keeps_them():
    encoder, made = auto()
    discovery = StoryDiscovery(encoder=encoder, english_share=1.0)
    empty = discovery.engine.state()
    assert empty.meta["encoder"] == "auto"
    chinese = [
        make_article(n, "flood").__class__(
            f"zh-{n}", make_article(n, "flood").published, "暴雨淹没沿河数百所房屋", "两人失踪。"
        )
        for n in range(3)
    ]
    found = discovery.discover(chinese)
    assert len(found) == 3
    assert (discovery.engine.encoder.name, made) == ("hashing:64", ["hashing:64"])
    again, _ = auto()
    engine = load_engine(discovery.engine.state(), again)
    assert engine.encoder.name == "hashing:64"
    engine.restore(empty)
    assert engine.encoder.name == "auto"
    assert len(engine.decide([make_article(1, "flood")])) == 1
    assert engine.encoder.name == "hashing:32"


def test_encoders_say_which_languages_they_serve():
    assert served_languages(make_encoder("minilm-int8")) == set(SERVED["minilm-int8"]) == {"en"}
    assert served_languages(HashingEncoder(dim=8)) is None
