"""Bytes of a file as they are meant: decompressed, and text in UTF-8 with line feeds.

The content says what a file is, not its name: gzip, xz, bzip2 and Zstandard are recognised by
their first bytes, UTF-16 by its byte order mark or the zeros between Latin letters.
"""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from typing import IO, Any, BinaryIO, cast

from scstory.errors import SourceError

CHUNK = 2**16
MAX_LAYERS = 3
"""How often something compressed may be compressed again."""
DAMAGE_ERRORS: tuple[type[Exception], ...] = (EOFError, OSError, lzma.LZMAError, zlib.error)
"""What reading a damaged archive raises; that of Zstandard is converted to OSError."""
_GZIP, _XZ, _BZIP2, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh", b"\x28\xb5\x2f\xfd"


class _Readable(io.RawIOBase):
    """A stream without a buffer over another one, which gives what it has before it fails."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._next(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def _next(self, size: int) -> bytes:
        found: bytes = getattr(self._stream, "read1", self._stream.read)(size)
        return found


class _Zstandard(_Readable):
    """A stream that is decompressed with the library of that name."""

    def __init__(self, stream: IO[bytes]) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        reader = zstandard.ZstdDecompressor(max_window_size=2**27)
        super().__init__(reader.stream_reader(cast(BinaryIO, stream), read_across_frames=True))
        self._source = stream

    def _next(self, size: int) -> bytes:
        try:
            found: bytes = self._stream.read(min(size, CHUNK))
        except self._error as error:
            raise OSError(str(error)) from None
        return found


class _Recoded(_Readable):
    """Text of another encoding as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        super().__init__(stream)
        self._decode = codecs.getincrementaldecoder(encoding)("surrogatepass").decode
        self._left = b""
        self._ended = False

    def _next(self, size: int) -> bytes:
        while not self._left and not self._ended:
            chunk = super()._next(CHUNK)
            self._ended = not chunk
            try:
                text = self._decode(chunk, self._ended)
            except UnicodeError:
                raise OSError("half a character at the end") from None
            self._left = text.encode("utf-8", "surrogatepass")
        found, self._left = self._left[:size], self._left[size:]
        return found


class _LineFeeds(_Readable):
    """Text whose lines end with carriage returns alone, with line feeds instead."""

    def _next(self, size: int) -> bytes:
        return super()._next(size).replace(b"\r", b"\n")


def buffered(stream: Any) -> io.BufferedReader:
    """Return a stream with a buffer that one can peek into."""
    return io.BufferedReader(_Readable(stream), CHUNK)


def start_of(stream: io.BufferedReader, size: int = 4096) -> bytes:
    """Return the first bytes of a stream without moving in it."""
    return stream.peek(size)[:size]


def decompressed(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    """Return a stream without its compression, if it has one."""
    for _ in range(MAX_LAYERS):
        start = start_of(stream, 8)
        if start.startswith(_GZIP):
            stream = buffered(gzip.GzipFile(fileobj=stream))
        elif start.startswith(_XZ):
            stream = buffered(lzma.LZMAFile(stream))  # noqa: SIM115
        elif start.startswith(_BZIP2) and start[4:].startswith(b"1AY&"):
            stream = buffered(bz2.BZ2File(stream))
        elif start.startswith(_ZSTD):
            stream = io.BufferedReader(_Zstandard(stream), CHUNK)
        else:
            return stream
    raise SourceError(f"{name}: is compressed more than {MAX_LAYERS} times")


def as_utf8(stream: io.BufferedReader) -> tuple[io.BufferedReader, bool]:
    """Return text as UTF-8 without a byte order mark, and whether the encoding is certain."""
    start = start_of(stream)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return io.BufferedReader(_Recoded(stream, "utf-16"), CHUNK), True
    if start.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
        return stream, True
    low, high = start[:400:2], start[1:400:2]
    for encoding, zeros, others in (("utf-16-le", high, low), ("utf-16-be", low, high)):
        if len(others) > 3 and b"\0" not in others and zeros.count(0) > 0.8 * len(zeros):
            return io.BufferedReader(_Recoded(stream, encoding), CHUNK), True
    return stream, False


def with_line_feeds(stream: io.BufferedReader) -> io.BufferedReader:
    """Return text with line feeds, if it has carriage returns in their place."""
    start = start_of(stream, CHUNK)
    if b"\r" in start.rstrip(b"\r") and b"\n" not in start:
        return io.BufferedReader(_LineFeeds(stream), CHUNK)
    return stream
