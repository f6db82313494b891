"""Real clusters on one machine: `local-cluster[2,1,1024]`, a standalone Master with two Workers, and the same with a Worker killed in the
middle of a stage. Tables and links must be the bytes of the command line. Needs Java and `pip install 'chiasm[spark]'`.

    python spark_cluster.py CHIASM_BINARY [PAIRS]
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from chiasm import spark


def main() -> int:
    binary, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    with tempfile.TemporaryDirectory(prefix="spark-cluster-") as name:
        folder = Path(name)
        subprocess.run([binary, "synthesise", "--language", "arabic-like", "--pairs", str(pairs), "-o", name], check=True)
        files = ["--source", f"{name}/source", "--target", f"{name}/target"]
        run = lambda *arguments: subprocess.run([binary, *arguments], check=True, capture_output=True)  # noqa: E731
        run("align", *files, "-o", f"{name}/estimated", "--preset", "fast", "--save", f"{name}/model")
        run("align", *files, "-o", f"{name}/links", "--model", f"{name}/model")
        run("phrases", *files, "--links", f"{name}/links", "-o", f"{name}/table")
        expected = [(folder / one).read_bytes() for one in ("links", "table")]
        lines = [(folder / one).read_text(encoding="utf-8").splitlines() for one in ("source", "target")]
        rows = [(number, *pair) for number, pair in enumerate(zip(*lines))]
        wrong = 0
        for title, master, kill in [
            ("local-cluster[2,1,1024]", local_cluster, False),
            ("standalone Master with two Workers", standalone, False),
            ("standalone, a Worker killed in the middle of a stage", standalone, True),
        ]:
            began = time.time()
            with master(folder) as (url, victim):
                killed = []
                found = work(url, rows, folder, lambda session: killer(session, victim, killed) if kill else None)
            same = [one == other for one, other in zip(found, expected)]
            wrong += not all(same) or (kill and not killed)
            notes = f", killed after {killed[0]:.1f} s of work" if killed else ""
            print(f"{title}: links {'the same' if same[0] else 'OTHER'}, table {'the same' if same[1] else 'OTHER'}"
                  f"{notes}, {time.time() - began:.0f} s in all", flush=True)
        return 1 if wrong else 0


def work(url, rows, folder, hook):
    session = spark.session(url, spark_executor_memory="1024m", spark_executor_cores=1, spark_task_maxFailures=8)
    try:
        hook(session)
        df = session.createDataFrame(rows, "id long, source string, target string").repartition(12)
        aligned = spark.align(df, folder / "model")
        links = [row["links"] for row in aligned.sort("id").select("links").collect()]
        place = folder / f"work-{time.time_ns()}"
        spark.phrases(aligned, folder / "found", work=place, partitions=6, identity="id")
        return "".join(line + "\n" for line in links).encode(), (folder / "found").read_bytes()
    finally:
        session.stop()


def killer(session, victim, killed):
    """Kills the victim as soon as a stage of ours has done some of its tasks and works on others."""
    tracker, began = session.sparkContext.statusTracker(), time.time()

    def watch():
        while not killed and time.time() - began < 300:
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info and info.numTasks >= 6 and info.numCompletedTasks >= 2 and info.numActiveTasks > 0:
                    os.killpg(victim.pid, signal.SIGKILL)
                    killed.append(time.time() - began)
                    return
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def local_cluster(_folder):
    yield "local-cluster[2,1,1024]", None


@contextlib.contextmanager
def standalone(folder):
    import pyspark

    home = Path(pyspark.__file__).parent
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}

    def start(*arguments):
        command = [str(home / "bin" / "spark-class"), *arguments]
        log = open(folder / "cluster.log", "ab")
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True, cwd=folder)

    master = start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    running = [master]
    try:
        wait_for(port)
        for number in range(2):
            place = folder / f"worker-{time.time_ns()}-{number}"
            options = ["-c", "1", "-m", "1200m", "--webui-port", "0", "-d", str(place), url]
            running.append(start("org.apache.spark.deploy.worker.Worker", *options))
        yield url, running[-1]
    finally:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise RuntimeError("the Master did not start")


if __name__ == "__main__":
    sys.exit(main())
