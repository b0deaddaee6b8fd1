"""The mean of a transformer's output tokens: how an article is embedded without a sentence
encoder.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors

TOKENS = 8192
"""Tokens, padding included, that go through the model together."""


class TokenMean:
    """A transformer by name or folder; texts longer than it takes are cut."""

    def __init__(self, model: str) -> None:
        import torch

        folder = Path(model).expanduser()
        try:
            # The library's own type hints do not cover what its factories return.
            transformers: Any = import_module("transformers")
            transformers.logging.disable_progress_bar()
            place = str(folder) if folder.is_dir() else model
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(place)
            self._model = transformers.AutoModel.from_pretrained(place, dtype=torch.float32)
        except Exception as error:
            reason = str(error).strip().split("\n")[0]
            raise EncoderError(
                f"transformer {model}: cannot be loaded ({reason}); give a folder that holds a "
                "transformers model, or a model's name"
            ) from error
        self.name = folder.name if folder.is_dir() else model.rpartition("/")[2]
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.eval().to(self._device)
        self._limit = self._longest()

    def _longest(self) -> int:
        config = self._model.config
        limits = [self._tokenizer.model_max_length]
        if positions := getattr(config, "max_position_embeddings", None):
            # RoBERTa and its kin number positions from the padding's id on.
            from_padding = config.model_type in ("roberta", "xlm-roberta", "longformer")
            limits.append(positions - (config.pad_token_id + 1 if from_padding else 0))
        return int(min(limits))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of the last layer's tokens of each text."""
        import torch

        tokens = self._tokenizer(list(texts), truncation=True, max_length=self._limit)
        lengths = [len(ids) for ids in tokens["input_ids"]]
        out = np.empty((len(texts), int(self._model.config.hidden_size)), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: lengths[i])
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and lengths[order[end]] * (end + 1 - start) <= TOKENS:
                end += 1
            some = order[start:end]
            batch = {name: [values[i] for i in some] for name, values in tokens.items()}
            padded = self._tokenizer.pad(batch, return_tensors="pt").to(self._device)
            with torch.no_grad():
                hidden = self._model(**padded).last_hidden_state
            mask = padded["attention_mask"].unsqueeze(-1)
            mean = (hidden * mask).sum(1) / mask.sum(1)
            out[some] = mean.cpu().numpy()
            start = end
        return out
