"""The languages of USE-multilingual-3."""

USE_LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
"""The languages of its training, of which Chinese counts twice, in simplified and traditional
characters. Sentences of other languages get vectors that mean little."""
