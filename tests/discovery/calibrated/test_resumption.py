"""Stories that fall silent for longer than the window, and are taken up again."""

from datetime import timedelta
from functools import cache

import pytest

from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state, load_state
from tests.conftest import START
from tests.discovery.engines import DAY, decisions, discover, make, process, resumed
from tests.discovery.world import story_of, tell

FIRST, AGAIN = range(10, 14), range(24, 27)
"""When the quiet story is told, and when it is told again: after ten days without it."""
STOP = 21
"""A day on which it has left the window."""
DAYS = 30


@cache
def slides():
    """Return the stream by slides. When the quiet story is back, so is one on its subject."""
    extra = [("quiet", "trial", {*FIRST, *AGAIN}), ("alike", "trial", set(AGAIN))]
    return list(cut_slides(tell(DAYS, extra), DAY))


def engine(**overrides):
    # M stands still: what is tested here is not what it learns.
    return make(epochs=0, **overrides)


@cache
def until_stop(**overrides):
    """Return what is decided before the stop, and the state then."""
    made = engine(**overrides)
    decided = [d for slide in slides()[:STOP] for d in process(made, slide)]
    return decided, dump_state(made.state())


def go_on(**overrides):
    """Return an engine that goes on from the stop, and what it had decided before."""
    decided, content = until_stop(**overrides)
    made = engine(**overrides)
    made.restore(load_state(content))
    return made, list(decided)


@cache
def whole(**overrides):
    """Return the latest decision on every article of the stream, and the engine."""
    made, decided = go_on(**overrides)
    for slide in slides()[STOP:]:
        decided += process(made, slide)
    return {d.article: d for d in decided}, decided, made


def of(story, decided):
    return [d for article, d in decided.items() if story_of(article) == story]


def test_stories_of_the_world_are_told_apart():
    """Without this the tests below would say little."""
    decided, _, _ = whole()
    pairs = {(story_of(article), d.story) for article, d in decided.items()}
    assert len(pairs) == len({name for name, _ in pairs}) == len({n for _, n in pairs})


def test_a_story_that_comes_back_keeps_its_number():
    decided, _, _ = whole()
    quiet = of("quiet", decided)
    assert len(quiet) == 2 * (len(FIRST) + len(AGAIN))
    assert len({d.story for d in quiet}) == 1
    assert [d.new for d in quiet] == [True] + [False] * (len(quiet) - 1)
    back = quiet[2 * len(FIRST)]
    assert back.confidence >= engine().settings.delta
    assert set(back.evidence) > {"learned", "names", "time", "prior"}
    assert back.story not in {runner.story for runner in back.runners_up}


def test_a_story_is_new_once_whatever_comes_back():
    _, decided, _ = whole()
    seen = set()
    for decision in decided:
        assert decision.new == (decision.story not in seen)
        seen.add(decision.story)


def test_while_silent_it_is_over_and_afterwards_whole_and_active():
    decided, _, _ = whole()
    (number,) = {d.story for d in of("quiet", decided)}
    made, _ = go_on()
    assert number not in {story.id for story in made.stories()}
    for slide in slides()[STOP : AGAIN.start]:
        process(made, slide)
        assert number not in {story.id for story in made.stories()}
    process(made, slides()[AGAIN.start])
    (story,) = [story for story in made.stories() if story.id == number]
    assert story.active
    assert number not in {ended.id for ended in made.ended()}
    assert story.size == 2 * len(FIRST) + 2
    assert len(story.articles) == 2
    assert story.first_seen < START + (FIRST.start + 1) * DAY
    assert story.last_seen > START + AGAIN.start * DAY
    for slide in slides()[AGAIN.start + 1 :]:
        process(made, slide)
    (story,) = [story for story in made.stories() if story.id == number]
    assert story.size == 2 * (len(FIRST) + len(AGAIN))


def test_a_look_alike_about_others_does_not_take_it_up():
    decided, _, _ = whole()
    alike, quiet = of("alike", decided), of("quiet", decided)
    assert alike[0].new
    assert not {d.story for d in alike} & {d.story for d in quiet}


def test_stopped_after_every_slide_it_is_as_if_never_stopped():
    _, expected, undisturbed = whole()
    made, decided = go_on()
    for slide in slides()[STOP:]:
        decided += process(made, slide)
        made = resumed(made, engine())
    assert decisions(decided) == decisions(expected)
    assert made.stories() == undisturbed.stories()
    assert dump_state(made.state()) == dump_state(undisturbed.state())


def test_stopped_after_every_article_it_is_as_if_never_stopped():
    """Also right after the article that took the story up, within an open slide."""
    undisturbed, _ = go_on()
    articles = [article for slide in slides()[STOP : AGAIN.start + 2] for article in slide]
    expected = undisturbed.decide(articles)
    made, _ = go_on()
    decided = []
    for article in articles:
        decided += made.decide([article])
        made = resumed(made, engine())
    assert decisions(decided) == decisions(expected)
    assert dump_state(made.state()) == dump_state(undisturbed.state())
    first = next(d for d in decided if story_of(d.article) == "quiet")
    assert not first.new


def test_predicting_says_so_and_takes_nothing_up():
    decided, _, _ = whole()
    made, _ = go_on()
    for slide in slides()[STOP : AGAIN.start]:
        process(made, slide)
    discovery = discover(epochs=0)
    discovery.engine.restore(made.state())
    before = dump_state(made.state())
    article = next(a for a in slides()[AGAIN.start] if story_of(a.id) == "quiet")
    predicted = discovery.predict_one(article)
    assert (predicted.story, predicted.new) == (decided[article.id].story, False)
    assert dump_state(discovery.engine.state()) == before


@pytest.mark.parametrize("resume", ["", "8d"])
def test_a_story_is_over_for_good_after_a_while(resume):
    decided, _, _ = whole(resume=resume)
    quiet = of("quiet", decided)
    before, after = quiet[: 2 * len(FIRST)], quiet[2 * len(FIRST) :]
    assert not {d.story for d in before} & {d.story for d in after}
    assert after[0].new


def test_late_articles_of_a_story_that_is_over_count_when_it_is_back():
    decided, _, _ = whole()
    (number,) = {d.story for d in of("quiet", decided)}
    made, _ = go_on()
    early = START - timedelta(days=1)
    assert made.admit_late(early, number) == number
    for slide in slides()[STOP : AGAIN.start + 1]:
        process(made, slide)
    (story,) = [story for story in made.stories() if story.id == number]
    assert (story.size, story.first_seen) == (2 * len(FIRST) + 3, early)
