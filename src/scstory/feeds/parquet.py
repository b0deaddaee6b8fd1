"""Parquet and Arrow files, such as data sets of Hugging Face: `pip install scstory[parquet]`."""

from collections.abc import Iterator
from typing import IO, Any

from scstory.errors import SourceError
from scstory.feeds.records import RecordReader
from scstory.feeds.source import Raw

BATCH_ROWS = 256


def read_parquet(file: IO[bytes], kind: str, reader: RecordReader) -> Iterator[Raw]:
    """Yield the rows of a Parquet or Arrow file; only the columns of articles are read."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise SourceError(
            f"{reader.name}: reading Parquet and Arrow files needs pyarrow: "
            "pip install 'scstory[parquet]'"
        ) from None
    number = 0
    try:
        for batch in _batches(arrow, parquet, file, kind, reader):
            for row in batch.to_pylist():
                number += 1
                yield f" row {number}", row, None
    except (arrow.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise OSError(reason) from None


def _batches(
    arrow: Any, parquet: Any, file: IO[bytes], kind: str, reader: RecordReader
) -> Iterator[Any]:
    if kind == "parquet":
        table = parquet.ParquetFile(file)
        wanted = _wanted(table.schema_arrow.names, reader)
        yield from table.iter_batches(batch_size=BATCH_ROWS, columns=wanted)
        return
    start = file.read(6)
    file.seek(0)
    if start == b"ARROW1":
        blocks = arrow.ipc.open_file(file)
        found = (blocks.get_batch(number) for number in range(blocks.num_record_batches))
    else:
        blocks = found = arrow.ipc.open_stream(file)
    wanted = _wanted(blocks.schema.names, reader)
    for batch in found:
        chosen = batch.select(wanted)
        for start_row in range(0, chosen.num_rows, BATCH_ROWS):
            yield chosen.slice(start_row, BATCH_ROWS)


def _wanted(names: list[str], reader: RecordReader) -> list[str]:
    """Return the columns that matter; others may be vectors or pictures."""
    columns = reader.check_table(tuple(names))
    used = {name.partition(".")[0] for found in columns.names.values() for name in found}
    return [name for name in names if name in used or name in _SIGNS]


_SIGNS = frozenset({"highlights", "image_url", "time", "domain"})
"""Columns by which formats are recognised."""
