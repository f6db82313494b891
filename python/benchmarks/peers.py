"""The package beside its peers, in one run each; seconds are of the processor, not of the clock.

    pip install kenlm sacrebleu scikit-learn
    python peers.py lm TEXT            # language model queries: kenlm's Python module
    python peers.py bleu HYP REF       # BLEU: sacreBLEU
    python peers.py learn [ROWS]       # classifiers: scikit-learn
    python peers.py calls SYSTEM SOURCE PROGRAM   # what calling from Python costs over the command line
    python peers.py interrupt SOURCE TARGET SYSTEM [NAME]  # how long after Ctrl-C a call ends, by the clock
    python peers.py stream [PAIRS]     # memory of a call that is given iterators
"""

import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy

import chiasm


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def seconds(call, repetitions=5):
    """The least processor time of several calls, and what the last one returned."""
    least = float("inf")
    for _ in range(repetitions):
        begin = time.process_time()
        result = call()
        least = min(least, time.process_time() - begin)
    return least, result


def lm(text):
    import kenlm

    sentences = lines(text)
    with tempfile.TemporaryDirectory() as folder:
        arpa = os.path.join(folder, "lm.arpa")
        ours = chiasm.LanguageModel.estimate(sentences, order=5, arpa=arpa, progress=False)
        theirs = kenlm.Model(arpa)
        asked = sentences[:: max(1, len(sentences) // 20000)]
        one, mine = seconds(lambda: [ours.score(sentence) for sentence in asked])
        other, peer = seconds(lambda: [theirs.score(sentence) for sentence in asked])
    largest = max(abs(a - b) for a, b in zip(mine, peer))
    print(f"{len(asked)} sentences: chiasm {one:.3f} s, kenlm {other:.3f} s, {other / one:.2f} times; largest difference {largest:.1e}")


def bleu(hypothesis, reference):
    import sacrebleu

    hypotheses, references = lines(hypothesis) * 5, lines(reference) * 5
    for name, ours, theirs in (
        ("corpus_bleu", chiasm.metrics.corpus_bleu, sacrebleu.corpus_bleu),
        ("corpus_chrf", chiasm.metrics.corpus_chrf, sacrebleu.corpus_chrf),
    ):
        one, mine = seconds(lambda: ours(hypotheses, [references]).score, 3)
        other, peer = seconds(lambda: theirs(hypotheses, [references]).score, 3)
        print(f"{name}: {len(hypotheses)} sentences, chiasm {one:.3f} s, sacreBLEU {other:.3f} s, {other / one:.1f} times; {mine:.4f} {peer:.4f}")


def problem(rows, columns=100_000, each=20, classes=3, seed=1):
    """Words by Zipf's law, classes by a hidden linear model with noise."""
    from scipy import sparse

    chance = numpy.random.default_rng(seed)
    word = numpy.minimum((chance.pareto(0.7, rows * each) * 5).astype(numpy.int64), columns - 1).astype(numpy.int32)
    matrix = sparse.csr_matrix((numpy.ones(rows * each), word, numpy.arange(0, rows * each + 1, each)), (rows, columns))
    matrix.sum_duplicates()
    hidden = chance.normal(size=(columns, classes))
    return matrix, (matrix @ hidden + 2 * chance.gumbel(size=(rows, classes))).argmax(axis=1)


def learn(rows="1000000"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    X, y = problem(int(rows))
    print(f"{X.shape[0]} rows, {X.shape[1]} columns, {X.nnz} entries, classes {numpy.bincount(y)}", flush=True)
    C = 0.1

    def svm(weights):
        scores = X @ weights.T
        right = scores[numpy.arange(len(y)), y]
        scores += 1
        scores[numpy.arange(len(y)), y] -= 1
        return 0.5 * (weights**2).sum() + C * (scores.max(axis=1) - right).sum()

    def maxent(weights):
        scores = X @ weights.T
        total = numpy.logaddexp.reduce(scores, axis=1)
        return 0.5 / C * (weights**2).sum() + (total - scores[numpy.arange(len(y)), y]).sum()

    def fit(name, model, objective):
        begin = time.process_time()
        model.fit(X, y)
        taken = time.process_time() - begin
        print(f"{name}: {taken:.1f} s, objective {objective(model.coef_):.2f}", flush=True)
        return taken

    # scikit-learn: 1/2 |w|^2 + C sum loss; ours for MaxEnt: 1/(2 sigma^2) |w|^2 + sum loss, so sigma^2 = C.
    one = fit("chiasm MaxEnt dual", chiasm.learn.MaxEnt(C, tol=1e-4, fit_intercept=False, n_jobs=1), maxent)
    also = fit("chiasm MaxEnt lbfgs", chiasm.learn.MaxEnt(C, solver="lbfgs", tol=1e-4, fit_intercept=False, n_jobs=1), maxent)
    other = fit("LogisticRegression(lbfgs)", LogisticRegression(C=C, fit_intercept=False, max_iter=1000), maxent)
    print(f"  {other / one:.1f} times (dual), {other / also:.1f} times (lbfgs)")
    one = fit("chiasm SVM", chiasm.learn.SVM(C, tol=1e-3, fit_intercept=False, n_jobs=1), svm)
    model = LinearSVC(C=C, multi_class="crammer_singer", fit_intercept=False, max_iter=1000)
    other = fit("LinearSVC(crammer_singer)", model, svm)
    print(f"  {other / one:.1f} times")


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def calls(system, source, program):
    texts = lines(source)[:1000]
    text = "\n".join(texts) + "\n"
    batch = f"import chiasm, sys; t = chiasm.Translator({system!r}, tokenized=True)\n"
    batch += f"x = open({source!r}, encoding='utf-8').read().splitlines()[:1000]\n"
    variants = {
        "command line": [program, "translate", "--threads", "1", "--tokenized", "-s", system],
        "translate_batch": [sys.executable, "-c", batch + "print('\\n'.join(o.text for o in t.translate_batch(x, threads=1)))"],
        "translate": [sys.executable, "-c", batch + "print('\\n'.join(t.translate(l).text for l in x))"],
        "import alone": [sys.executable, "-c", "import chiasm"],
    }
    found = {name: [] for name in variants}
    for _ in range(3):
        for name, command in variants.items():
            before = children()
            out = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
            found[name].append((children() - before, hash(out)))
    for name, runs in found.items():
        print(f"{name}: {min(run[0] for run in runs):.3f} s of {len(texts)} sentences, same answers: {len({r[1] for r in runs + found['command line']}) == 1}")


def interrupt(source, target, system, only=""):
    """SIGINT at twenty moments of each long call."""
    chiasm.learn.SVM  # imports scikit-learn, which does not like to be interrupted
    first, second = lines(source), lines(target)
    translator = chiasm.Translator(system, tokenized=True)
    work = {
        "train": lambda out: chiasm.train(first, second, tokenized=True, output=out, progress=False),
        "Aligner.fit": lambda out: chiasm.Aligner("best").fit(first * 3, second * 3, progress=False),
        "LanguageModel.estimate": lambda out: chiasm.LanguageModel.estimate(second * 30, progress=False),
        "translate_batch": lambda out: translator.translate_batch(first),
        "SVM.fit": lambda out, data=problem(300_000): chiasm.learn.SVM(10, tol=1e-9).fit(*data),
        "reorder.examples": lambda out: chiasm.reorder.examples(
            first, second, chiasm.Aligner("fast").fit(first, second, progress=False).links_, progress=False
        ),
    }
    for name, call in work.items():
        if only not in name:
            continue
        taken, ended = [], 0
        for moment in range(20):
            with tempfile.TemporaryDirectory() as folder:
                sent = []

                def send():
                    sent.append(time.perf_counter())
                    os.kill(os.getpid(), signal.SIGINT)

                timer = threading.Timer(0.1 + 0.29 * moment, send)
                timer.start()
                try:
                    call(os.path.join(folder, "out"))
                    timer.cancel()
                    timer.join()
                    ended += 1
                except KeyboardInterrupt:
                    taken.append(1000 * (time.perf_counter() - sent[0]))
                assert not os.listdir(folder), os.listdir(folder)
        spread = f"median {statistics.median(taken):.0f} ms, longest {max(taken):.0f} ms" if taken else "none"
        print(f"{name}: {len(taken)} interrupts, {spread}; ended before: {ended}", flush=True)


def stream(pairs="1000000"):
    """What a million pairs from generators add to the memory of the process."""
    count = int(pairs)
    words = [f"w{number}" for number in range(5000)]

    def side(prefix):
        for number in range(count):
            yield " ".join(prefix + words[(number * 7 + k * k) % 5000] for k in range(8))

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    before = peak()
    model = chiasm.LanguageModel.estimate(side(""), order=3, progress=False)
    print(f"LanguageModel.estimate of {count} sentences: {peak() - before:.0f} MB above {before:.0f}; order {model.order}", flush=True)
    before = peak()
    chiasm.Aligner("fast").fit(side(""), side("x"), progress=False)
    text = sum(len(line) + 1 for line in side("")) / 1e6
    print(f"Aligner.fit of {count} pairs ({text:.0f} MB a side): {peak() - before:.0f} MB above {before:.0f}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("lm", "bleu", "learn", "calls", "interrupt", "stream"):
        sys.exit(__doc__)
    globals()[sys.argv[1]](*sys.argv[2:])
