"""Word translation tables, phrase tables and reordering tables, byte for byte those of one machine."""

from __future__ import annotations

import functools
import os
import tempfile
from collections import defaultdict
from typing import Any, Iterator, Optional

import numpy
import pyarrow as pa

from chiasm import _shards as shards
from chiasm._chiasm import Error
from chiasm.spark._columns import add_rows, blobs, sliced
from chiasm.spark._session import DataFrame, Shipped, explained, kept, partitions_of, words_of, workplace
from chiasm.spark._words import Words, selected

Batches = Iterator[pa.RecordBatch]
#: Memory of one task while it counts; more is sorted on its disk.
MEMORY = 512 << 20


def _corpus(words: Shipped, batches: Batches, identity: Optional[str]) -> Any:
    rows, before = shards.Rows(words_of(words.path())), 0
    for batch in batches:
        add_rows(rows, batch, before, identity)
        before += batch.num_rows
    return rows


def lexicon(
    df: DataFrame,
    output: Optional[Any] = None,
    *,
    words: Optional[Words] = None,
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
) -> "Lexicon":
    """How often words were linked, over all rows. With ``output`` Moses' word translation tables ``OUTPUT.f2e`` and
    ``OUTPUT.e2f`` are written, as ``chiasm phrases --write-lexicon`` does.
    """
    words = words or Words(df, source, target)
    rows = selected(df, source, target, links, identity)
    shipped, name = words.shipped, "identity" if identity else None

    def count(batches: Batches) -> Batches:
        keys, counts = _corpus(shipped, batches, name).lexicon()
        yield from sliced({"key": pa.array(keys), "count": pa.array(counts)})

    from pyspark.sql import functions as F

    counted = rows.mapInArrow(count, "key bigint, count bigint")
    with explained():
        table = counted.groupBy("key").agg(F.sum("count").alias("count")).toArrow()
    found = Lexicon(words, table.combine_chunks())
    if output is not None:
        found.write(output)
    return found


class Lexicon:
    """Word translation probabilities of all rows; what :func:`lexicon` returns."""

    def __init__(self, words: Words, table: pa.Table):
        self._words = words
        self.arrays = [numpy.ascontiguousarray(table.column(name).to_numpy()) for name in ("key", "count")]

    def write(self, prefix: Any) -> None:
        """Writes ``PREFIX.f2e`` and ``PREFIX.e2f``."""
        shards.SummedLexicon(*self.arrays).write(self._words.native, prefix)

    def shipped(self, df: DataFrame) -> Shipped:
        """The counts as a file on all machines."""
        with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
            path = os.path.join(folder, "lexicon.npy")
            numpy.save(path, numpy.stack(self.arrays))
            return Shipped(df.sparkSession, path)


@functools.lru_cache(maxsize=1)
def _lexicon_of(path: str) -> Any:
    keys, counts = numpy.load(path)
    return shards.SummedLexicon(numpy.ascontiguousarray(keys), numpy.ascontiguousarray(counts))


class Pairs:
    """Distinct phrase pairs of all rows with their counts, in some folder, sorted and cut into parts."""

    def __init__(self, words: Words, runs: DataFrame, partitions: int):
        self.words, self.runs, self.partitions = words, runs, partitions
        from pyspark.sql import functions as F

        sums = [F.sum(f"s{number}").alias(f"s{number}") for number in range(14)]
        with explained():
            table = runs.agg(*sums).toArrow()
        self.sums = [int(table.column(f"s{number}")[0].as_py() or 0) for number in range(14)]

    def __len__(self) -> int:
        return self.sums[0]


