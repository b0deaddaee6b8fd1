"""The names of the features of articles, and of the relations of sentences to their article."""

from scstory.text import FIELDS

OWN_RELATIONS = (
    "vector_title",
    "vector_opening",
    "vector_rest",
    "vector_nearest",
    "words_title",
    "words_opening",
    "words_rest",
    "words_nearest",
    "words_elsewhere",
    "length",
)
RELATIONS = (*OWN_RELATIONS, *(f"beside_{name}" for name in OWN_RELATIONS))
"""How a sentence relates to its article: cosines with the title, the opening, the rest and the
nearest sentences; the share of its words, by idf, that stand elsewhere in the article; its length;
and the mean of each of these over the two sentences beside it."""

LEARNED = "learned"
DENSE = (LEARNED, "headline", "opening")
"""Features that are vectors: R of M, the vector of the first sentence, and that of the opening."""
SOUNDS = "sounds"
"""How names sound, which is evidence across languages alone."""
FEATURES = (*DENSE, *(field for field in FIELDS if field != SOUNDS))
