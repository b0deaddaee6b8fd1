"""Follow a JSON Lines file: post what is added to it to a running server, and read the answer.

Start a server with ``SCSTORY_TOKEN=a-secret scstory serve``, then run
``SCSTORY_TOKEN=a-secret python examples/post_articles.py articles.jsonl``.
It prints the story of each article, and goes on until Ctrl-C; with ``--once``, to the end of the
file.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2

BATCH = 100


def batches(path: str, *, once: bool) -> Iterator[list[dict[str, Any]]]:
    """Yield the articles of a file, up to a hundred at a time, as they are written to it."""
    found: list[dict[str, Any]] = []
    line = ""
    with open(path, encoding="utf-8") as file:
        while True:
            line += file.readline()
            complete = line.endswith("\n")
            if complete:
                found.append(json.loads(line))
                line = ""
            if found and (len(found) == BATCH or not complete):
                yield found
                found = []
            elif not complete and once:
                return
            elif not complete:
                time.sleep(1)


def story_of(client: httpx2.Client, article: str) -> int | None:
    """Return the story of an article, which the server decides shortly after it accepted it."""
    for _ in range(100):
        answer = client.get(f"/api/articles/{quote(article)}")
        if answer.is_success and answer.json()["story"] is not None:
            return int(answer.json()["story"])
        time.sleep(0.2)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Post the articles of a file to a server.")
    parser.add_argument("file")
    parser.add_argument("--server", default="http://127.0.0.1:8765")
    parser.add_argument("--once", action="store_true", help="stop at the end of the file")
    options = parser.parse_args()
    headers = {"Authorization": f"Bearer {os.environ['SCSTORY_TOKEN']}"}
    with httpx2.Client(base_url=options.server, headers=headers, timeout=60) as client:
        for articles in batches(options.file, once=options.once):
            answer = client.post("/api/articles", json=articles).raise_for_status()
            for receipt in answer.json()["receipts"]:
                if receipt["status"] == "rejected":
                    print(receipt["article"], "rejected:", receipt["reason"])
                    continue
                story = story_of(client, receipt["article"])
                print(receipt["article"], receipt["status"], "story", story)
        for story in client.get("/api/stories").raise_for_status().json()["stories"]:
            print(f"{story['size']} articles: {story['title']}")


if __name__ == "__main__":
    main()
