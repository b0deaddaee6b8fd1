"""The paper preset on a labelled stream: windowed and whole-stream B³-F1 over seeds.

python benchmarks/paper_emergent.py emergent.jsonl.gz [--preset paper] [--seeds 3]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from datetime import timedelta

from scstory.discovery import StoryDiscovery
from scstory.discovery.window import cut_slides
from scstory.evaluation import evaluate
from scstory.feeds import open_source
from scstory.vectors import default_encoder, encode_articles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()

    items = [item for item in open_source(options.data) if item.article and item.label]
    truth = {item.article.id: item.label for item in items}
    encoder = default_encoder()
    started = time.perf_counter()
    encoded = encode_articles([item.article for item in items], encoder)
    print(f"encoded {len(encoded):,} articles in {time.perf_counter() - started:.0f} s")
    by_id = {member.article.id: member for member in encoded}
    day = timedelta(days=1)
    slides = [
        [by_id[article.id] for article in slide]
        for slide in cut_slides([item.article for item in items], day)
    ]
    results = []
    for seed in range(options.seeds):
        engine = StoryDiscovery(options.preset, encoder=encoder, seed=seed)
        result = evaluate(engine, slides, truth, window=timedelta(days=7), slide=day)
        results.append(result)
        print(
            f"seed {seed}: windowed B³-F1 {result.windowed.b3_f1:.4f}, "
            f"stream {result.stream.b3_f1:.4f}, {result.seconds:.0f} s, {result.windows} windows",
            flush=True,
        )
    f1 = [result.windowed.b3_f1 for result in results]
    spread = statistics.stdev(f1) if len(f1) > 1 else 0.0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"mean {statistics.mean(f1):.4f} ± {spread:.4f}; peak memory {memory:.2f} GiB")


if __name__ == "__main__":
    main()
