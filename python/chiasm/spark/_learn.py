"""Models of how phrases move, from rows on many machines."""

from __future__ import annotations

import functools
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import numpy
import pyarrow as pa

from chiasm import _shards as shards
from chiasm._chiasm import Error
from chiasm.spark._columns import add_rows, sliced
from chiasm.spark._phrases import MEMORY, _corpus
from chiasm.spark._session import BATCH, DataFrame, Shipped, explained, words_of, workplace
from chiasm.spark._words import Words, selected

Batches = Iterator[pa.RecordBatch]
#: How much of the newest weights each round mixes into the average.
_NEWEST = 0.2
_DESCRIPTION = ("learner", "counts", "count", "sentences", "classes", "directions", "gap", "iterations", "penalty")


def reorder_train(
    df: DataFrame,
    output: Any,
    *,
    recipe: str = "--learner svm",
    parts: int = 8,
    work: Optional[Any] = None,
    start: Optional[Any] = None,
    words: Optional[Words] = None,
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
) -> list[dict]:
    """Trains a model of orientation and writes it to ``output``; ``recipe`` is what ``chiasm reorder train`` takes. Returns a report for each
    direction.

    Naive Bayes is made of counts, and its file is byte for byte that of one machine. ``svm`` and ``dual`` improve the dual variables
    of ``parts`` shards by CoCoA+ until the duality gap over all of them is as small as ``--gap`` asks; ``lbfgs`` sums gradients in the
    order of the shards. Their examples lie in ``work``, a folder of the file system that all machines see. ``start`` is the ``work`` of
    an earlier training of the same rows and features, to go on from with another strength. The strength is a number here
    (``--c``, ``--sigma2``, ``--alpha``): nothing is chosen.
    """
    about = dict(zip(_DESCRIPTION, shards.describe(recipe)))
    words = words or Words(df, source, target)
    rows = selected(df, source, target, links, identity)
    name = "identity" if identity else None
    features = _features(rows, words, recipe, about, name)
    if about["counts"]:
        features.naive_bayes(os.fspath(output))
        return [{"learner": about["learner"], "features": len(features)}]
    with workplace(work) as folder:
        gathered = _gathered(rows, words, recipe, features, parts, folder, name)
        directions = []
        for direction in range(about["directions"]):
            learning = _Learning(df, recipe, about, gathered, direction, folder, start)
            weights, report = learning.minimise() if about["learner"] == "lbfgs" else learning.ascend()
            directions.append((learning.examples(gathered.shards[0]), weights, json.dumps(report)))
        features.linear(directions, os.fspath(output))
    return [json.loads(report) for _, _, report in directions]


def examples(
    df: DataFrame,
    work: Any,
    *,
    recipe: str = "--learner svm",
    parts: int = 8,
    words: Optional[Words] = None,
    source: str = "source",
    target: str = "target",
    links: str = "links",
    identity: Optional[str] = None,
) -> list[str]:
    """Counts features, keeps the frequent ones, and gathers the examples of all rows into ``parts`` files of the folder ``work``, which
    all machines see; returns their paths, those of the first direction before those of the second.
    """
    about = dict(zip(_DESCRIPTION, shards.describe(recipe)))
    words = words or Words(df, source, target)
    rows = selected(df, source, target, links, identity)
    name = "identity" if identity else None
    features = _features(rows, words, recipe, {**about, "counts": False}, name)
    found = _gathered(rows, words, recipe, features, parts, os.fspath(work), name)
    return [_examples_file(os.fspath(work), at, shard) for at in range(about["directions"]) for shard in found.shards]


def _features(rows: DataFrame, words: Words, recipe: str, about: dict, identity: Optional[str]) -> Any:
    from pyspark.sql import functions as F

    shipped = words.shipped

    def see(batches: Batches) -> Batches:
        keys, columns, sums = shards.seen(_corpus(shipped, batches, identity), recipe, MEMORY)
        arrays = {"key": pa.array(keys), "column": pa.array(columns)}
        arrays.update({f"s{at}": pa.array(column) for at, column in enumerate(sums)})
        yield from sliced(arrays)

    seen = rows.mapInArrow(see, "key bigint, column int, s0 bigint, s1 bigint, s2 bigint")
    sums = [F.sum(name).alias(name) for name in ("s0", "s1", "s2")]
    if not about["counts"]:
        # Classes are counted for naive Bayes alone.
        seen = seen.where(F.col("column") < 0)
    seen = seen.groupBy("key", "column").agg(*sums)
    if not about["counts"]:
        seen = seen.where((F.col("s0") >= about["count"]) & (F.col("s2") >= about["sentences"]))
    with explained():
        table = seen.toArrow().combine_chunks()
    key, column, *sums = (numpy.ascontiguousarray(table.column(name).to_numpy()) for name in ("key", "column", "s0", "s1", "s2"))
    return shards.Features(words.native, recipe, MEMORY, key, column, sums)


