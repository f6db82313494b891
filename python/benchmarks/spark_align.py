"""The alignment error rate of `spark.align`, estimated on a sample and counted anew in rounds, beside `chiasm align` on everything.

    python spark_align.py CHIASM_BINARY MASTER SOURCE TARGET GOLD

The first lines of SOURCE and TARGET are those that GOLD has links of.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from chiasm import spark
from spark_cost import seconds


def main() -> int:
    binary, master, source, target, gold = sys.argv[1:]
    lines = [Path(path).read_text(encoding="utf-8").split("\n")[:-1] for path in (source, target)]
    with tempfile.TemporaryDirectory(prefix="spark-align-") as folder:
        rows, links = f"{folder}/rows.parquet", f"{folder}/links"
        table = pa.table([pa.array(range(len(lines[0]))), *lines], ["id", "source", "target"])
        pa.parquet.write_table(table, rows, row_group_size=20_000)
        subprocess.run([binary, "align", "--quiet", "--source", source, "--target", target, "-o", links], check=True)
        print(f"chiasm align, on everything: {error_rate(binary, gold, links)}", flush=True)
        session = spark.session(master, spark_driver_memory="3g")
        for settings in ({"sample": 0.1, "rounds": 0}, {"sample": 0.1, "rounds": 2}):
            before = seconds()
            df = session.read.parquet(rows).repartition(8)
            found = spark.align(df, **settings).select("id", "links").toArrow().sort_by("id")
            Path(links).write_text("".join(line + "\n" for line in found.column("links").to_pylist()), encoding="utf-8")
            print(f"spark.align({settings}): {error_rate(binary, gold, links)}, {seconds() - before:.0f} CPU s", flush=True)
    return 0


def error_rate(binary: str, gold: str, links: str) -> str:
    found = subprocess.run([binary, "aer", "--gold", gold, "--links", links], check=True, capture_output=True, text=True)
    return "AER " + re.search(r"(?:error|AER)[^0-9]*([0-9.]+)", found.stdout).group(1)


if __name__ == "__main__":
    sys.exit(main())
