"""Summaries rewritten by a language model behind an OpenAI-compatible address, if one is set.

The model gets the sentences of a summary with numbers and must cite them. Of its answer nothing is
believed that cannot be checked: a sentence without a citation, or with a name or a number that is
not in what it cites, makes the whole answer unusable, and the summary stays as it is.
"""

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx2

from scstory.config import RewriteSettings
from scstory.errors import ScstoryError
from scstory.serve.background import StoppableThread
from scstory.store.records import StoryQuery, StoryRow
from scstory.store.rewritten import Cited, RewrittenSummaries
from scstory.store.store_reader import SharedReader
from scstory.types import Quote

PAUSE = 5.0
"""Seconds between two looks for summaries that are new."""
FIRST_RETRY, LAST_RETRY = 10.0, 3600.0
"""Seconds until the model is asked again after it failed, and at most."""
MAX_STORIES = 30
"""The stories, the most active ones, whose summaries are rewritten."""
MAX_ANSWER_BYTES = 1_000_000
LONGEST = 1.5
"""The longest answer, compared with the sentences that it is made of."""
INSTRUCTIONS = (
    "You rewrite numbered sentences about one news story as one short paragraph that reads well. "
    "Say only what the sentences say, in their order, in their language. End every sentence with "
    "the numbers of the sentences that it is based on, in square brackets, as in [1] or [1][3]. "
    "Answer with the paragraph and nothing else."
)
_SENTENCE = re.compile(
    r"(.+?[.!?。！？]?[”\"'’)]*)\s*((?:\[\d+(?:\s*,\s*\d+)*\]\s*)+)[.。]?\s*", re.S
)
_NUMBER = re.compile(r"\d+")
_NAMES = re.compile(r"(?<=[^.!?\s]\s)[^\W\d_a-zß-ÿ][\w-]+|\d[\d.,]*")
"""Words with a capital within a sentence, and numbers."""


class ModelError(ScstoryError):
    """The address of the model gives no answer; it is asked again later."""


class UnusableAnswer(ScstoryError):
    """The model's answer cannot be used."""


class Rewriter(StoppableThread):
    """Rewrites the summaries of the most active stories, one after another, as they change."""

    def __init__(
        self,
        settings: RewriteSettings,
        summaries: RewrittenSummaries,
        browser: SharedReader,
        *,
        active: Callable[[], bool] = lambda: True,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        super().__init__("rewriter")
        self._settings, self._summaries, self._browser = settings, summaries, browser
        self._active, self._on_problem = active, on_problem

    def run(self) -> None:
        """Rewrite what is new until told to stop; a model that fails is asked less and less."""
        pause = FIRST_RETRY
        while not self.stopping.is_set():
            try:
                for story in self._due() if self._active() else ():
                    if self.stopping.is_set():
                        return
                    self._rewrite(story)
                pause, wait = FIRST_RETRY, PAUSE
            except Exception as error:  # whatever it is, stories are found without the model
                self._on_problem(f"summaries are not rewritten: {_in_short(error)}")
                pause, wait = min(2 * pause, LAST_RETRY), pause
            self.stopping.wait(wait)

    def stop(self) -> None:
        """Stop after the answer that is waited for; then there is none."""
        super().stop()
        self._summaries.close()

    def _due(self) -> list[StoryRow]:
        smallest = StoryQuery(active=True, min_size=self._settings.min_articles, sort="momentum")
        stories, _ = self._browser.story_page(smallest, limit=MAX_STORIES)
        return [
            story
            for story in stories
            if len(story.summary) > 1 and self._summaries.of(story.id, story.summary) is None
        ]

    def _rewrite(self, story: StoryRow) -> None:
        answer = ask(self._settings, prompt_of(story.summary))
        try:
            sentences = read_answer(answer, story.summary)
        except UnusableAnswer as error:
            self._on_problem(f"story {story.id}: the summary was not rewritten: {error}")
            sentences = ()
        self._summaries.put(story.id, story.summary, sentences, str(self._settings.model))


def prompt_of(summary: Sequence[Quote]) -> list[dict[str, str]]:
    """Return the messages that ask for a summary to be rewritten."""
    numbered = "\n".join(f"[{n}] {quote.text}" for n, quote in enumerate(summary, 1))
    return [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": numbered},
    ]


def ask(settings: RewriteSettings, messages: list[dict[str, str]]) -> str:
    """Return the answer of the model; redirects are not followed, so it goes nowhere else."""
    key = settings.key.get_secret_value() if settings.key else None
    body = {"model": settings.model, "messages": messages, "temperature": 0, "stream": False}
    with (
        httpx2.Client(trust_env=False, timeout=settings.timeout) as client,
        client.stream(
            "POST",
            f"{str(settings.url).rstrip('/')}/chat/completions",
            json=body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
        ) as answer,
    ):
        read, until = b"", time.monotonic() + settings.timeout
        for part in answer.iter_bytes():
            read += part
            if len(read) > MAX_ANSWER_BYTES or time.monotonic() > until:
                raise ModelError(f"the answer is too long or took over {settings.timeout:g} s")
    if answer.status_code != 200:
        raise ModelError(f"{settings.url} answers with status {answer.status_code}")
    try:
        found: Any = json.loads(read)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise ModelError(f"{settings.url} does not answer as an OpenAI-compatible service does")
    return found


def read_answer(answer: str, summary: Sequence[Quote]) -> tuple[Cited, ...]:
    """Return the sentences of an answer with their articles; raise UnusableAnswer.

    >>> quotes = Quote("Alder floods Kelby.", "a1"), Quote("6 homes in Kelby are wet.", "a2")
    >>> found = read_answer("Kelby is flooded. [1] There, 6 homes are wet. [1][2]", quotes)
    >>> [cited.articles for cited in found]
    [('a1',), ('a1', 'a2')]
    """
    found, place = [], 0
    text = " ".join(answer.split())
    for match in _SENTENCE.finditer(text):
        if match.start() != place:
            break
        place = match.end()
        numbers = [int(number) for number in dict.fromkeys(_NUMBER.findall(match[2]))]
        if not all(0 < number <= len(summary) for number in numbers):
            raise UnusableAnswer(f"it cites {match[2].strip()}; there are {len(summary)} sentences")
        _check(match[1], " ".join(summary[number - 1].text for number in numbers))
        articles = dict.fromkeys(summary[number - 1].article for number in numbers)
        found.append(Cited(match[1].strip(" ;,"), tuple(articles)))
    if not found or place < len(text):
        raise UnusableAnswer("it has a sentence that cites nothing")
    if len(text) > LONGEST * sum(len(quote.text) + 4 for quote in summary):
        raise UnusableAnswer("it is longer than what it was made of")
    return tuple(found)


def _check(sentence: str, cited: str) -> None:
    """Raise UnusableAnswer if a sentence has a name or a number that is not in what it cites."""
    there = cited.casefold()
    for word in _NAMES.findall(sentence):
        if word.rstrip(".,").casefold() not in there:
            raise UnusableAnswer(
                f"{word.rstrip('.,')[:60]!r} is not in the sentences that it cites"
            )


def _in_short(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