class _Gathered:
    """Which shards there are, and what they hold, for each direction: examples, rows, features."""

    def __init__(self, table: pa.Table):
        table = table.sort_by([("shard", "ascending"), ("direction", "ascending")])
        self.shards = sorted(set(table.column("shard").to_pylist()))
        self.rows = table.to_pylist()

    def sums(self, direction: int) -> tuple[float, int, int]:
        own = [row for row in self.rows if row["direction"] == direction]
        return sum(row["examples"] for row in own), sum(row["rows"] for row in own), own[0]["features"]


def _gathered(
    rows: DataFrame, words: Words, recipe: str, features: Any, count: int, folder: str, identity: Optional[str]
) -> _Gathered:
    from pyspark.sql import functions as F

    if "://" in folder:
        raise Error(f"work={folder!r}: a folder of the file system expected, examples are mapped")
    if count < 1:
        raise Error(f"parts={count}: at least 1 expected")
    Path(folder, "examples").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="chiasm-") as temporary:
        path = os.path.join(temporary, "keys.npy")
        numpy.save(path, features.keys())
        keys = Shipped(rows.sparkSession, path)
    shipped = words.shipped

    def gather(batches: Batches) -> Batches:
        held = [batch for batch in batches if batch.num_rows > 0]
        if not held:
            return
        table = pa.Table.from_batches(held)
        # Sorted here, so that a shard is the same bytes in whatever order its rows came.
        table = table.sort_by([(name, "ascending") for name in ("shard", *names)]).combine_chunks()
        numbers = table.column("shard").to_numpy()
        edges = [0, *(numpy.flatnonzero(numpy.diff(numbers)) + 1).tolist(), len(numbers)]
        for first, last in zip(edges, edges[1:]):
            if first < last:
                yield from finish(int(numbers[first]), table.slice(first, last - first))

    def finish(shard: int, table: pa.Table) -> Batches:
        corpus, before = shards.Rows(words_of(shipped.path())), 0
        for batch in table.to_batches(max_chunksize=BATCH):
            add_rows(corpus, batch, before, identity)
            before += batch.num_rows
        found = shards.gather(corpus, recipe, MEMORY, numpy.load(keys.path()), _prefix(folder, shard))
        for direction, numbers in enumerate(found):
            values = zip((shard, direction, table.num_rows, *numbers), _GATHERED.values())
            yield pa.RecordBatch.from_arrays([pa.array([value], kind) for value, kind in values], list(_GATHERED))

    names = ["source", "target", "links"]
    number = F.pmod(F.xxhash64(*names), F.lit(count)).cast("int")
    placed = rows.withColumn("shard", number).repartition(count, "shard")
    schema = "shard int, direction int, pairs bigint, examples double, rows bigint, features bigint"
    with explained():
        found = _Gathered(placed.mapInArrow(gather, schema).toArrow())
    keys.remove()
    pairs = sum(row["pairs"] for row in found.rows if row["direction"] == 0)
    if pairs != words.rows:
        raise Error(f"examples were gathered of {pairs} rows, words numbered of {words.rows}: the rows have changed meanwhile")
    return found


_GATHERED = {
    "shard": pa.int32(),
    "direction": pa.int32(),
    "pairs": pa.int64(),
    "examples": pa.float64(),
    "rows": pa.int64(),
    "features": pa.int64(),
}


def _prefix(folder: str, shard: int) -> str:
    return f"{folder}/examples/shard-{shard}"


def _examples_file(folder: str, direction: int, shard: int) -> str:
    return f"{_prefix(folder, shard)}.{direction}"


