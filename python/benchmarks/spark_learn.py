"""Processor time of learning a model of orientation on Spark beside one machine's, to the same duality gap.

    python spark_learn.py CHIASM_BINARY MASTER PAIRS PARTS RECIPE
    python spark_learn.py target/release/chiasm 'local[2]' 100000 4 '--learner svm --c 0.01 --features S7 --gap 0.001'
"""

import resource
import subprocess
import sys
import tempfile
import time

from chiasm import spark
from spark_cost import parquet, seconds


def main() -> int:
    binary, master, pairs, parts, recipe = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="spark-learn-") as folder:
        subprocess.run(
            [binary, "synthesise", "--language", "arabic-like", "--pairs", pairs, "--vocabulary", "200000", "-o", folder],
            check=True, capture_output=True,
        )
        files = [f"{folder}/{one}" for one in ("source", "target", "links")]
        options = [part for one, path in zip(("source", "target", "links"), files) for part in (f"--{one}", path)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([binary, "--threads", "1", "reorder", "train", *options, *recipe.split(), "-o", f"{folder}/one"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        single = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{pairs} pairs, {recipe}: one machine {single:.1f} CPU s", flush=True)
        parquet(files, f"{folder}/rows.parquet")
        session = spark.session(master, spark_driver_memory="3g")
        clock, before = time.time(), seconds()
        df = session.read.parquet(f"{folder}/rows.parquet").repartition(int(parts))
        reports = spark.reorder_train(df, f"{folder}/many", recipe=recipe, parts=int(parts), work=f"{folder}/work")
        many = seconds() - before
        for report in reports:
            print(f"  {report['examples']:.0f} examples, {report['features']} features: {report['iterations']} rounds, gap {report['relative_gap']:.1e}")
        print(f"Spark, {parts} parts: {many:.1f} CPU s ({many / single:.2f} times), {time.time() - clock:.0f} s of clock")
    return 0


if __name__ == "__main__":
    sys.exit(main())
