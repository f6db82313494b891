"""From a DataFrame of pairs to a translation system."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional

from chiasm import _training
from chiasm import _shards as shards
from chiasm._chiasm import Error
from chiasm.spark._align import align
from chiasm.spark._session import DataFrame, explained, kept


def train(
    df: DataFrame,
    output: Any,
    *,
    work: Any,
    model: Optional[Any] = None,
    align_preset: str = "standard",
    sample: float = 0.1,
    rounds: int = 2,
    seed: int = 1,
    source: str = "source",
    target: str = "target",
    **options: Any,
) -> Any:
    """Trains a translation system on tokenised pairs and writes it to ``output``; returns the translator.

    Spark aligns all rows (:func:`align` with ``model``, ``align_preset``, ``sample`` and ``rounds``); from the links on this machine counts,
    estimates and tunes within ``memory``, as :func:`chiasm.train` does, whose further ``options`` are taken. Every stage is kept in
    the folder ``work``: a second call with the same ``work`` goes on where the first one ended. Rows that cannot be aligned are
    left out, and ``work/problems`` says how many and why.
    """
    folder = os.fspath(work)
    if "://" in folder:
        raise Error(f"work={folder!r}: a folder of the file system expected")
    if {"languages", "tokenized", "links", "stages"} & options.keys():
        raise Error("languages, tokenized, links and stages are not for rows: these are tokenised, and work keeps the stages")
    Path(folder).mkdir(parents=True, exist_ok=True)
    text = Path(folder, "text")
    if not (text / "links").exists():
        pairs = df.select(df[source].alias("source"), df[target].alias("target"))
        settings = {"preset": align_preset, "sample": sample, "rounds": rounds, "seed": seed}
        saved = {} if model is not None else {"save": os.path.join(folder, "aligner")}
        done = Path(folder, "aligned", "_SUCCESS").exists()
        aligned = pairs if done else align(pairs, model, **settings, **saved)
        _collect(kept(aligned, folder, "aligned"), text)
    files = [str(text / name) for name in ("source", "target", "links")]
    return _training.train(
        files[0], files[1], tokenized=True, links=files[2], stages=os.path.join(folder, "stages"), seed=seed, output=output, **options
    )


def _collect(aligned: DataFrame, text: Path) -> None:
    """Three files with the rows that have links, in an order that does not depend on partitions."""
    from pyspark.sql import functions as F

    text.mkdir(exist_ok=True)
    outputs = {name: shards.TextFile(str(text / name)) for name in ("source", "target", "links")}
    with explained():
        problems = aligned.where(F.col("problem").isNotNull()).groupBy("problem").count().toArrow()
        rows = aligned.where(F.col("problem").isNull()).select(*outputs)
        for row in rows.sort(F.xxhash64("source", "target"), *outputs).toLocalIterator():
            for name, output in outputs.items():
                output.write((row[name].replace("\n", " ").replace("\r", " ") + "\n").encode())
    lines = [f"{row['count']}\t{row['problem']}\n" for row in problems.to_pylist()]
    (text.parent / "problems").write_text("".join(sorted(lines)), encoding="utf-8")
    # Links come last: where they are, the text is.
    for name in ("source", "target", "links"):
        outputs[name].finish()
