"""Columns of Arrow as flat arrays for Rust, and back."""

from __future__ import annotations

import re
from typing import Any, Iterable, Iterator, Optional

import numpy
import pyarrow as pa
import pyarrow.compute as pc

from chiasm._chiasm import Error


def flat(column: Any) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Offsets and bytes of a column of texts, without copying the bytes; a text that is missing is empty.

    >>> offsets, data = flat(pa.array(["a b", None, "é"])[1:])
    >>> [bytes(data[start:end]).decode() for start, end in zip(offsets, offsets[1:])]
    ['', 'é']
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if column.null_count:
        column = pc.fill_null(column, "")
    if column.type != pa.large_string():
        column = column.cast(pa.large_string())
    if len(column) == 0:
        return numpy.zeros(1, numpy.int64), numpy.zeros(0, numpy.uint8)
    _, offsets, data = column.buffers()
    offsets = numpy.frombuffer(offsets, numpy.int64)[column.offset : column.offset + len(column) + 1]
    data = numpy.zeros(0, numpy.uint8) if data is None else numpy.frombuffer(data, numpy.uint8)
    return offsets, data


def texts(parts: tuple[numpy.ndarray, numpy.ndarray]) -> pa.Array:
    """The column of offsets and bytes.

    >>> texts((numpy.array([0, 1, 1, 3]), numpy.frombuffer(b"abc", numpy.uint8))).to_pylist()
    ['a', '', 'bc']
    """
    offsets, data = parts
    length = len(offsets) - 1
    column = pa.LargeStringArray.from_buffers(length, pa.py_buffer(offsets), pa.py_buffer(data))
    return column.cast(pa.string())


def sliced(arrays: dict[str, pa.Array], rows: int = 100_000) -> Iterator[pa.RecordBatch]:
    """Batches of at most so many rows."""
    whole = pa.RecordBatch.from_pydict(arrays)
    for start in range(0, whole.num_rows, rows):
        yield whole.slice(start, rows)


def blobs(names: list[str], rows: Iterable[tuple]) -> Iterator[pa.RecordBatch]:
    """A batch for each row of numbers (``int``) and bytes."""
    for row in rows:
        arrays = [pa.array([value], pa.binary() if isinstance(value, bytes) else pa.int32()) for value in row]
        yield pa.RecordBatch.from_arrays(arrays, names)


def add_rows(rows: Any, batch: pa.RecordBatch, before: int, identity: Optional[str]) -> None:
    """Gives a batch to Rust; a wrong row is named by its identity, or by its number in the partition."""
    try:
        rows.add(*(flat(batch.column(name)) for name in ("source", "target", "links")))
    except Error as error:
        if len(error.args) != 2:
            raise
        reason, row = error.args
        reason = re.sub(r": line \d+:", ":", reason)
        where = f"row {batch.column(identity)[row].as_py()}" if identity else f"row {before + row + 1} of a partition"
        begins = batch.column("source")[row].as_py() or ""
        begins = begins[:60] + ("…" if len(begins) > 60 else "")
        raise Error(f"{where}: {reason} (source: {begins!r})") from None