def count_pairs(
    df: DataFrame,
    words: Words,
    work: str,
    *,
    partitions: Optional[int] = None,
    kind: str = "word",
    forward_rule: str = "moses",
    max_length: int = 7,
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
    memory: int = MEMORY,
) -> Pairs:
    """Extracts and counts. Machines send one another sorted runs of packed keys, a few large values a task in place of millions of
    rows; equal keys of a task have met before, so that a phrase pair with a third of all counts is one record a task.
    """
    places = partitions_of(df, partitions)
    cuts = words.cuts(places)
    rows = selected(df, source, target, links, identity)
    shipped, name = words.shipped, "identity" if identity else None

    def extract(batches: Batches) -> Batches:
        corpus = _corpus(shipped, batches, name)
        yield from blobs(["place", "run"], corpus.phrases(cuts, kind, forward_rule, max_length, memory))

    def merge(batches: Batches) -> Batches:
        for place, values in _by_place(batches, "run"):
            merged = shards.merge(words_of(shipped.path()), [run for _, run in values])
            for part, (run, sums) in enumerate(merged):
                arrays = [pa.array([place], pa.int32()), pa.array([part], pa.int32()), pa.array([run], pa.binary())]
                arrays += [pa.array([value], pa.int64()) for value in sums]
                yield pa.RecordBatch.from_arrays(arrays, ["place", "part", "run"] + [f"s{n}" for n in range(14)])

    runs = rows.mapInArrow(extract, "place int, run binary").repartition(places, "place")
    schema = "place int, part int, run binary, " + ", ".join(f"s{number} bigint" for number in range(14))
    return Pairs(words, kept(runs.mapInArrow(merge, schema), work, "pairs"), places)


def _by_place(batches: Batches, *names: str) -> Iterator[tuple[int, list[tuple]]]:
    """The values of each place of a partition, places and parts in order; names are of columns with bytes."""
    places: dict[int, list[tuple]] = defaultdict(list)
    for batch in batches:
        parts = batch.column("part").to_pylist() if "part" in batch.schema.names else [0] * batch.num_rows
        columns = [batch.column(name).to_pylist() for name in names]
        for place, part, *values in zip(batch.column("place").to_pylist(), parts, *columns):
            places[place].append((part, *values))
    for place in sorted(places):
        yield place, sorted(places.pop(place), key=lambda row: row[0])


class Table:
    """Lines of a table, sorted as one machine sorts them, in as many parts as there are."""

    def __init__(self, parts: DataFrame):
        self._parts = parts

    def lines(self) -> DataFrame:
        """A row a line, column ``value``."""

        def split(batches: Batches) -> Batches:
            for batch in batches:
                for lines in batch.column("lines").to_pylist():
                    yield from sliced({"value": pa.array(lines.decode().splitlines(), pa.string())})

        return self._parts.mapInArrow(split, "value string")

    def write(self, path: Any) -> None:
        """One file on this machine, compressed as its name says; it appears when it is whole."""
        from pyspark.sql import functions as F

        output = shards.TextFile(path)
        with explained():
            places = sorted(self._parts.select("place").distinct().toArrow().column("place").to_pylist())
            # One place after the other: Spark's own sort would hold samples of whole parts in the heap.
            for place in places:
                table = self._parts.where(F.col("place") == place).select("part", "lines").toArrow().sort_by("part")
                for lines in table.column("lines"):
                    output.write(memoryview(lines.as_buffer()).tobytes())
        output.finish()


def phrases(
    df: DataFrame,
    output: Optional[Any] = None,
    *,
    work: Optional[Any] = None,
    words: Optional[Words] = None,
    partitions: Optional[int] = None,
    max_length: int = 7,
    smoothing: str = "none",
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
) -> Optional[Table]:
    """The phrase table of all rows with its four scores in Moses' format, the bytes of ``chiasm phrases`` for any number of
    partitions. It goes to the file ``output``, or stays in the folder ``work``, which all machines see, as a :class:`Table`.
    ``identity`` names a column that errors call rows by. In a ``work`` of an earlier run, what is done is not done again.
    """
    if output is None and work is None:
        raise Error("output, a file, or work, a folder that all machines see, expected")
    words = words or Words(df, source, target)
    places = partitions_of(df, partitions)
    columns = {"source": source, "target": target, "links": links, "identity": identity}
    with workplace(work) as folder:
        pairs = count_pairs(df, words, folder, partitions=places, max_length=max_length, **columns)
        known = lexicon(df, words=words, **columns).shipped(df)
        table = Table(kept(_scored(pairs, known, smoothing), folder, f"phrases-{smoothing}"))
        known.remove()
        if output is None:
            return table
        table.write(output)
        return None


