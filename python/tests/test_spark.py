"""Spark's tables, links and models are those of one machine. On Sail, which needs no Java; `CHIASM_SPARK_MASTER` names another."""

import os
import subprocess
import sys

import pytest

import chiasm

pytest.importorskip("pyarrow", reason="pyarrow is not installed: the tests of chiasm.spark are skipped")
pytest.importorskip("pyspark", reason="pyspark is not installed: the tests of chiasm.spark are skipped")
MASTER = os.environ.get("CHIASM_SPARK_MASTER", "sail")
if MASTER == "sail":
    pytest.importorskip("pysail", reason="pysail is not installed: the tests of chiasm.spark are skipped")

from chiasm import spark  # noqa: E402

PAIRS = 300


@pytest.fixture(scope="module")
def session():
    return spark.session(MASTER)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Rows, and the folder of the same rows as files."""
    folder = tmp_path_factory.mktemp("spark")
    pairs = chiasm.synthesise("japanese-like", PAIRS, seed=5)
    rows = [(number, *row) for number, row in enumerate(pairs_of(pairs))]
    # One pair a third of all, one without links, one with a blank side, a NUL and the column separator's neighbours.
    rows += [(len(rows) + at, "kore wa hon", "this is | \0 a ~ book", "0-0 1-1 2-5") for at in range(PAIRS // 2)]
    rows += [(len(rows), "nani mo nai", "nothing", ""), (len(rows) + 1, "", "empty", "")]
    for at, name in ((1, "source"), (2, "target"), (3, "links")):
        (folder / name).write_text("".join(row[at] + "\n" for row in rows), encoding="utf-8")
    return rows, folder


def pairs_of(texts):
    return [(source, target, " ".join(f"{s}-{t}" for s, t in links)) for source, target, links in zip(*texts)]


def frame(session, rows, partitions):
    df = session.createDataFrame(rows, "id long, source string, target string, links string")
    return df.repartition(partitions)


def command(*arguments):
    binary = os.environ.get("CHIASM")
    if not binary:
        pytest.skip("CHIASM names no binary: the command line is not compared with")
    subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True)


@pytest.mark.parametrize("partitions", [1, 3, 11])
def test_tables_are_those_of_one_machine(session, corpus, tmp_path, partitions):
    rows, folder = corpus
    files = ["--source", folder / "source", "--target", folder / "target", "--links", folder / "links"]
    command("phrases", *files, "-o", tmp_path / "one", "--write-lexicon", tmp_path / "one.lexicon")
    command("phrases", *files, "-o", tmp_path / "smooth", "--smoothing", "kneser-ney")
    command("reorder", "table", *files, "-o", tmp_path / "one.reordering")
    df = frame(session, rows, partitions)
    # More partitions than rows have anything for, so that some are empty.
    words = spark.Words(df)
    assert words.rows == len(rows)
    work = tmp_path / "work"
    spark.phrases(df, tmp_path / "many", words=words, partitions=2 * partitions, work=work)
    spark.phrases(df, tmp_path / "many.smooth", words=words, partitions=2 * partitions, work=work, smoothing="kneser-ney")
    spark.reordering_table(df, tmp_path / "many.reordering", words=words, partitions=partitions)
    spark.lexicon(df, tmp_path / "many.lexicon", words=words)
    for name, other in [
        ("one", "many"),
        ("smooth", "many.smooth"),
        ("one.reordering", "many.reordering"),
        ("one.lexicon.f2e", "many.lexicon.f2e"),
        ("one.lexicon.e2f", "many.lexicon.e2f"),
    ]:
        assert (tmp_path / name).read_bytes() == (tmp_path / other).read_bytes(), name
    if partitions == 3:
        table = spark.phrases(df, words=words, partitions=2 * partitions, work=work)
        assert table.lines().count() == len((tmp_path / "one").read_text(encoding="utf-8").splitlines())


def test_links_of_a_model_are_those_of_one_machine(session, corpus, tmp_path):
    rows, folder = corpus
    model, one = tmp_path / "model", tmp_path / "links"
    command("align", "--source", folder / "source", "--target", folder / "target", "-o", tmp_path / "first", "--save", model)
    command("align", "--source", folder / "source", "--target", folder / "target", "-o", one, "--model", model)
    found = spark.align(frame(session, rows, 3).drop("links"), model).sort("id").collect()
    assert [row["links"] for row in found] == one.read_text(encoding="utf-8").splitlines()
    problems = {row["id"]: row["problem"] for row in found if row["problem"] is not None}
    assert problems == {len(rows) - 1: "no words on one side"}
    assert found[0]["forward_score"] < 0 and found[-1]["forward_score"] is None
    assert len(found[0]["link_scores"].split()) == len(found[0]["links"].split())


def test_partitions_without_rows_change_nothing(session, corpus, tmp_path):
    rows, _ = corpus
    found = []
    for partitions in (1, 7):
        df, folder = frame(session, rows[:3], partitions), tmp_path / str(partitions)
        folder.mkdir()
        spark.phrases(df, folder / "table", partitions=partitions)
        spark.reordering_table(df, folder / "reordering", partitions=partitions)
        spark.reorder_train(df, folder / "model", recipe="--learner nb-map --features S7 --min-count 1")
        links = spark.align(df.drop("links"), preset="fast", sample=1).sort("id").collect()
        found.append([(folder / name).read_bytes() for name in ("table", "reordering", "model")] + [row["links"] for row in links])
    assert found[0] == found[1] and found[0][0]


def test_estimation_does_not_depend_on_partitions(session, corpus):
    rows, _ = corpus
    rows = rows[:PAIRS]
    for settings in ({"preset": "fast", "sample": 1}, {"sample": 0.5, "rounds": 2}):
        found = []
        for partitions in (1, 4):
            df = frame(session, rows, partitions).drop("links")
            found.append([row["links"] for row in spark.align(df, **settings).sort("id").collect()])
        assert found[0] == found[1]
        single = chiasm.Aligner(settings.get("preset", "standard")).fit([row[1] for row in rows], [row[2] for row in rows], progress=False)
        gold = [set(row[3].split()) for row in rows]

        def error(links):
            both = [(set(line.split()), one) for line, one in zip(links, gold)]
            agreed = sum(len(line & one) for line, one in both)
            return 1 - 2 * agreed / sum(len(line) + len(one) for line, one in both)

        alone = [" ".join(f"{s}-{t}" for s, t in links) for links in single.links_]
        if settings.get("preset") == "fast":
            same = sum(one == other for one, other in zip(alone, found[0]))
            assert same >= 0.99 * len(rows)
        assert error(found[0]) < error(alone) + 0.08


def test_a_long_row_is_named_and_the_others_are_aligned(session, corpus, tmp_path):
    rows, _ = corpus
    long = [(7, "a " * 100_000, "b", ""), (8, "hon", "book", "")]
    found = spark.align(frame(session, rows[:50] + long, 2).drop("links"), preset="fast", sample=1).where("id = 7").collect()
    assert "100000 and 1 words are too many" in [row["problem"] for row in found if row["problem"]][0]
    # For tables it is passed over, as on one machine.
    spark.phrases(frame(session, rows[:50] + long, 2), tmp_path / "table", partitions=2)


@pytest.mark.parametrize("row, reason", [
    ((4711, "a b", "x", "0-0 5-0"), "row 4711: links: link 5-0 points outside the source sentence of 2 words (source: 'a b')"),
    ((4711, "a b", "x", "0:0"), "row 4711: links: '0:0' is not a link such as 3-4 (source: 'a b')"),
    ((4711, "a |||", "x", "0-0"), "row 4711: source: "),
])
def test_a_wrong_row_is_named(session, corpus, tmp_path, row, reason):
    rows, _ = corpus
    df = frame(session, rows[:30] + [row], 2)
    with pytest.raises(chiasm.Error) as error:
        spark.phrases(df, tmp_path / "table", partitions=2, identity="id")
    assert reason in str(error.value) and "\n" not in str(error.value)
    assert not (tmp_path / "table").exists()
    with pytest.raises(chiasm.Error) as error:
        spark.reorder_train(df, tmp_path / "model", recipe="--learner nb-map --features S7", identity="id")
    assert reason in str(error.value)
    assert not (tmp_path / "model").exists()


def test_naive_bayes_is_that_of_one_machine(session, corpus, tmp_path):
    rows, folder = corpus
    rows = rows[:-2]
    recipe = "--learner nb-map --features S7 --min-count 3"
    for at, name in ((1, "source"), (2, "target"), (3, "links")):
        (tmp_path / name).write_text("".join(row[at] + "\n" for row in rows), encoding="utf-8")
    files = ["--source", tmp_path / "source", "--target", tmp_path / "target", "--links", tmp_path / "links"]
    command("reorder", "train", *files, *recipe.split(), "-o", tmp_path / "one")
    for partitions in (1, 5):
        spark.reorder_train(frame(session, rows, partitions), tmp_path / "many", recipe=recipe)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


@pytest.mark.parametrize("learner", ["svm --c 0.1", "dual --sigma2 1", "lbfgs --sigma2 1"])
def test_learned_models_reach_the_gap_and_predict_the_same(session, corpus, tmp_path, learner):
    rows, folder = corpus
    rows = rows[:PAIRS]
    # Near enough to the optimum that one machine, too, would predict the same with another seed.
    recipe = f"--learner {learner} --features S7 --min-count 3 --gap 0.00001"
    lines = {name: [row[at] for row in rows] for at, name in ((1, "source"), (2, "target"), (3, "links"))}
    one = chiasm.reorder.train(lines["source"], lines["target"], lines["links"], recipe=recipe, output=tmp_path / "one", progress=False)
    models = []
    for partitions in (2, 5):
        path = tmp_path / f"many{partitions}"
        reports = spark.reorder_train(frame(session, rows, partitions), path, recipe=recipe, parts=3, work=tmp_path / f"work{partitions}")
        assert reports[0]["converged"] and reports[0]["relative_gap"] <= 1e-5
        models.append(path.read_bytes())
    assert models[0] == models[1]
    held_out = pairs_of(chiasm.synthesise("japanese-like", 300, seed=6))
    first, second = (list(predictions(model, held_out)) for model in (one, chiasm.reorder.OrientationModel(tmp_path / "many2")))
    differing = sum(way != other for way, other in zip(first, second))
    assert len(first) == len(second) > 10_000 and differing <= 0.001 * len(first), (differing, len(first))


def predictions(model, pairs):
    """The orientation that a model finds the most probable, of every phrase of every pair."""
    explained = (phrase for pair in pairs for phrase in model.explain(*pair, top=1))
    for phrase in explained:
        for way in phrase["directions"]:
            yield max(way["probabilities"], key=way["probabilities"].get)


def test_a_system_is_trained_and_training_goes_on(session, tmp_path):
    pairs = pairs_of(chiasm.synthesise("japanese-like", 400, seed=9))
    df = frame(session, [(number, *row) for number, row in enumerate(pairs)], 3).drop("links")
    output, work = tmp_path / "system.chiasm", tmp_path / "work"
    translator = spark.train(df, output, work=work, sample=1, rounds=1, preset="quick", progress=False)
    assert str(translator.translate(pairs[0][0]))
    first, stages = output.read_bytes(), sorted(path.name for path in (work / "stages").iterdir())
    output.unlink()
    spark.train(df, output, work=work, sample=1, rounds=1, preset="quick", progress=False)
    assert output.read_bytes() == first
    assert sorted(path.name for path in (work / "stages").iterdir()) == stages


def test_without_java_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(chiasm.Error, match="Java 17 or newer"):
        spark.session("local[2]")


def test_without_pyspark_the_package_works_and_says_what_to_install():
    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "import chiasm\n"
        "try:\n    import chiasm.spark\nexcept ImportError as error:\n    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install 'chiasm[spark]'" in found.stdout and "Java 17" in found.stdout
