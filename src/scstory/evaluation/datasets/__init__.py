"""Labelled streams: our own files, News14, WCEP, and answers of NewsAPI, all as `Item`s."""

from scstory.evaluation.datasets.base import Dataset
from scstory.evaluation.datasets.catalogue import CATALOGUE, Entry
from scstory.evaluation.datasets.spec import open_dataset

__all__ = ["CATALOGUE", "Dataset", "Entry", "open_dataset"]
