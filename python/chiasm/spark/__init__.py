"""Beyond one machine: word alignment, tables and models of orientation on Apache Spark.

DataFrames with columns ``source``, ``target`` and ``links`` (words between spaces, links as ``0-0 1-2``) go in, Rust works inside the
tasks, and Spark adds up what the machines have counted::

    from chiasm import spark
    session = spark.session("spark://host:7077")
    df = session.read.parquet("pairs")
    spark.align(df, model="aligner").write.parquet("links")
    spark.phrases(session.read.parquet("links"), "phrase-table.gz", work="/shared/work")

Counts, tables and naive Bayes are byte for byte those of one machine, for any number of partitions. ``docs/spark.md`` has clusters,
sizes and costs. Only what Spark Connect has is used, so the same code runs on Sail.
"""

from chiasm.spark._align import align
from chiasm.spark._learn import examples, reorder_train
from chiasm.spark._phrases import Lexicon, Table, lexicon, phrases, reordering_table
from chiasm.spark._session import explained, session
from chiasm.spark._train import train
from chiasm.spark._words import Words

__all__ = [
    "Lexicon",
    "Table",
    "Words",
    "align",
    "examples",
    "explained",
    "lexicon",
    "phrases",
    "reorder_train",
    "reordering_table",
    "session",
    "train",
]
