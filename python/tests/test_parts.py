import itertools
import math
import subprocess
import sys

import numpy
import pytest
from conftest import VERBS, WORDS

import chiasm


def test_alignment(corpus, tmp_path):
    source, target, links = corpus
    aligner = chiasm.Aligner("standard", seed=3).fit(iter(source), iter(target), progress=False)
    found = chiasm.aer([" ".join(f"{a}-{b}" for a, b in one) for one in links], aligner.links_)
    assert found["aer"] < 0.1
    assert all(0 <= score <= 1.001 for score in itertools.chain(*aligner.scores_))
    word, probability, _ = aligner.lexicon("hund", 1)[0]
    assert word == "dog" and probability > 0.5
    aligner.save(tmp_path / "model")
    again = chiasm.Aligner.load(tmp_path / "model")
    pair = source[0], target[0]
    assert again.align(*pair) == aligner.align(*pair) == list(again.align_iter([pair]))[0]
    assert again.scores(*pair).keys() == set(again.align(*pair))
    forward, reverse = again.posteriors(*pair)
    assert forward.shape == reverse.shape == (6, 6)
    with pytest.raises(chiasm.Error, match="learned nothing"):
        chiasm.Aligner().align("a", "b")
    with pytest.raises(chiasm.Error, match="fast, standard, best"):
        chiasm.Aligner("swift").fit(["a"], ["b"], progress=False)
    with pytest.raises(chiasm.Error, match="more"):
        chiasm.Aligner().fit(["a", "b"], ["b"], progress=False)


def test_language_models(corpus, tmp_path):
    target = corpus[1]
    model = chiasm.LanguageModel.estimate(target, order=3, arpa=tmp_path / "lm.arpa", progress=False)
    line = "the dog sees the cat ."
    parts = model.full_scores(line)
    assert len(parts) == 7 and math.isclose(sum(part[0] for part in parts), model.score(line), rel_tol=1e-5)
    assert [part[1] for part in parts][:3] == [2, 3, 3] and not any(part[2] for part in parts)
    assert model.full_scores("zebra", eos=False)[0][2]
    state, total = model.begin_state(), 0.0
    for word in [*line.split(), "</s>"]:
        log10, state = model.advance(state, word)
        total += log10
    assert math.isclose(total, model.score(line), rel_tol=1e-5)
    model.save(tmp_path / "lm.bin")
    for name in ("lm.bin", "lm.arpa"):
        assert math.isclose(chiasm.LanguageModel(tmp_path / name).score(line), model.score(line), rel_tol=1e-4)
    assert "dog" in model and "zebra" not in model and model.order == 3
    assert model.perplexity(line) > 1


def test_metrics():
    hypotheses = ["the cat sat on the mat", "a dog barks at night"]
    references = ["the cat sat on a mat", "the dog barks at night"]
    found = chiasm.metrics.corpus_bleu(hypotheses, [references])
    assert 0 < found.score < 100 and "tok:13a" in found.signature and len(found.precisions) == 4
    assert chiasm.metrics.corpus_chrf(hypotheses, [hypotheses]).score == 100
    assert chiasm.metrics.corpus_ter(hypotheses, [references]).score > 0
    assert chiasm.metrics.corpus_nist(hypotheses, [references]).score > 0
    difference = chiasm.metrics.significance(references * 20, hypotheses * 20, [references * 20])
    assert difference.difference > 0 and difference.p_value < 0.05
    with pytest.raises(chiasm.Error, match="expected"):
        chiasm.metrics.corpus_bleu(hypotheses, [references[:1]])
    with pytest.raises(chiasm.Error):
        chiasm.metrics.corpus_bleu(hypotheses, [references], tokenize="klingon")


