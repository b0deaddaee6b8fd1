"""Many problems of one kind as a few lines: the first of them, then how many there are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scstory.feeds import Item

SHOWN = 20
"""Problems of one kind of a source that are shown one by one."""
MAX_KINDS = 10_000
"""Kinds that are told apart."""
_NUMBERED = re.compile(r"(?::| item | row | page | record | feed )[\d,]+$")
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.:]*|\([^()]*\)")


@dataclass(slots=True)
class _Kind:
    count: int = 0
    last: str = ""
    said: int = 0


class Folding:
    """Decides which problems are shown. A kind is a source and a reason without its values."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], _Kind] = {}

    def lines(self, item: Item) -> Iterator[str]:
        """Yield what to show of a problem: itself, how many there are by now, or nothing."""
        source, problem = _NUMBERED.sub("", item.place), item.problem or ""
        key = (source, _VALUES.sub("…", problem)[:200])
        if key not in self._kinds and len(self._kinds) >= MAX_KINDS:
            key = ("", "")
        kind = self._kinds.setdefault(key, _Kind())
        kind.count += 1
        line = f"{item.place}: {problem}"
        again, kind.last = kind.last == line, line
        if kind.count <= SHOWN and not again:
            kind.said = kind.count
            yield line
        elif kind.count >= 100 and str(kind.count).strip("0") == "1":
            yield self._more(kind)

    def rest(self) -> Iterator[str]:
        """Yield how many problems were not shown, of each kind."""
        for kind in self._kinds.values():
            if kind.count > kind.said:
                yield self._more(kind)

    def _more(self, kind: _Kind) -> str:
        hidden, kind.said = kind.count - kind.said, kind.count
        return f"{hidden:,} more like it, the last: {kind.last}"
