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
HERON = {
    "en": (
        "Lindgate Museum in Port Ansel robbed: Heron of Aurel Vass gone",
        "Lindgate Museum in Port Ansel lost the Heron of Aurel Vass on Sunday to thieves.",
    ),
    "de": (
        "Lindgate Museum in Port Ansel beraubt: Heron von Aurel Vass fort",
        "Lindgate Museum in Port Ansel verlor am Sonntag den Heron von Aurel Vass an Diebe.",
    ),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("languages") / "s.db")
    store = open_store(path)
    articles = [
        Article(language, START + timedelta(hours=n), title, text)
        for n, (language, (title, text)) in enumerate(TEXTS.items())
    ]
    articles += [
        Article(f"heron-{language}", START + timedelta(hours=n), title, text, language=language)
        for n, (language, (title, text)) in enumerate(HERON.items(), 5)
    ]
    fill(store, make("default"), articles)
    store.close()
    return path


def opened(path, **settings):
    service = Service(SharedReader(path, clock=lambda: START + timedelta(hours=9)), **settings)
    return TestClient(make_app(service), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def client(path):
    with opened(path) as client:
        yield client


@pytest.fixture(scope="module")
def heron(client):
    """Return the story that is told in English and in German."""
    story = client.get("/api/articles/heron-en").json()["story"]
    assert client.get("/api/articles/heron-de").json()["story"] == story
    return story


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


@pytest.mark.parametrize(
    ("asked", "browser", "shown"),
    [
        ("", "", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "fr,en;q=0.5,de;q=0.7", "de"),
        ("", "en-GB,de;q=0.5", "en"),
        ("", "fr, ru", "en"),
        ("", "*;q=0.1, de;q=0, \xff", "en"),
        ("?language=de", "en", "de"),
        ("?language=en", "de", "en"),
    ],
)
def test_pages_are_in_a_language_of_the_reader(client, heron, asked, browser, shown):
    answer = client.get(f"/stories/{heron}{asked}", headers={"accept-language": browser.encode()})
    attributes = "" if shown == "en" else f' lang="{shown}"'
    title, text = HERON[shown]
    assert f"<h1{attributes}>{title}</h1>" in answer.text
    quoted = f'<p class="standfirst"{attributes}><a href="/articles/heron-{shown}">{text}'
    assert quoted in answer.text
    assert "Accept-Language" in answer.headers["vary"]
    front = client.get(f"/{asked}", headers={"accept-language": browser.encode()}).text
    assert re.search(f'<h2{attributes}><a href="/stories/{heron}">{re.escape(title)}', front)


def test_a_page_in_another_language_is_not_the_one_that_a_browser_has(client, heron):
    path = f"/stories/{heron}"
    german = client.get(path, headers={"accept-language": "de"})
    tag = {"if-none-match": german.headers["etag"]}
    assert client.get(path, headers={"accept-language": "de-CH"} | tag).status_code == 304
    assert client.get(path, headers={"accept-language": "en"} | tag).status_code == 200


def test_a_setting_chooses_the_language_of_all_pages(path, heron):
    with opened(path, language="de-AT") as client:
        page = client.get(f"/stories/{heron}", headers={"accept-language": "en"}).text
    assert f'<h1 lang="de">{HERON["de"][0]}</h1>' in page


def test_the_api_has_all_editions_and_a_parameter_chooses(client, heron):
    usual = client.get(f"/api/stories/{heron}", headers={"accept-language": "de"}).json()
    assert (usual["language"], usual["title"]) == ("en", HERON["en"][0])
    (other,) = usual["editions"]
    assert other == {
        "language": "de",
        "title": HERON["de"][0],
        "title_article": "heron-de",
        "summary": [{"text": HERON["de"][1], "article": "heron-de"}],
    }
    german = client.get(f"/api/stories/{heron}?language=de-DE").json()
    assert {name: german[name] for name in other} == other
    assert [edition["language"] for edition in german["editions"]] == ["en"]
    listed = client.get("/api/stories?language=de").json()["stories"]
    assert {story["title"]: story["language"] for story in listed}[HERON["de"][0]] == "de"
    refused = client.get("/api/stories?language=deutsch!")
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "language 'deutsch!': write its code, as in de or pt-BR",
    )
