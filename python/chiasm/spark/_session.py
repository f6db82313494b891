"""Sessions, files that go to all machines, and errors that say what is wrong."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any, Iterator, Optional

from chiasm import _shards as shards
from chiasm._chiasm import AlignmentModel, Error

try:
    import pyarrow
    import pyspark
    from pyspark.sql import DataFrame, SparkSession
except ImportError as missing:
    raise ImportError(
        f"chiasm.spark needs pyspark and pyarrow ({missing}): pip install 'chiasm[spark]'. Spark itself runs on Java 17 or "
        "newer; with pysail, or with a server that speaks Spark Connect, no Java is needed here"
    ) from missing

#: Rows that one call into Rust takes; so many are in memory at a time.
BATCH = 10_000
_RUNNING: dict[str, Any] = {}


def session(master: Optional[str] = None, **settings: Any) -> SparkSession:
    """A session: ``local[4]`` or ``spark://host:7077`` (needs Java), ``sc://host:port`` (Spark Connect), ``sail`` (a server in
    this process, needs ``pysail`` and no Java). Settings are Spark's, with ``_`` for dots: ``spark_executor_memory="8g"``.
    """
    if master == "sail":
        return _sail()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("chiasm")
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
            raise Error("Java was not found: Spark runs on Java 17 or newer (apt install openjdk-17-jre-headless); "
                        "master='sail' and Spark Connect need none here")
        if master is not None:
            builder = builder.master(master)
        builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(BATCH))
    for name, value in settings.items():
        builder = builder.config(name.replace("_", "."), str(value))
    return builder.getOrCreate()


def _sail() -> SparkSession:
    try:
        from pysail.spark import SparkConnectServer
    except ImportError as missing:
        raise ImportError("master='sail' needs pysail: pip install pysail pyspark-client") from missing
    if "sail" not in _RUNNING:
        server = SparkConnectServer()
        server.start(background=True)
        _RUNNING["sail"] = server
    _, port = _RUNNING["sail"].listening_address
    return SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Inside it, what went wrong on a machine with a row or a file is a :class:`chiasm.Error` that says so, with Spark's own
    exception as its cause.

    >>> with explained():
    ...     raise RuntimeError("Traceback ... chiasm.ChiasmError: row 7: links: '0:1' is not a link such as 3-4\\n\\tat java...")
    Traceback (most recent call last):
    chiasm.ChiasmError: row 7: links: '0:1' is not a link such as 3-4
    """
    try:
        yield
    except Error:
        raise
    except Exception as error:
        found = re.search(r"(?:chiasm\.)?ChiasmError: (.+)", str(error))
        if found is None:
            raise
        raise Error(found.group(1).strip()) from error


class Shipped:
    """A file that every machine can open."""

    def __init__(self, spark: SparkSession, path: Any):
        # A name of its own: what lies elsewhere under the same name is another file.
        self.name = f"chiasm-{uuid.uuid4().hex}"
        self.here = os.path.join(tempfile.mkdtemp(prefix="chiasm-shipped-"), self.name)
        try:
            os.link(path, self.here)
        except OSError:
            shutil.copyfile(path, self.here)
        if hasattr(spark, "sparkContext") and not _is_remote(spark):
            if not str(spark.sparkContext.master).startswith("local["):
                spark.sparkContext.addFile(self.here)
        elif "sail" not in _RUNNING:
            spark.addArtifact(self.here, file=True)

    def path(self) -> str:
        """Where it is on this machine."""
        if os.path.exists(self.here):
            return self.here
        from pyspark import SparkFiles

        return SparkFiles.get(self.name)

    def remove(self) -> None:
        """Removes the driver's copy; machines remove theirs when Spark ends."""
        shutil.rmtree(os.path.dirname(self.here), ignore_errors=True)


def _is_remote(spark: SparkSession) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


@functools.lru_cache(maxsize=2)
def words_of(path: str) -> Any:
    """Words from a file, read once a process."""
    return shards.Words.open(path)


@functools.lru_cache(maxsize=2)
def model_of(path: str, symmetrise: str) -> Any:
    """An alignment model from a file, mapped once a process."""
    return AlignmentModel(path, symmetrise)


@contextlib.contextmanager
def workplace(work: Optional[Any]) -> Iterator[str]:
    """A folder for what lies between two stages: one that all machines see, or a temporary one, which does on one machine."""
    if work is not None:
        yield os.fspath(work)
        return
    folder = tempfile.mkdtemp(prefix="chiasm-spark-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def partitions_of(df: DataFrame, partitions: Optional[int]) -> int:
    """As many as asked, or as Spark's shuffles have."""
    if partitions is not None:
        if partitions < 1:
            raise Error(f"partitions={partitions}: at least 1 expected")
        return partitions
    return int(df.sparkSession.conf.get("spark.sql.shuffle.partitions", "200"))


def kept(df: DataFrame, work: str, name: str) -> DataFrame:
    """Written once, and read from there: a second run, or a lost machine, finds it done."""
    spark, path = df.sparkSession, f"{work.rstrip('/')}/{name}"
    if not _is_done(spark, path):
        with explained():
            df.write.mode("overwrite").parquet(path)
    return spark.read.parquet(path)


def _is_done(spark: SparkSession, path: str) -> bool:
    if "://" not in path:
        return (Path(path) / "_SUCCESS").exists()
    try:
        spark.read.parquet(path + "/_SUCCESS")
    except Exception as error:
        # There, and no Parquet; elsewhere it is not there.
        return "PATH_NOT_FOUND" not in str(error)
    return True
