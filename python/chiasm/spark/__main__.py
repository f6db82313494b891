"""``python -m chiasm.spark``: what :mod:`chiasm.spark` does, from a shell.

    python -m chiasm.spark train --master spark://host:7077 --source a.ja --target a.en --work /shared/work --output ja-en.chiasm
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from chiasm._chiasm import Error


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chiasm.spark", description="Beyond one machine, on Apache Spark.")
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(name: str, text: str) -> argparse.ArgumentParser:
        command = verbs.add_parser(name, help=text, description=text)
        command.add_argument("--master", help="local[4], spark://host:7077, sc://host:port, sail; without, what spark-submit says")
        rows = command.add_mutually_exclusive_group(required=True)
        rows.add_argument("--parquet", help="a table with columns source and target, and links where they are asked for")
        rows.add_argument("--source", help="source text, a sentence a line, words between spaces")
        command.add_argument("--target", help="target text")
        command.add_argument("--links", help="links, a line a pair: 0-0 1-2 ...")
        command.add_argument("--partitions", type=int, help="parts that tables are cut into")
        command.add_argument("--work", help="a folder that all machines see, for what lies between stages")
        command.add_argument("--output", required=True)
        return command

    train = verb("train", "From pairs to a translation system.")
    aligner = verb("align", "Word alignment; the output is a table (Parquet).")
    for command in (train, aligner):
        command.add_argument("--model", help="an alignment model; without, one is estimated")
        command.add_argument("--align-preset", default="standard", help="fast, standard or best")
        command.add_argument("--sample", type=float, default=0.1, help="the share of rows a model is estimated on")
        command.add_argument("--rounds", type=int, default=2, help="rounds over all rows after that")
        command.add_argument("--seed", type=int, default=1)
    train.add_argument("--preset", default="standard", help="quick, standard or best")
    table = verb("phrases", "The phrase table in Moses' format.")
    table.add_argument("--smoothing", default="none", help="none or kneser-ney")
    reordering = verb("reordering-table", "The lexicalised reordering table in Moses' format.")
    reordering.add_argument("--model", default="hier-msd-bidirectional-fe")
    learned = verb("reorder-train", "A model of how phrases move.")
    learned.add_argument("--recipe", default="--learner svm", help="what chiasm reorder train takes, in quotes")
    learned.add_argument("--shards", type=int, default=8, help="parts that examples lie in")
    return parser


def _rows(session: Any, arguments: argparse.Namespace) -> Any:
    if arguments.parquet is not None:
        return session.read.parquet(arguments.parquet)
    if arguments.target is None:
        raise Error("--target expected beside --source")
    import pyarrow as pa
    import pyarrow.parquet

    import os
    import tempfile

    # Lines of several files belong together by their numbers, which Spark's readers do not have: they become one table.
    from chiasm._files import together

    names = ["source", "target"] + (["links"] if arguments.links else [])
    files = [open(getattr(arguments, name), encoding="utf-8", newline="\n") for name in names]
    base = arguments.work or tempfile.mkdtemp(prefix="chiasm-rows-")
    os.makedirs(base, exist_ok=True)
    path = os.path.join(base, "rows.parquet")
    lines = together(files[0], files[1]) if len(files) == 2 else (
        (*pair, links) for pair, links in together(together(files[0], files[1]), files[2])
    )
    schema = pa.schema([("identity", pa.int64()), *((name, pa.string()) for name in names)])
    with pa.parquet.ParquetWriter(path + ".tmp", schema) as writer:
        batch: list[tuple] = []
        for number, row in enumerate(lines, 1):
            batch.append((number, *(line.rstrip("\n") for line in row)))
            if len(batch) == 100_000:
                writer.write_table(_table(batch, schema))
                batch = []
        writer.write_table(_table(batch, schema))
    os.replace(path + ".tmp", path)
    return session.read.parquet(path).repartition(int(arguments.partitions or 16))


def _table(rows: list[tuple], schema: Any) -> Any:
    import pyarrow as pa

    columns = list(zip(*rows)) or [[] for _ in schema]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema)], schema)


def main() -> int:
    arguments = _arguments().parse_args()
    try:
        from chiasm import spark

        rows = _rows(spark.session(arguments.master), arguments)
        identity = "identity" if "identity" in rows.columns else None
        tables = {"work": arguments.work, "partitions": arguments.partitions, "identity": identity}
        if arguments.verb == "train":
            if arguments.work is None:
                raise Error("--work expected: a folder for the stages")
            spark.train(
                rows, arguments.output, work=arguments.work, model=arguments.model, align_preset=arguments.align_preset,
                sample=arguments.sample, rounds=arguments.rounds, seed=arguments.seed, preset=arguments.preset,
            )
        elif arguments.verb == "align":
            found = spark.align(
                rows, arguments.model, preset=arguments.align_preset, sample=arguments.sample, rounds=arguments.rounds,
                seed=arguments.seed,
            )
            with spark.explained():
                found.write.mode("overwrite").parquet(arguments.output)
        elif arguments.verb == "phrases":
            spark.phrases(rows, arguments.output, smoothing=arguments.smoothing, **tables)
        elif arguments.verb == "reordering-table":
            spark.reordering_table(rows, arguments.output, model=arguments.model, **tables)
        else:
            reports = spark.reorder_train(
                rows, arguments.output, recipe=arguments.recipe, parts=arguments.shards, work=arguments.work, identity=identity
            )
            for report in reports:
                print(report, file=sys.stderr)
    except (Error, ImportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
