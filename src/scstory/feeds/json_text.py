"""JSON of any size, value by value: only the value that is being read is in memory.

We do not use ijson: it stops at bytes that are not UTF-8, which published data have, and it does
not limit the size of a value.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

READ_BYTES = 2**16
"""Bytes that are read at a time. Of a damaged archive, the last of these reads is lost."""
MAX_VALUE_CHARACTERS = 8_000_000
"""The longest value that is read at once, so that a broken file cannot fill the memory."""

_SPACE = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,]*")
_ENDS = re.compile(r"[\s,\]}]")


class JsonError(ValueError):
    """The text is not JSON here; nothing after this place can be trusted."""


class TooLong(JsonError):
    """A value is longer than the limit."""


class JsonText:
    """The text of a file of JSON, and the place in it that has been read to.

    Bytes that are not UTF-8 are handled by `errors`, as in `bytes.decode`. Of a `live` stream,
    such as a pipe, what is there is read, since the rest may come much later.
    """

    def __init__(self, stream: IO[bytes], *, errors: str = "strict", live: bool = False) -> None:
        self._read = stream.read1 if live else stream.read  # type: ignore[attr-defined]
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors).decode
        self._value_at = json.JSONDecoder().raw_decode
        self._buffer, self._at, self._ended = "", 0, False

    def peek(self, *, between: bool = False) -> str:
        """Return the next character that is no space (nor a comma), "" at the end."""
        pattern = _BETWEEN if between else _SPACE
        while True:
            found = pattern.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer) or self._ended:
                return self._buffer[self._at : self._at + 1]
            self._more(READ_BYTES)

    def skip(self) -> None:
        """Pass over the character that `peek` has returned."""
        self._at += 1

    def ahead(self, characters: int) -> str:
        """Return the text that follows, at most so many characters of it."""
        while len(self._buffer) - self._at < characters and not self._ended:
            self._more(READ_BYTES)
        return self._buffer[self._at : self._at + characters]

    def value(self, *, limit: int | None = None) -> Any:
        """Read the value that begins here; raise TooLong without moving, or JsonError."""
        limit = MAX_VALUE_CHARACTERS if limit is None else limit
        size = READ_BYTES
        while True:
            try:
                value, end = self._value_at(self._buffer, self._at)
            except (ValueError, RecursionError) as error:
                reason = _reason(error)
            else:
                # A number may continue in the next chunk, unless a delimiter follows.
                whole = not isinstance(value, int | float) or _ENDS.match(self._buffer, end)
                if self._ended or whole:
                    self._at = end
                    return value
                reason = "it ends in the middle of a number"
            if self._ended:
                raise JsonError(reason)
            if len(self._buffer) - self._at > limit:
                raise TooLong(f"a value longer than {limit:,} characters")
            self._more(size)
            size *= 2  # what has been read is parsed again each time

    def elements(self) -> Iterator[Any]:
        """Yield the values of the list that begins here, or those that stand one after another."""
        in_list = self.peek() == "["
        if in_list:
            self.skip()
        while char := self.peek(between=True):
            if in_list and char == "]":
                self.skip()
                return
            yield self.value()
        if in_list:
            raise JsonError("it ends in the middle of a list")

    def _more(self, size: int) -> None:
        chunk = self._read(size)
        self._ended = not chunk
        self._buffer = self._buffer[self._at :] + self._decode(chunk, self._ended)
        self._at = 0


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).split(":")[0]