def test_sacrebleu_agrees():
    sacrebleu = pytest.importorskip("sacrebleu")
    hypotheses = ["the cat sat on the mat", "a dog barks, at night!"]
    references = [["the cat sat on a mat", "the dog barks at night."], ["a cat is on the mat", "dogs bark at night!"]]
    for ours, theirs in (
        (chiasm.metrics.corpus_bleu, sacrebleu.corpus_bleu),
        (chiasm.metrics.corpus_chrf, sacrebleu.corpus_chrf),
        (chiasm.metrics.corpus_ter, sacrebleu.corpus_ter),
    ):
        assert math.isclose(ours(hypotheses, references).score, theirs(hypotheses, references).score, rel_tol=1e-9)


def test_how_phrases_move(corpus, tmp_path):
    pytest.importorskip("scipy")
    source, target, links = corpus
    examples = chiasm.reorder.examples(source, target, links, features="S7", progress=False)
    assert examples.matrix.shape == (len(examples.labels), len(examples.feature_names))
    assert examples.class_names == ["monotone", "swap", "discontinuous"]
    assert "hund&dog" in examples.feature_names and examples.weights.sum() > len(source)
    model = chiasm.reorder.train(source, target, links, tmp_path / "m", recipe="--features S7 --learner dual --sigma2 1", progress=False)
    assert model.evaluate(source, target, links, progress=False)["accuracy"] > 0.9
    reasons = model.explain(source[0], target[0], links[0])
    assert reasons and "probabilities" in str(reasons[0])
    with pytest.raises(chiasm.Error, match="S99"):
        chiasm.reorder.examples(source, target, links, features="S99", progress=False)
    table = examples.to_pandas()
    assert len(table) == len(examples.labels)


def test_importing_is_light():
    code = "import sys, chiasm; print([m for m in ('sklearn', 'scipy', 'pandas') if m in sys.modules], chiasm.learn.SVM)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.startswith("[] <class")


def test_words():
    assert chiasm.tokenize("Der Hund, der bellt.", "de") == ["Der", "Hund", ",", "der", "bellt", "."]
    assert chiasm.detokenize("the dog , too .") == "the dog, too."
    assert len(WORDS) and len(VERBS)


def test_bad_arrays_raise():
    from chiasm import _chiasm

    good = numpy.array([0, 1, 2]), numpy.array([0, 1], dtype=numpy.int32), numpy.array([1.0, 1.0])
    labels = numpy.array([0, 1])

    def fit(offsets=good[0], indices=good[1], values=good[2], columns=2, labels=labels, weights=None, classes=2):
        return _chiasm.learn_fit("--learner svm --c 1", (offsets, indices, values, columns), labels, weights, classes, 1, None)

    fit()
    bad = [
        {"values": numpy.array([1.0, numpy.nan])},
        {"indices": numpy.array([0, -1], dtype=numpy.int32)},
        {"indices": numpy.array([0, 5], dtype=numpy.int32)},
        {"offsets": numpy.array([0, 2, 1])},
        {"offsets": numpy.array([0, 1, 1 << 40])},
        {"offsets": numpy.array([], dtype=numpy.int64)},
        {"labels": numpy.array([0, 7])},
        {"labels": numpy.array([0])},
        {"weights": numpy.array([1.0])},
        {"weights": numpy.array([1.0, -1.0])},
        {"values": numpy.array(["a", "b"], dtype=object)},
        {"values": numpy.ones((2, 2))},
    ]
    for change in bad:
        with pytest.raises((chiasm.Error, TypeError, ValueError)):
            fit(**change)


def test_the_native_module_is_what_its_stub_says():
    import ast
    from pathlib import Path

    from chiasm import _chiasm

    stub = ast.parse((Path(chiasm.__file__).parent / "_chiasm.pyi").read_text())
    told = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    native = {name for name in dir(_chiasm) if not name.startswith("_")}
    # What machines of a cluster call has a module of its own.
    assert native == {*told, "shards"}
    for name, node in told.items():
        if isinstance(node, ast.ClassDef) and name != "Error":
            members = {one.name for one in node.body if isinstance(one, ast.FunctionDef)} - {"__init__"}
            assert members <= set(dir(getattr(_chiasm, name)))
            public = {one for one in vars(getattr(_chiasm, name)) if not one.startswith("_")}
            assert public <= members
