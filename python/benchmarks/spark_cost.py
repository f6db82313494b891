"""Processor time of phrase tables on Spark beside one machine's, for several sizes: what a session costs by itself, and what a pair costs.

    python spark_cost.py CHIASM_BINARY MASTER PAIRS [PAIRS ...]
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chiasm import spark

TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    binary, master, sizes = sys.argv[1], sys.argv[2], [int(size) for size in sys.argv[3:]]
    with tempfile.TemporaryDirectory(prefix="spark-cost-") as name:
        folder = Path(name)
        session = spark.session(master, spark_driver_memory="3g")
        began = seconds()
        print(f"{master}: a session takes {began:.1f} CPU s", flush=True)
        measured = []
        for pairs in sizes:
            subprocess.run(
                [binary, "synthesise", "--language", "arabic-like", "--pairs", str(pairs), "--vocabulary", "200000", "-o", name],
                check=True, capture_output=True,
            )
            files = [f"{name}/{one}" for one in ("source", "target", "links")]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            options = [part for one, path in zip(("source", "target", "links"), files) for part in (f"--{one}", path)]
            subprocess.run([binary, "--threads", "1", "phrases", *options, "-o", f"{name}/one"], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            single = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            parquet(files, f"{name}/rows.parquet")
            clock, before = time.time(), seconds()
            df = session.read.parquet(f"{name}/rows.parquet").repartition(max(4, pairs // 50_000))
            spark.phrases(df, folder / "many", work=folder / f"work-{pairs}", partitions=max(4, pairs // 50_000))
            many, clock = seconds() - before, time.time() - clock
            same = subprocess.run(["cmp", "-s", f"{name}/one", f"{name}/many"]).returncode == 0
            size = (folder / "one").stat().st_size
            measured.append((pairs, single, many))
            print(f"{pairs} pairs: one machine {single:.1f} CPU s, Spark {many:.1f} ({many / single:.2f} times), {clock:.0f} s of clock, "
                  f"{size >> 20} MiB, {'the same bytes' if same else 'OTHER BYTES'}", flush=True)
            subprocess.run(["rm", "-rf", f"{name}/work-{pairs}", f"{name}/one", f"{name}/many"])
        (first, *_), (last, *_) = measured[0], measured[-1]
        if last > first:
            per = [(measured[-1][at] - measured[0][at]) / (last - first) * 1e6 for at in (1, 2)]
            print(f"a million pairs more: one machine {per[0]:.1f} CPU s, Spark {per[1]:.1f} ({per[1] / per[0]:.2f} times)")
    return 0


def parquet(files: list, path: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    names = ["source", "target", "links"]
    columns = [Path(file).read_text(encoding="utf-8").split("\n")[:-1] for file in files]
    pa.parquet.write_table(pa.table(columns, names), path, row_group_size=50_000)


def seconds() -> float:
    """Processor time of this process and of everything that came of it and is still there, children that ended included."""
    parents, times = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            times[int(entry)] = sum(map(int, fields[11:15])) / TICKS
    own = os.getpid()
    mine = {own}
    for _ in range(20):
        mine |= {process for process, parent in parents.items() if parent in mine}
    # Commands that were run and have ended are not Spark's.
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(times[process] for process in mine if process in times) - ended.ru_utime - ended.ru_stime


if __name__ == "__main__":
    sys.exit(main())
