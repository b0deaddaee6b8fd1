"""StoryDiscovery: what library users call, and that it is the engine's doing."""

import pytest

from scstory.discovery import StoryDiscovery
from scstory.discovery.state import dump_state
from scstory.errors import StoreError, UsageError
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream
from tests.discovery.engines import PRESETS, decisions, discover, finished, latest


@pytest.mark.parametrize("preset", PRESETS)
def test_a_stream_is_decided_as_an_engine_does(preset):
    discovery, expected = discover(preset), finished(preset)
    assert decisions(discovery.stream(make_stream())) == decisions(expected.decided)
    assert tuple(discovery.stories()) == expected.stories
    assert dump_state(discovery.engine.state()) == dump_state(expected.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_so_is_one_article_after_the_other(preset):
    discovery, ended, decided = discover(preset), [], []
    for article in make_stream():
        decided += discovery.learn_one(article)
        ended += discovery.ended()
    decided += discovery.finish()
    assert decisions(decided) == decisions(finished(preset).decided)
    left = {a.story for a in latest(decided).values()} - {s.id for s in discovery.stories()}
    assert {story.id for story in ended} >= left


def test_a_stream_is_put_in_order_slide_by_slide():
    stream = [make_article(n, ("flood", "trial")[n % 2], day=n // 6) for n in range(36)]
    turned = [article for day in range(6) for article in reversed(stream[day * 6 : day * 6 + 6])]
    assert decisions(discover().stream(turned)) == decisions(discover().stream(stream))


def test_learning_decides_at_once():
    discovery = discover()
    (first,), (second,) = (discovery.learn_one(make_article(n, "flood")) for n in range(2))
    assert (first.new, second.new, second.story) == (True, False, first.story)


@pytest.mark.parametrize("preset", PRESETS)
def test_before_anything_was_seen_an_article_would_found_a_story(preset):
    predicted = discover(preset).predict_one(make_article(0, "flood"))
    assert (predicted.new, predicted.story, predicted.confidence) == (True, 1, 1.0)


def test_explaining_what_is_not_there():
    with pytest.raises(UsageError, match="article 'nobody': not in the window"):
        discover().explain("nobody")
    paper = discover("paper")
    paper.learn_one(make_article(0, "flood"))  # held back
    with pytest.raises(UsageError, match="article 'flood-0': not in the window"):
        paper.explain("flood-0")


@pytest.mark.parametrize("preset", PRESETS)
def test_save_and_load(tmp_path, preset):
    encoder = HashingEncoder(dim=64)
    discovery = discover(preset, encoder=encoder)
    list(discovery.stream(make_stream(9)))
    discovery.save(tmp_path / "discovery.npz")
    loaded = StoryDiscovery.load(tmp_path / "discovery.npz", encoder=encoder)
    assert loaded.settings == discovery.settings
    assert loaded.stories() == discovery.stories()
    more = make_article(50, "trial", day=9)
    assert decisions(loaded.learn_one(more)) == decisions(discovery.learn_one(more))


def test_saved_within_an_open_slide_it_goes_on_there(tmp_path):
    discovery, encoder, stream = discover(), HashingEncoder(dim=64), make_stream(4)
    for article in stream[:9]:
        discovery.learn_one(article)
    discovery.save(tmp_path / "discovery.npz")
    loaded = StoryDiscovery.load(tmp_path / "discovery.npz", encoder=encoder)
    assert loaded.engine.open_articles == discovery.engine.open_articles == 3
    first, second = (
        [a for article in stream[9:] for a in one.learn_one(article)] + one.finish()
        for one in (discovery, loaded)
    )
    assert decisions(first) == decisions(second)


def test_loading_nonsense_is_refused(tmp_path):
    (tmp_path / "engine.npz").write_bytes(b"not an archive")
    with pytest.raises(StoreError, match="not a saved scstory state"):
        StoryDiscovery.load(tmp_path / "engine.npz", encoder=HashingEncoder())
    with pytest.raises(UsageError, match="cannot be read"):
        StoryDiscovery.load(tmp_path / "missing.npz", encoder=HashingEncoder())


@pytest.mark.parametrize("cut", [0.3, 0.9, 0.999])
def test_loading_what_is_cut_short_is_refused(tmp_path, cut):
    discovery = discover()
    discovery.learn_one(make_article(0, "flood"))
    discovery.save(path := tmp_path / "engine.npz")
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(StoreError, match="not a saved scstory state, or damaged"):
        StoryDiscovery.load(path, encoder=HashingEncoder(dim=64))
