"""Pages say which language a text is in, and in which direction it runs."""

import re
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from scstory.serve.app import make_app
from scstory.serve.service import Service
from scstory.store import open_store
from scstory.store.store_reader import SharedReader
from scstory.types import Article
from tests.conftest import START
from tests.discovery.test_engine import make
from tests.store.test_store import fill

TEXTS = {
    "ar": ("فيضان يجبر الآلاف على مغادرة كيلبي", "ارتفع منسوب النهر بعد أسبوع من الأمطار الغزيرة."),
    "de": ("Hochwasser in Kelby: Tausende fliehen", "Nach Tagen mit Regen trat die Alder über."),
    "en": ("Ferry strike ends at Ansel Sound", "Crews of Sound Lines agreed on new contracts."),
    "zh": ("黄河决堤，洛阳数千居民撤离", "连续一周降雨后，黄河在洛阳决堤，市长请求军队支援。"),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("languages") / "s.db")
    store = open_store(path)
    articles = [
        Article(language, START + timedelta(hours=n), title, text)
        for n, (language, (title, text)) in enumerate(TEXTS.items())
    ]
    fill(store, make("default"), articles)
    store.close()
    service = Service(SharedReader(path, clock=lambda: START + timedelta(hours=9)))
    with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize(
    ("language", "attributes"),
    [("ar", ' lang="ar" dir="rtl"'), ("de", ' lang="de"'), ("en", ""), ("zh", ' lang="zh"')],
)
def test_titles_and_texts_have_their_language(client, language, attributes):
    title, _ = TEXTS[language]
    page = client.get(f"/articles/{language}").text
    assert f"<h1{attributes}>{title}</h1>" in page
    assert f'<div class="shaded"{attributes}>' in page
    story = client.get(f"/api/articles/{language}").json()["story"]
    page = client.get(f"/stories/{story}").text
    assert re.search(f"<h1{attributes}[^>]*>{re.escape(title)}", page)
    assert f"<h3{attributes}>" in page


def test_the_front_page_marks_titles_in_other_scripts(client):
    page = client.get("/").text
    assert '<html lang="en">' in page
    assert 'lang="ar" dir="rtl">فيضان' in page
    assert 'lang="zh">黄河' in page


def test_the_api_says_the_language(client):
    assert {id_: client.get(f"/api/articles/{id_}").json()["language"] for id_ in TEXTS} == {
        id_: id_ for id_ in TEXTS
    }