def _scored(pairs: Pairs, known: Shipped, smoothing: str) -> DataFrame:
    from pyspark.sql import functions as F

    shipped, meetings, seen = pairs.words.shipped, pairs.partitions, pairs.sums[:5]

    def tell(batches: Batches) -> Batches:
        words = words_of(shipped.path())
        for batch in batches:
            for place, part, run in zip(*(batch.column(name).to_pylist() for name in ("place", "part", "run"))):
                told = shards.target_counts(words, (place, part), run, meetings)
                yield from blobs(["meeting", "told"], ((at, some) for at, some in enumerate(told) if some))

    def add_up(batches: Batches) -> Batches:
        told = [value for batch in batches for value in batch.column("told").to_pylist()]
        if told:
            yield from blobs(["place", "known"], shards.target_marginals(told, MEMORY))

    def score(batches: Batches) -> Batches:
        words, summed = words_of(shipped.path()), _lexicon_of(known.path())
        for place, values in _by_place(batches, "run", "known"):
            runs = [run for _, run, _ in values if run is not None]
            marginals = [sums for _, _, sums in values if sums is not None]
            lines = shards.score(words, summed, smoothing, seen, runs, marginals)
            yield from blobs(["place", "part", "lines"], ((place, part, some) for part, some in enumerate(lines)))

    runs = pairs.runs.select("place", "part", "run")
    told = runs.mapInArrow(tell, "meeting int, told binary").repartition(meetings, "meeting")
    marginals = told.mapInArrow(add_up, "place int, known binary")
    nothing = F.lit(None).cast("binary")
    both = runs.select("place", "part", "run", nothing.alias("known")).unionByName(
        marginals.select("place", F.lit(-1).alias("part"), nothing.alias("run"), "known")
    )
    return both.repartition(pairs.partitions, "place").mapInArrow(score, "place int, part int, lines binary")


def reordering_table(
    df: DataFrame,
    output: Optional[Any] = None,
    *,
    model: str = "hier-msd-bidirectional-fe",
    smoothing: float = 0.5,
    smooth_by: str = "constant",
    forward_rule: str = "moses",
    work: Optional[Any] = None,
    words: Optional[Words] = None,
    partitions: Optional[int] = None,
    max_length: int = 7,
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
) -> Optional[Table]:
    """The lexicalised reordering table of all rows in Moses' format, the bytes of ``chiasm reorder table`` for any number of
    partitions; ``output``, ``work`` and ``identity`` as :func:`phrases` has them, but a ``work`` of its own.
    """
    if output is None and work is None:
        raise Error("output, a file, or work, a folder that all machines see, expected")
    if smooth_by not in ("constant", "counts"):
        raise Error(f"smooth_by={smooth_by!r}: constant or counts expected")
    kind = shards.table_kind(model)
    words = words or Words(df, source, target)
    columns = {"source": source, "target": target, "links": links, "identity": identity}
    with workplace(work) as folder:
        pairs = count_pairs(
            df, words, folder, partitions=partitions, kind=kind, forward_rule=forward_rule, max_length=max_length, **columns
        )
        shipped, totals, by_counts = words.shipped, pairs.sums[5:], smooth_by == "counts"

        def write(batches: Batches) -> Batches:
            known = words_of(shipped.path())
            for batch in batches:
                for place, part, run in zip(*(batch.column(name).to_pylist() for name in ("place", "part", "run"))):
                    found = shards.reordering_lines(known, model, smoothing, by_counts, totals, [run])
                    yield from blobs(["place", "part", "lines"], ((place, part << 12 | at, some) for at, some in enumerate(found)))

        runs = pairs.runs.select("place", "part", "run")
        table = Table(kept(runs.mapInArrow(write, "place int, part int, lines binary"), folder, "reordering"))
        if output is None:
            return table
        table.write(output)
        return None
