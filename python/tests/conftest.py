"""A small language pair whose words are known, made anew for each run."""

import random

import pytest

WORDS = {"haus": "house", "hund": "dog", "katze": "cat", "mann": "man", "frau": "woman", "buch": "book", "baum": "tree"}
VERBS = {"sieht": "sees", "liest": "reads", "sucht": "seeks", "findet": "finds"}


def sentences(count: int, seed: int = 1):
    """Subject, object, verb on one side; subject, verb, object on the other; links as they are."""
    chance = random.Random(seed)
    source, target, links = [], [], []
    for _ in range(count):
        subject, thing = chance.sample(sorted(WORDS), 2)
        verb = chance.choice(sorted(VERBS))
        source.append(f"der {subject} das {thing} {verb} .")
        target.append(f"the {WORDS[subject]} {VERBS[verb]} the {WORDS[thing]} .")
        links.append([(0, 0), (1, 1), (2, 3), (3, 4), (4, 2), (5, 5)])
    return source, target, links


@pytest.fixture(scope="session")
def corpus():
    return sentences(400)


@pytest.fixture(scope="session")
def system(corpus, tmp_path_factory):
    import chiasm

    source, target, _ = corpus
    path = tmp_path_factory.mktemp("system") / "de-en.chiasm"
    chiasm.train(
        source,
        target,
        tokenized=True,
        preset="quick",
        config={"text": {"dev_pairs": 40}, "tune": {"iterations": 2}},
        output=path,
        progress=False,
    )
    return path
