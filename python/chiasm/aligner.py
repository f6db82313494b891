"""Which words translate each other."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from typing import Any, Iterable, Iterator, Optional, Union

import numpy

from chiasm import _chiasm, _progress
from chiasm._files import is_path, links_as_file, together

Links = list[tuple[int, int]]

_METHOD = "grow-diag-final-and"


def _lines(text: Any) -> Iterable[str]:
    if not is_path(text):
        return text
    return _read(text)


def _read(path: Any) -> Iterator[str]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\r\n")


class Aligner:
    """A word aligner. Text is tokenised: words between spaces.

    >>> aligner = Aligner("fast").fit(["a b", "b", "a"] * 5, ["x y", "y", "x"] * 5)
    >>> aligner.align("b a", "y x")
    [(0, 0), (1, 1)]
    """

    def __init__(self, preset: str = "standard", *, seed: int = 1, symmetrise: str = _METHOD, memory: Optional[int] = None):
        self.preset, self.seed, self.symmetrise, self.memory = preset, seed, symmetrise, memory
        self._model: Any = None
        #: The links of the text it was fitted on, and the posterior probability of each.
        self.links_: Optional[list[Links]] = None
        self.scores_: Optional[list[list[float]]] = None

    def fit(self, source: Any, target: Any, *, threads: Optional[int] = None, progress: Any = True) -> "Aligner":
        """Learns from files, lists or iterators; words become numbers as they come, so nothing is held twice."""
        pairs = together(_lines(source), _lines(target))
        self._model, found = _chiasm.align_fit(
            pairs, self.preset, self.seed, self.symmetrise, self.memory, threads, _progress.listener(progress)
        )
        self.links_ = [links for links, _ in found]
        self.scores_ = [scores for _, scores in found]
        return self

    def align(self, source: str, target: str) -> Links:
        """The links of a sentence pair, (source, target)."""
        return self._fitted().align([(source, target)], 1)[0][0]

    def align_iter(
        self, pairs: Iterable[tuple[str, str]], *, batch: int = 1000, threads: Optional[int] = None
    ) -> Iterator[Links]:
        """The links of pairs as they come, a batch at a time."""
        for found in self._batches(pairs, batch, threads):
            yield from (links for links, _ in found)

    def scores(self, source: str, target: str) -> dict[tuple[int, int], float]:
        """The links of a sentence pair with the posterior probability of each, the mean of both directions'."""
        links, scores = self._fitted().align([(source, target)], 1)[0]
        return dict(zip(links, scores))

    def posteriors(self, source: str, target: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Posterior probabilities of all links, source words by target words, of either direction."""
        rows, columns, forward, reverse = self._fitted().posteriors(source, target)
        return tuple(numpy.array(matrix).reshape(rows, columns) for matrix in (forward, reverse))

    def lexicon(self, word: str, most: Optional[int] = None) -> list[tuple[str, float, float]]:
        """What a source word is translated by: target word, p(target | source), p(source | target)."""
        return self._fitted().lexicon(word)[:most]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model, which ``chiasm align --model`` reads, too."""
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], *, symmetrise: str = _METHOD) -> "Aligner":
        """Opens a model."""
        aligner = cls(symmetrise=symmetrise)
        aligner._model = _chiasm.AlignmentModel(os.fspath(path), symmetrise)
        return aligner

    def _batches(self, pairs, batch, threads):
        model, pairs = self._fitted(), iter(pairs)
        while some := list(itertools.islice(pairs, batch)):
            yield model.align(some, threads)

    def _fitted(self):
        if self._model is None:
            raise _chiasm.Error("this aligner has learned nothing yet: call fit, or load a model")
        return self._model


def symmetrise(forward: Links, reverse: Links, method: str = _METHOD) -> Links:
    """Makes one set of links of two, both (source, target).

    >>> symmetrise([(0, 0), (1, 1)], [(0, 0)], "intersection")
    [(0, 0)]
    """
    return _chiasm.symmetrise(forward, reverse, method)


def aer(gold: Any, links: Any) -> dict:
    """Alignment error rate, precision, recall; ``gold`` has lines or a file of `0-0` (sure) and `1p2` (possible) links.

    >>> aer(["0-0 1-1"], [[(0, 0)]])["recall"]
    0.5
    """
    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        files = links_as_file(gold, folder, "gold"), links_as_file(links, folder, "links")
        return json.loads(_chiasm.aer(*files))
