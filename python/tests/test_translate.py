import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from conftest import sentences

import chiasm

SENTENCE = "der hund das buch sieht ."


def test_a_trained_system_translates_and_says_why(system):
    translator = chiasm.Translator(system, tokenized=True)
    found = translator.translate(SENTENCE)
    assert str(found) == "the dog sees the book ."
    assert found.source_tokens == SENTENCE.split()
    assert (5, 5) in found.alignment and all(max(link) < 6 for link in found.alignment)
    covered = sorted(place for phrase in found.phrases for place in range(*phrase.source))
    assert covered == list(range(6))
    assert "<svg" in found._repr_html_() and "hund" in found._repr_html_()
    explained = translator.explain(SENTENCE)
    assert explained["translation"] == found.text and explained["phrases"]


def test_lists_constraints_and_glossaries(system):
    translator = chiasm.Translator(system, tokenized=True)
    found = translator.translate(SENTENCE, n=5)
    assert len({one.text for one in found}) == len(found) > 1
    assert found[0].score >= found[-1].score
    pinned = translator.translate(SENTENCE, constraints=[((1, 2), "hound")])
    assert "hound" in pinned.text
    with pytest.raises(ValueError, match="no span"):
        translator.translate(SENTENCE, constraints=[((5, 9), "x")])
    termed = chiasm.Translator(system, tokenized=True, glossary={"buch": "tome"})
    assert "tome" in termed.translate(SENTENCE).text


def test_it_learns_and_forgets(system, tmp_path):
    memory, before = tmp_path / "memory", system.read_bytes()
    translator = chiasm.Translator(system, tokenized=True, memory=memory)
    assert translator.memory == [] and translator.undo() is None
    said = translator.translate(SENTENCE).text
    assert translator.learn(SENTENCE, "a hound beholds a tome .") == 1
    assert translator.translate(SENTENCE).text == "a hound beholds a tome ."
    assert translator.memory == [(1, SENTENCE, "a hound beholds a tome .")]
    fresh = pickle.loads(pickle.dumps(translator))
    assert fresh.translate(SENTENCE).text == "a hound beholds a tome ."
    assert translator.undo() == 1
    assert translator.translate(SENTENCE).text == said and system.read_bytes() == before
    translator.learn("der dachs das buch sieht .", "the badger sees the book .")
    assert translator.translate("der dachs das haus liest .").text == "the badger reads the house ."
    with pytest.raises(chiasm.Error, match="number 7"):
        translator.forget(7)
    with pytest.raises(chiasm.Error, match="no words"):
        translator.learn("", "x")
    with pytest.raises(chiasm.Error, match="no memory"):
        chiasm.Translator(system, tokenized=True).learn(SENTENCE, "x")


def test_it_goes_on_from_what_was_typed(system):
    translator = chiasm.Translator(system, tokenized=True)
    for prefix in ["", "the d", "the dog", "the dog ", "zzz ", "the hound sees", "ζ", "a b c d e f g h i j"]:
        whole = translator.translate(SENTENCE, prefix=prefix)
        assert whole == prefix + whole.completion and whole.prefix == prefix
    assert translator.complete(SENTENCE, "the d") == "the dog sees the book ."
    assert translator.complete(SENTENCE, "the hound ") == "the hound sees the book ."
    with pytest.raises(ValueError, match="prefix"):
        translator.translate(SENTENCE, n=2, prefix="the")


def test_it_says_how_sure_it_is(system):
    translator = chiasm.Translator(system, tokenized=True)
    assert translator.translate(SENTENCE).confidences is None
    found = translator.translate(SENTENCE, confidences=True)
    sure = found.confidences
    assert abs(found.confidence - sum(sure) / len(sure)) < 1e-9
    assert len(sure) == 6 and all(0 <= value <= 1 for value in sure)
    assert "tome" in translator.translate(SENTENCE, glossary={"buch": "tome"}).text


def test_word_graphs_hold_the_best_translation(system):
    translator = chiasm.Translator(system, tokenized=True)
    best = translator.translate(SENTENCE)
    graph = translator.word_graph(SENTENCE)
    scores = {0: 0.0}
    for arc in graph["arcs"]:
        if arc["from"] in scores:
            through = scores[arc["from"]] + arc["score"]
            scores[arc["to"]] = max(through, scores.get(arc["to"], through))
    assert abs(scores[graph["nodes"] - 1] - best.score) < 1e-3
    assert len(translator.word_graph(SENTENCE, beam=0.0)["arcs"]) < len(graph["arcs"])


def test_batches_do_not_depend_on_threads(system):
    translator = chiasm.Translator(system, tokenized=True)
    texts = sentences(30, seed=5)[0]
    expected = [translator.translate(text).text for text in texts]
    for threads in (1, 2, 3):
        assert [one.text for one in translator.translate_batch(texts, threads=threads)] == expected