class _Learning:
    """One direction."""

    def __init__(
        self, df: DataFrame, recipe: str, about: dict, gathered: _Gathered, direction: int, folder: str, start: Optional[Any]
    ):
        self.spark, self.recipe, self.about, self.gathered = df.sparkSession, recipe, about, gathered
        self.direction, self.folder, self.start = direction, folder, start
        self.states = f"{folder}/states-{direction}"
        # Not a method: tasks take it along, and a session cannot go.
        self.examples = functools.partial(_examples_file, folder, direction)
        Path(self.states).mkdir(parents=True, exist_ok=True)

    def _each(self, work: Callable[[int], tuple]) -> list[tuple]:
        """``work`` of every shard, in the order of shards: an array, and numbers."""

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for shard in batch.column("shard").to_pylist():
                    array, *numbers = work(shard)
                    columns = [pa.array([shard], pa.int32()), pa.array([array.tobytes()], pa.binary())]
                    columns.append(pa.array([numbers], pa.list_(pa.float64())))
                    yield pa.RecordBatch.from_arrays(columns, ["shard", "array", "numbers"])

        numbers = [(shard,) for shard in self.gathered.shards]
        tasks = self.spark.createDataFrame(numbers, "shard int").repartition(len(numbers))
        with explained():
            table = tasks.mapInArrow(task, "shard int, array binary, numbers array<double>").toArrow()
        rows = sorted(table.to_pylist(), key=lambda row: row["shard"])
        return [(numpy.frombuffer(row["array"], numpy.float64), *row["numbers"]) for row in rows]

    def _weights(self, *weights: numpy.ndarray) -> str:
        path = f"{self.states}/weights.npy"
        _save(path, numpy.stack(weights))
        return path

    def ascend(self) -> tuple[numpy.ndarray, dict]:
        """CoCoA+ with momentum: rounds until the gap of all shards together is small enough."""
        began, recipe, states, start, direction = time.time(), self.recipe, self.states, self.start, self.direction
        place, count, most = self.examples, len(self.gathered.shards), self.about["iterations"]

        def begin(shard: int) -> tuple:
            before = None if start is None else f"{start}/states-{direction}/last-{shard}"
            return shards.begin(place(shard), recipe, before, f"{states}/0-{shard}")

        weights = _sum(found[0] for found in self._each(begin))
        average, change, momentum = weights, numpy.zeros_like(weights), shards.Momentum()
        for number in range(1, most + 1):
            path, share = self._weights(weights, average, change), momentum.share

            def improve(shard: int) -> tuple:
                before, after = f"{states}/{number - 1}-{shard}", f"{states}/{number}-{shard}"
                arrays = numpy.load(path)
                own = numpy.load(f"{before}.npy") if number > 1 else numpy.zeros_like(arrays[0])
                new, *numbers = shards.round(place(shard), recipe, before, after, [*arrays, own], share, count, number << 20 | shard)
                _save(f"{after}.npy", new)
                return new, *numbers, own.dot(new), new.dot(new)

            found = self._each(improve)
            gap, linear, loss, overlap, length = (sum(one[at] for one in found) for at in range(1, 6))
            dual = self._penalty(weights) + linear
            # The certificate holds for any weights beside the dual variables: the better of both are the model.
            own, averaged = gap - dual, self._penalty(average) + loss
            primal, best = (own, weights) if own <= averaged else (averaged, average)
            done = primal + dual <= self.about["gap"] * primal
            if done or number == most:
                break
            for shard in self.gathered.shards:
                self._forget(number - 1, shard)
            momentum.after(overlap, length)
            change = _sum(one[0] for one in found)
            weights = weights + change
            average = average + max(_NEWEST, 1 / (number + 1)) * (weights - average)
        for shard in self.gathered.shards:
            # The variables that belong to the weights are those from before the last round.
            os.replace(f"{states}/{number - 1}-{shard}", f"{states}/last-{shard}")
            self._forget(number - 1, shard)
            self._forget(number, shard)
        return best, self._report(primal, dual, number, done, began)

    def _forget(self, number: int, shard: int) -> None:
        for name in (f"{self.states}/{number}-{shard}", f"{self.states}/{number}-{shard}.npy"):
            Path(name).unlink(missing_ok=True)

    def _penalty(self, weights: numpy.ndarray) -> float:
        return self.about["penalty"] * float(numpy.dot(weights, weights)) / 2

    def minimise(self) -> tuple[numpy.ndarray, dict]:
        """L-BFGS on this machine, losses and gradients on the others."""
        began, place = time.time(), self.examples

        def evaluate(weights: numpy.ndarray) -> tuple[numpy.ndarray, float]:
            path = self._weights(weights)
            found = self._each(lambda shard: shards.gradient(place(shard), numpy.load(path)[0]))
            return _sum(one[0] for one in found), sum(one[1] for one in found)

        found = self._each(lambda shard: (shards.curvature(place(shard)),))
        curvature = _sum(one[0] for one in found)
        weights, report = shards.minimise(self.recipe, len(self.about["classes"]), curvature.tolist(), evaluate)
        report = json.loads(report)
        primal, dual = report["primal_objective"], report["dual_objective"]
        return weights, self._report(primal, dual, report["iterations"], report["converged"], began)

    def _report(self, primal: float, dual: float, iterations: int, converged: bool, began: float) -> dict:
        examples, rows, features = self.gathered.sums(self.direction)
        return {
            "learner": self.about["learner"],
            "examples": examples,
            "rows": rows,
            "features": features,
            "parameters": 0,
            "primal_objective": primal,
            "dual_objective": dual,
            "relative_gap": (primal + dual) / primal,
            "strength": None,
            "iterations": iterations,
            "active_share": [],
            "converged": bool(converged),
            "seconds": time.time() - began,
            "cpu_seconds": 0.0,
            "peak_memory_bytes": 0,
            "model_bytes": 0,
            "temperature": None,
            "quantisation": None,
        }


def _save(path: str, array: numpy.ndarray) -> None:
    # A task that runs twice writes the same bytes twice, each time whole.
    temporary = f"{path}.{os.getpid()}.npy"
    numpy.save(temporary, array)
    os.replace(temporary, path)


def _sum(arrays: Iterator[numpy.ndarray]) -> numpy.ndarray:
    """One after the other, in their order."""
    total = None
    for array in arrays:
        total = array.copy() if total is None else numpy.add(total, array, out=total)
    return total
