"""Labelled streams: files of our own format, News14, WCEP and answers of NewsAPI."""

from scstory.evaluation.datasets.dataset import Dataset
from scstory.evaluation.datasets.published import CATALOGUE, DatasetInfo
from scstory.evaluation.datasets.spec import open_dataset

__all__ = ["CATALOGUE", "Dataset", "DatasetInfo", "open_dataset"]