def test_the_command_line_gives_the_same(system, corpus, tmp_path):
    program = os.environ.get("CHIASM")
    if not program:
        pytest.skip("CHIASM names no program to compare with")
    texts = sentences(30, seed=5)[0]
    command = [program, "translate", "-s", str(system), "--tokenized"]
    out = subprocess.run(command, input="\n".join(texts) + "\n", capture_output=True, text=True, check=True).stdout
    translator = chiasm.Translator(system, tokenized=True)
    assert out.splitlines() == [one.text for one in translator.translate_batch(texts)]
    source, target, _ = corpus
    for name, lines in (("s", source), ("t", target)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "c.toml").write_text("[text]\ndev_pairs = 40\n[tune]\niterations = 2\n")
    arguments = ["--source", "s", "--target", "t", "--preset", "quick", "--config", "c.toml", "-o", "o.chiasm"]
    subprocess.run([program, "train", "--tokenized", *arguments], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "o.chiasm").read_bytes() == open(system, "rb").read()
    subprocess.run([program, "align", "--source", "s", "--target", "t", "-o", "l"], cwd=tmp_path, check=True, capture_output=True)
    links = chiasm.Aligner().fit(source, target, progress=False).links_
    lines = [" ".join(f"{a}-{b}" for a, b in one) for one in links]
    assert (tmp_path / "l").read_text().splitlines() == lines


def _translate(path):
    return chiasm.Translator(path, tokenized=True).translate(SENTENCE).text


def test_threads_forks_and_pickles(system):
    translator = chiasm.Translator(system, tokenized=True)
    expected = translator.translate(SENTENCE).text
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: translator.translate(SENTENCE).text, range(20))) == {expected}
    with get_context("fork").Pool(2) as pool:
        assert pool.map_async(_translate, [system] * 4).get(timeout=60) == [expected] * 4
    with get_context("spawn").Pool(2) as pool:
        assert pool.map_async(_translate, [system] * 4).get(timeout=60) == [expected] * 4
    assert pickle.loads(pickle.dumps(translator)).translate(SENTENCE).text == expected


def test_joblib(system):
    joblib = pytest.importorskip("joblib")
    translator = chiasm.Translator(system, tokenized=True)
    expected = translator.translate(SENTENCE).text
    for backend in ("loky", "multiprocessing", "threading"):
        found = joblib.Parallel(2, backend=backend)(joblib.delayed(_text)(translator) for _ in range(4))
        assert found == [expected] * 4


def _text(translator):
    return translator.translate(SENTENCE).text


ENDLESS = """
import signal, sys, chiasm
from conftest import sentences
# Where tests run in the background, Ctrl-C may be ignored from the start.
signal.signal(signal.SIGINT, signal.default_int_handler)
source, target, _ = sentences(20000)
print("go", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    "call",
    [
        "chiasm.train(source * 20, target * 20, tokenized=True, output='never.chiasm', progress=False)",
        "chiasm.Aligner('best').fit(source * 20, target * 20, progress=False)",
    ],
)
def test_interrupts_end_calls_soon_and_leave_nothing(call, tmp_path):
    code = ENDLESS.format(call=call)
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert child.wait(30) == 0
    assert os.listdir(tmp_path) == []


def test_what_is_wrong_is_named(system, tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.chiasm"):
        chiasm.Translator(tmp_path / "nothing.chiasm")
    broken = tmp_path / "broken.chiasm"
    broken.write_bytes(b"not a system at all")
    with pytest.raises(chiasm.Error, match="broken.chiasm"):
        chiasm.Translator(broken)
    with pytest.raises(chiasm.Error, match="languages"):
        chiasm.train(["a"], ["b"], output=tmp_path / "x", progress=False)
    with pytest.raises(chiasm.Error, match="line break"):
        chiasm.train(["a\nb"], ["b"], tokenized=True, output=tmp_path / "x", progress=False)
    with pytest.raises(chiasm.Error, match="2 sentences expected|1 sentences expected"):
        chiasm.train(["a", "b"], ["b"], tokenized=True, output=tmp_path / "x", progress=False)
    with pytest.raises(chiasm.Error, match="presets|preset|best"):
        chiasm.train(["a"], ["b"], tokenized=True, preset="huge", output=tmp_path / "x", progress=False)
    with pytest.raises(TypeError):
        chiasm.Translator(system).translate(3)


def test_progress_is_told_and_may_interrupt(corpus, tmp_path):
    heard = []
    source, target, _ = corpus
    chiasm.Aligner("best").fit(source * 10, target * 10, progress=lambda *news: heard.append(news))
    assert heard and heard[-1][0] == "align"

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        chiasm.train(source * 20, target * 20, tokenized=True, output=tmp_path / "x", progress=stop)
    assert not list(tmp_path.iterdir())
    assert threading.active_count() < 20
