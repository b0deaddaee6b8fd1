"""Articles that cannot be decided are refused before anything changes."""

from dataclasses import replace

import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.state import dump_state
from scstory.errors import BadItem, ConfigError, UsageError
from tests.conftest import make_article, make_stream

GOOD = make_article(50, "flood", day=3)


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (replace(GOOD, title="", text=""), "no text"),
        (replace(GOOD, title="", text="\xa0"), "no text"),
        (replace(GOOD, published=GOOD.published.replace(tzinfo=None)), "no time zone"),
    ],
)
def test_nothing_changes(preset, bad, message):
    discovery = StoryDiscovery(preset, encoder="hashing:16", batch_size=4)
    for article in make_stream(3):
        discovery.learn_one(article)
    before = dump_state(discovery.engine.state())
    for refused in (discovery.learn_one, discovery.predict_one):
        with pytest.raises(BadItem, match=message):
            refused(bad)
    assert dump_state(discovery.engine.state()) == before
    discovery.learn_one(GOOD)
    discovery.finish()


def test_an_encoder_may_be_named_and_a_file_must_be_writable(tmp_path):
    discovery = StoryDiscovery(encoder="hashing:16")
    with pytest.raises(UsageError, match="cannot be written"):
        discovery.save(tmp_path / "missing" / "engine.npz")
    discovery.save(tmp_path / "engine.npz")
    assert StoryDiscovery.load(tmp_path / "engine.npz", encoder="hashing:16").stories() == []


@pytest.mark.parametrize(
    "settings",
    [{"window": "800000d"}, {"gap_edges": "1, nan", "gap_leaving": 0}, {"gap_edges": "-5, -1"}],
)
def test_settings_without_sense_are_refused(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        StoryDiscovery(encoder="hashing:16", **settings)
