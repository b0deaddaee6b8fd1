"""Measures the scales of the 8-bit MiniLM and writes them beside `minilm_int8.py`.

Run ``python -m scstory.vectors.minilm_calibrate`` when the graph rounds something new. The text is
the bundled sample, which nothing is evaluated on, and odd lines such as feeds carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.vectors.minilm import MiniLMTokenizer, installed_folder, installed_weights
from scstory.vectors.minilm_graph import build, projections

SHARE = 0.8
"""How much of a channel's size its factor takes on; the rest stays for the weights."""
ODD = (
    *(
        "",
        "a",
        "1",
        "x y z",
        "—",
        "...",
        "|||",
        "###",
        "“”",
        "\u200b",
        "!!!!!!!!!!",
        "Short.",
        "YES.",
    ),
    *("Thank you!", "Ouch.", "Absolutely.", "Advertisement", "Read more >>", "Photo: Wire Images"),
    *("ALL CAPS BREAKING NEWS: MINISTER SAYS NO", "By A. REPORTER, Wire Service", "$1.2bn", "§ 12"),
    *(
        "12,345.67 89% 10-20 3/4 2014-11-05 14:35:07",
        "½ ¾ € £ ¥ © ® ™",
        "e=mc^2",
        "reader@example.org",
    ),
    *("https://www.example.org/news/2014/11/05/story.html?id=123&source=x", "@user #tag lol :)"),
    *(
        "Привет, мир",
        "日本語のニュース",
        "한국어 뉴스",
        "नमस्ते",
        "مرحبا",
        "Ωμέγα",
        "Ünïcödé 中文 🚢",
    ),
    *("<div class='a'>text</div>", "C:\\Windows\\System32", "Share this: by mail, by post"),
    *("word " * 300, "1 " * 300, ". " * 200, "0" * 60, "a" * 90, "-" * 60, "_" * 20, "?" * 40),
)


def calibrate(sentences: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return the scales for sentences like these."""
    import onnxruntime
    from safetensors.numpy import load

    weights = load(installed_weights())
    fed: dict[str, str] = {}
    session = onnxruntime.InferenceSession(
        build(weights, inspected=fed), providers=["CPUExecutionProvider"]
    )
    rows: dict[str, list[NDArray[Any]]] = {product: [] for product in fed}
    for tokens in MiniLMTokenizer(installed_folder()).tokenise(sentences):
        outputs = session.run(list(fed.values()), {"tokens": np.array([tokens], dtype=np.int64)})
        for product, output in zip(fed, outputs, strict=True):
            rows[product].append(output[0])
    scales: dict[str, NDArray[Any]] = {}
    for product, parts in rows.items():
        seen = np.concatenate(parts)
        largest = np.abs(seen).max(axis=0) + 1e-3
        weight = np.abs(_weight(weights, product)).max(axis=1)
        factors = largest**SHARE / weight ** (1 - SHARE)
        factors = (factors / np.exp(np.log(factors).mean())).astype(np.float16)
        scaled = seen / factors.astype(np.float32)
        scales[product] = factors
        scales[f"{product}.range"] = np.array([scaled.min(), scaled.max()], dtype=np.float32)
    return scales


def _weight(weights: dict[str, Any], product: str) -> NDArray[Any]:
    number, _, part = product.partition(".")
    layer = f"encoder.layer.{number}"
    if part == "qkv":
        return projections(weights, f"{layer}.attention")[0]
    name = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
    kernel: NDArray[Any] = weights[f"{layer}.{name[part]}.weight"].T
    return kernel


def main() -> None:
    """Write the file that `minilm_int8.py` reads, beside it."""
    from scstory.sample import load_sample
    from scstory.text import split_article

    articles = [item.article for item in load_sample() if item.article is not None]
    sentences = [sentence for article in articles for sentence in split_article(article)]
    scales = calibrate([*sentences, *ODD])
    with (Path(__file__).parent / "minilm_int8.npz").open("wb") as file:
        np.savez_compressed(file, **scales)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
