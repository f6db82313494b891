"""Word alignment of any size: by a model, or by one that is estimated on a sample and counted anew on everything."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterator, Optional

import numpy
import pyarrow as pa

from chiasm import _chiasm
from chiasm import _shards as shards
from chiasm._chiasm import AlignmentModel, Error
from chiasm.spark._columns import flat, sliced, texts
from chiasm.spark._session import DataFrame, Shipped, explained, model_of
from chiasm.spark._words import texts_of_words

Batches = Iterator[pa.RecordBatch]
#: A task gives its counts away when it has so many different ones.
_MOST_COUNTS = 8_000_000
#: One of so many pairs is kept aside to see whether a round helps.
_ASIDE = 50


def align(
    df: DataFrame,
    model: Optional[Any] = None,
    *,
    preset: str = "standard",
    sample: float = 0.1,
    rounds: int = 2,
    seed: int = 1,
    symmetrise: str = "grow-diag-final-and",
    source: str = "source",
    target: str = "target",
    links: str = "links",
    save: Optional[Any] = None,
) -> DataFrame:
    """The DataFrame with columns ``links``, ``link_scores`` (the posterior of each link), ``forward_score`` and ``reverse_score`` (how
    probable the target is given the source, and the other way: mean logarithms a word) and ``problem``: what is wrong with a row
    that has no links because a side is empty or too long, otherwise null.

    With ``model``, a file of ``chiasm align --save``, links are those of ``chiasm align --model``. Without, a model is estimated on a
    ``sample`` of the rows on this machine, and then counted anew on all rows in ``rounds`` rounds, while what is kept aside becomes
    more probable. ``preset="fast"`` with ``sample=1`` is the log-linear model, estimated on all rows by Spark alone. ``save`` keeps the
    model that was made. The same rows and seed give the same links, however they are partitioned.
    """
    spark = df.sparkSession
    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        path = model
        if path is None:
            path = os.path.join(folder, "model")
            _estimated(df, preset, sample, rounds, seed, symmetrise, source, target).save(path)
            if save is not None:
                AlignmentModel(path, symmetrise).save(save)
        elif save is not None:
            raise Error("save is for a model that is estimated; this one is a file already")
        AlignmentModel(os.fspath(path), symmetrise)
        shipped = Shipped(spark, path)

    def aligned(batches: Batches) -> Batches:
        known = model_of(shipped.path(), symmetrise)
        for batch in batches:
            found = shards.align_columns(known, flat(batch.column(source)), flat(batch.column(target)))
            problems = texts(found[4])
            new = {
                links: texts(found[0]),
                "link_scores": texts(found[1]),
                "forward_score": pa.array(found[2], from_pandas=True),
                "reverse_score": pa.array(found[3], from_pandas=True),
                "problem": pa.compute.replace_with_mask(problems, pa.compute.equal(problems, ""), pa.scalar(None, pa.string())),
            }
            old = {name: batch.column(name) for name in batch.schema.names if name not in new}
            yield pa.RecordBatch.from_pydict({**old, **new})

    from pyspark.sql import types

    new = [links, "link_scores", "forward_score", "reverse_score", "problem"]
    kinds = [types.StringType(), types.StringType(), types.FloatType(), types.FloatType(), types.StringType()]
    fields = [field for field in df.schema.fields if field.name not in new]
    fields += [types.StructField(name, kind) for name, kind in zip(new, kinds)]
    old = df.select(*(field.name for field in df.schema.fields if field.name not in new))
    return old.mapInArrow(aligned, types.StructType(fields))


def _estimated(
    df: DataFrame, preset: str, sample: float, rounds: int, seed: int, symmetrise: str, source: str, target: str
) -> Any:
    from pyspark.sql import functions as F

    if not 0 < sample <= 1:
        raise Error(f"sample={sample}: a share above 0 and up to 1 expected")
    pairs = df.select(F.col(source).alias("source"), F.col(target).alias("target"))
    words = [flat(column) for column in texts_of_words(pairs, "source", "target")]
    if preset == "fast" and sample == 1:
        return _log_linear(pairs, seed, symmetrise, words)
    model = shards.knowing(_of_sample(pairs, preset, sample, seed, symmetrise), symmetrise, *words)
    best = None
    for number in range(rounds):
        following, _, held_out = _round(pairs, model, preset, symmetrise, None, _ASIDE)
        # Nothing compares with the first model: it knows few words, and is generous to the others.
        if number > 0 and held_out is not None:
            if best is not None and held_out <= best:
                break
            best = held_out
        model = following
    return model


def _log_linear(pairs: DataFrame, seed: int, symmetrise: str, words: list) -> Any:
    model, iterations = shards.beginning("fast", seed, symmetrise, *words)
    for iteration in range(iterations):
        model, _, _ = _round(pairs, model, "fast", symmetrise, iteration, 0)
    return model


def _of_sample(pairs: DataFrame, preset: str, sample: float, seed: int, symmetrise: str) -> Any:
    from pyspark.sql import functions as F

    parts = 1 << 20
    chosen = F.pmod(F.xxhash64("source", "target"), F.lit(parts)) < F.lit(int(sample * parts))
    with explained():
        table = pairs.where(chosen).toArrow()
    if table.num_rows == 0:
        raise Error(f"sample={sample}: no row was drawn; a larger share expected")
    # In an order that does not depend on partitions.
    table = table.sort_by([("source", "ascending"), ("target", "ascending")])
    rows = zip(*(table.column(name).fill_null("").to_pylist() for name in ("source", "target")))
    model, _ = _chiasm.align_fit(_mixed(list(rows), seed), preset, seed, symmetrise, None, None, None)
    return model


def _mixed(rows: list, seed: int) -> list:
    order = numpy.random.default_rng(seed).permutation(len(rows))
    one_line = str.maketrans("\r\n", "  ")
    return [(rows[at][0].translate(one_line), rows[at][1].translate(one_line)) for at in order]


def _round(
    pairs: DataFrame, model: Any, preset: str, symmetrise: str, iteration: Optional[int], aside: int
) -> tuple[Any, int, Optional[float]]:
    from pyspark.sql import functions as F

    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        path = os.path.join(folder, "model")
        model.save(path)
        shipped = Shipped(pairs.sparkSession, path)

    def count(batches: Batches) -> Batches:
        counting = shards.Round(model_of(shipped.path(), symmetrise), iteration, aside)
        for batch in batches:
            if counting.add(flat(batch.column("source")), flat(batch.column("target"))) > _MOST_COUNTS:
                yield from counts(counting)
        yield from counts(counting)

    def counts(counting: Any) -> Batches:
        names = ("kind", "key", "forward", "reverse")
        yield from sliced({name: pa.array(column) for name, column in zip(names, counting.take())})

    sums = [F.sum(name).alias(name) for name in ("forward", "reverse")]
    counted = pairs.mapInArrow(count, "kind int, key bigint, forward bigint, reverse bigint")
    with explained():
        table = counted.groupBy("kind", "key").agg(*sums).toArrow().combine_chunks()
    shipped.remove()
    columns = [numpy.ascontiguousarray(table.column(name).to_numpy()) for name in ("kind", "key", "forward", "reverse")]
    return shards.after_round(model, preset, symmetrise, iteration == 0, *columns)
