"""Any sentence-transformers model, by name or folder, on a GPU where there is one."""

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors
from scstory.vectors.auto_encoder import EVERY_LANGUAGE
from scstory.vectors.length_batches import length_batches

GPU_ROWS, CPU_ROWS = 64, 8
"""Sentences of a batch: a GPU takes 64 in the time of one, a CPU takes time for each."""
HUB_TIMEOUT = 5.0
"""Seconds within which the hub must answer before a model is looked for there."""
MODEL_WAY_OUT = (
    "give a folder that holds a sentence-transformers model, a model's name, or 'minilm-int8'"
)


class SentenceTransformerEncoder:
    """A sentence-transformers model such as ``all-roberta-large-v1`` or a folder that holds one.

    Batches hold sentences of one length and have a fixed number of rows; the last one is filled
    up by repeating a row. So every matrix product has the same shape whatever is encoded
    together: libraries choose the order of summation by shape.
    """

    def __init__(self, model: str, *, device: str | None = None, threads: int | None = None):
        import torch

        folder = Path(model).expanduser()
        looks_like_path = model.startswith((".", "/", "~")) or model.count(os.sep) > 1
        if looks_like_path and not folder.is_dir():
            raise EncoderError(f"encoder {model}: no such folder; {MODEL_WAY_OUT}")
        if threads:
            torch.set_num_threads(threads)
        try:
            self._model: Any = _load(str(folder) if folder.is_dir() else model, device)
        except Exception as error:
            reason = str(error).strip().split("\n")[0]
            raise EncoderError(
                f"encoder {model}: cannot be loaded ({reason}); {MODEL_WAY_OUT}"
            ) from error
        self._model.eval()
        self.name = f"sentence-transformers:{folder.name if folder.is_dir() else model}"
        self.fingerprint = _fingerprint(folder) if folder.is_dir() else ""
        self.languages = EVERY_LANGUAGE if "multilingual" in self.name.lower() else None
        self.dim = int(self._model.get_embedding_dimension())
        self._rows = CPU_ROWS if self._model.device.type == "cpu" else GPU_ROWS

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the model's normalised sentence vectors."""
        if not sentences:
            return np.empty((0, self.dim), dtype=np.float32)
        lengths = [len(ids) for ids in self._model.tokenizer(list(sentences))["input_ids"]]
        limit = self._model.get_max_seq_length() or max(lengths)

        out = np.empty((len(sentences), self.dim), dtype=np.float32)
        lengths = [min(length, limit) for length in lengths]
        for chosen in length_batches(lengths, lambda length: self._rows):
            texts = [sentences[i] for i in chosen]
            filled = texts + texts[-1:] * (self._rows - len(texts))
            vectors = self._model.encode(
                filled,
                batch_size=self._rows,
                show_progress_bar=False,
                normalize_embeddings=True,
                convert_to_numpy=True,
            )
            out[chosen] = vectors[: len(texts)]
        return out


def _load(model: str, device: str | None) -> Any:
    """Return a model from this machine, or else from the hub if that answers."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model, device=device, local_files_only=True)
    except Exception as error:
        if Path(model).is_dir():
            raise
        missing = "couldn't find" in str(error)
        here = "not on this machine" if missing else str(error).strip().split("\n")[0]
    try:
        HfApi().model_info(model, timeout=HUB_TIMEOUT)
    except HfHubHTTPError:
        pass  # the hub answers; whether it has the model, loading finds out
    except Exception as error:
        # Loading would retry for a minute and a half.
        raise EncoderError(f"{here}, and the hub cannot be asked: {error}") from error
    return SentenceTransformer(model, device=device)


def _fingerprint(folder: Path) -> str:
    """Return a hash that changes when the files in a model's folder change."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    seen = [f"{f.relative_to(folder)} {f.stat().st_size} {f.stat().st_mtime_ns}" for f in files]
    return blake2b("\n".join(seen).encode("utf-8", "replace"), digest_size=8).hexdigest()
