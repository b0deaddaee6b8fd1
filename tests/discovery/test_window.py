"""Cutting into slides, and the window's rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import torch

from scstory.discovery.window import SlideCutter, Window, cut_slides, gather, slide_index
from scstory.types import Article, EncodedArticle

DAY = timedelta(days=1)
START = datetime(2026, 3, 2, tzinfo=UTC)


def at(hours, name="x"):
    return Article(f"{name}{hours}", START + timedelta(hours=hours), "t", "text")


def encoded(hours, sentences=2):
    rows = np.full((sentences, 4), hours, dtype=np.float32)
    return EncodedArticle(at(hours), ("s",) * sentences, rows)


def test_slides_are_calendar_days_in_utc():
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    assert slide_index(midnight, DAY) - slide_index(midnight - timedelta(seconds=1), DAY) == 1


def test_a_slide_closes_when_a_later_article_comes():
    slides = list(cut_slides([at(1), at(5), at(23), at(24), at(80)], DAY))
    assert [[a.id for a in slide] for slide in slides] == [["x1", "x5", "x23"], ["x24"], ["x80"]]


def test_within_a_slide_articles_are_put_in_publication_order():
    slides = list(cut_slides([at(9), at(3), at(5)], DAY))
    assert [a.id for a in slides[0]] == ["x3", "x5", "x9"]


def test_late_articles_go_with_the_open_slide():
    slides = list(cut_slides([at(1), at(30), at(2), at(31), at(60)], DAY))
    assert [[a.id for a in slide] for slide in slides] == [["x1"], ["x2", "x30", "x31"], ["x60"]]


def test_a_cutter_that_goes_on_does_not_reopen_old_slides():
    cutter = SlideCutter(DAY, current=slide_index(START + timedelta(hours=30), DAY))
    assert cutter.add(at(2)) == []
    assert cutter.add(at(31)) == []
    assert [a.id for a in cutter.add(at(60))] == ["x2", "x31"]


def test_no_articles_no_slides():
    assert list(cut_slides([], DAY)) == []


def test_window_lets_the_oldest_go_with_all_that_is_known_of_them():
    window = Window(4)
    window.append([encoded(1, 3), encoded(2, 1), encoded(30, 2)], not_before=START)
    window.story[:] = [5, 6, 7]
    assert len(window.evict(START + DAY)) == 2
    assert [m.article.id for m in window.members] == ["x30"]
    assert window.story.tolist() == [7]
    assert window.sentences.shape == (2, 4)
    assert window.terms.shape[0] == len(window.pooling) == len(window.received) == 1
    assert (window.sentences == 30).all()
    assert len(window.evict(START + 9 * DAY)) == 1
    assert len(window) == 0
    assert window.sentences.shape == (0, 4)


def test_a_late_article_stays_as_long_as_one_of_today():
    window = Window(4)
    window.append([encoded(1)], not_before=START + 3 * DAY)
    assert len(window.evict(START + 2 * DAY)) == 0


def test_rows_and_gather_give_each_article_its_own_sentences():
    window = Window(4)
    window.append([encoded(1, 3), encoded(2, 1)], not_before=START)
    rows = window.rows(np.array([1, 0]))
    assert rows.tolist() == [[3, -1, -1], [0, 1, 2]]
    sentences, mask = gather(window.sentences, rows, torch.device("cpu"))
    assert mask.tolist() == [[True, False, False], [True, True, True]]
    assert sentences[0, 0, 0] == 2
    assert (sentences[1] == 1).all()


def test_articles_that_come_one_by_one_are_not_copied_each_time():
    rng = np.random.default_rng(0)
    articles = [
        EncodedArticle(at(n), ("s",) * k, rng.standard_normal((k, 4)).astype(np.float32))
        for n, k in enumerate(rng.integers(1, 6, 200))
    ]
    together, one_by_one, places = Window(4), Window(4), set()
    together.append(articles, not_before=START)
    for article in articles:
        one_by_one.append([article], not_before=START)
        places.add(one_by_one.sentences.data_ptr())
    assert torch.equal(one_by_one.sentences, together.sentences)
    assert len(places) < 40
    gone = one_by_one.evict(START + timedelta(hours=50))
    assert len(gone) == 50
    one_by_one.append([replace(articles[0], article=at(300))], not_before=START)
    expected = torch.cat(
        [together.sentences[int(together.starts[50]) :], gone.sentences[: len(articles[0].vectors)]]
    )
    assert torch.equal(one_by_one.sentences, expected)
