"""The words of all rows, numbered once for all machines."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterator, Optional

import numpy
import pyarrow as pa

from chiasm import _shards as shards
from chiasm._chiasm import Error
from chiasm.spark._columns import flat, sliced, texts
from chiasm.spark._session import DataFrame, Shipped, explained


class Words:
    """The words of a DataFrame's rows, to be made once and given to every function that counts.

    ``rows`` is how many rows there were.
    """

    def __init__(self, df: DataFrame, source: str = "source", target: str = "target"):
        table = _counted(df, source, target)
        kinds = table.column("kind").to_numpy()

        def texts_of(kind: int) -> Any:
            return table.column("text").filter(pa.array(kinds == kind))

        counts = table.column("count").to_numpy()
        self.rows = int(counts[kinds == 3].sum())
        self.native = shards.Words(flat(texts_of(0)), flat(texts_of(1)))
        drawn = numpy.repeat(numpy.arange(int((kinds == 2).sum())), counts[kinds == 2])
        self._drawn = texts_of(2).take(pa.array(drawn))
        folder = tempfile.mkdtemp(prefix="chiasm-words-")
        path = os.path.join(folder, "words")
        self.native.save(path)
        self.shipped = Shipped(df.sparkSession, path)
        os.remove(path)
        os.rmdir(folder)

    def sizes(self) -> tuple[int, int]:
        """How many different words either side has."""
        return self.native.sizes()

    def cuts(self, places: int) -> list[int]:
        """Where phrase pairs are cut into so many parts."""
        return self.native.cuts(flat(self._drawn), places)


def texts_of_words(df: DataFrame, source: str, target: str) -> tuple[Any, Any]:
    """The different words of both sides, as columns."""
    table = _counted(df, source, target)
    kinds = table.column("kind").to_numpy()
    # By spelling, so that nothing depends on which partition was ready first.
    return tuple(table.column("text").filter(pa.array(kinds == kind)).combine_chunks().sort() for kind in (0, 1))


def _counted(df: DataFrame, source: str, target: str) -> pa.Table:
    from pyspark.sql import functions as F

    columns = df.select(F.col(source).alias("source"), F.col(target).alias("target"))
    counted = columns.mapInArrow(_count, "kind int, text string, count bigint")
    with explained():
        table = counted.groupBy("kind", "text").agg(F.sum("count").alias("count")).toArrow()
    if table.num_rows == 0:
        raise Error("there are no rows")
    return table


def _count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counter = shards.WordCounter()
    for batch in batches:
        counter.add(flat(batch.column("source")), flat(batch.column("target")))
    kinds, words, counts = counter.finish()
    yield from sliced({"kind": pa.array(kinds), "text": texts(words), "count": pa.array(counts)})


def selected(df: DataFrame, source: str, target: str, links: str, identity: Optional[str]) -> DataFrame:
    """The columns that machines look at, under the names that they know."""
    from pyspark.sql import functions as F

    names = [(source, "source"), (target, "target"), (links, "links")]
    columns = [F.col(name).cast("string").alias(alias) for name, alias in names]
    if identity is not None:
        columns.append(F.col(identity).cast("string").alias("identity"))
    return df.select(*columns)
