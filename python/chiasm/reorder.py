"""How phrases move: examples with their features, models, reasons.

Source and target are tokenised; links are lists of (source, target) pairs or lines of ``0-0 1-2``. Each may be a file.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy

from chiasm import _chiasm, _progress
from chiasm._files import links_as_file, links_line, pairs_as_files

_GIBIBYTE = 1 << 30
_RECIPE = "--features S7+unaligned --learner svm"


@dataclass(frozen=True)
class Examples:
    """Phrase pairs of an aligned corpus as a sparse matrix: a row for each distinct example and class."""

    #: SciPy's matrix in compressed sparse rows.
    matrix: Any
    #: The orientation of each row, as a number.
    labels: numpy.ndarray
    #: How many phrase pairs each row stands for.
    weights: numpy.ndarray
    #: The names of the columns, such as `haus&house` or `das⁻`.
    feature_names: list[str]
    #: The names of the orientations.
    class_names: list[str]

    def to_pandas(self) -> Any:
        """A table of the examples: orientation, weight, features."""
        import pandas

        ends = self.matrix.indptr
        names = [[self.feature_names[i] for i in self.matrix.indices[a:b]] for a, b in zip(ends, ends[1:])]
        orientation = pandas.Categorical.from_codes(self.labels, self.class_names)
        return pandas.DataFrame({"orientation": orientation, "weight": self.weights, "features": names})

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        import pyarrow

        return pyarrow.Table.from_pandas(self.to_pandas())


def _corpus(source: Any, target: Any, links: Any, folder: str):
    files = pairs_as_files(source, target, folder)
    return (*files, links_as_file(links, folder))


def examples(
    source: Any,
    target: Any,
    links: Any,
    *,
    features: str = "S7+unaligned",
    orientation: str = "hier-msd",
    min_count: int = 11,
    memory: int = _GIBIBYTE,
    threads: Optional[int] = None,
    progress: Any = True,
) -> Examples:
    """All phrase pairs that the links allow, with their backward orientation and features."""
    from scipy.sparse import csr_matrix

    recipe = f"--features {features} --orientation {orientation} --min-count {min_count} --learner svm --c 0.1"
    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        files = _corpus(source, target, links, folder)
        found = _chiasm.examples(files, recipe, memory, threads, _progress.listener(progress))
    offsets, indices, values, labels, weights, names, classes = found
    matrix = csr_matrix((values, indices, offsets), shape=(len(labels), len(names)))
    return Examples(matrix, labels, weights, names, classes)


class OrientationModel:
    """A model of how phrases move."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._model = _chiasm.OrientationModel(os.fspath(path))

    def evaluate(
        self, source: Any, target: Any, links: Any, *, threads: Optional[int] = None, progress: Any = True
    ) -> dict:
        """How well it tells orientations apart: accuracy, log loss, confusion, as ``chiasm reorder evaluate --json``."""
        with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
            files = _corpus(source, target, links, folder)
            return json.loads(self._model.evaluate(files, threads, _progress.listener(progress)))

    def explain(
        self, source: str, target: str, links: Any, *, span: Optional[tuple[int, int]] = None, top: int = 10
    ) -> list[dict]:
        """Why the phrases of a sentence pair move as they do: probabilities and deciding features."""
        line = links if isinstance(links, str) else links_line(links)
        return [json.loads(phrase) for phrase in self._model.explain(source, target, line, span, top)]


def train(
    source: Any,
    target: Any,
    links: Any,
    output: Union[str, "os.PathLike[str]"],
    *,
    recipe: str = _RECIPE,
    memory: int = _GIBIBYTE,
    threads: Optional[int] = None,
    progress: Any = True,
) -> OrientationModel:
    """Trains a model as ``recipe`` says, which is written as the options of ``chiasm reorder train``."""
    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        files = _corpus(source, target, links, folder)
        _chiasm.reorder_train(files, recipe, os.fspath(output), memory, threads, _progress.listener(progress))
    return OrientationModel(output)
