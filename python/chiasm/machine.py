"""Chiasm for SIL's ``machine.py`` (``pip install chiasm[machine]``): its engine, model, trainer and word aligner on Chiasm's.

    model = ChiasmTranslationModel("de-en.chiasm", tokenized=True)
    with model.create_trainer(corpus) as trainer:
        trainer.train(); trainer.save()
    result = model.translate("...")

``train_segment`` learns from approved segments at once; what it learns lies beside the system, in ``PATH.memory``. Take single results
of an ``InteractiveTranslator`` (``next(translator.get_current_results())``): machine.py's generator waits for ever once all are taken.
Confidences are posteriors of words in the word graph, not calibrated.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Collection, Iterable, Optional, Sequence, Union

import numpy
from machine.annotations import Range
from machine.corpora import ParallelTextCorpus
from machine.translation import (
    InteractiveTranslationModel,
    Phrase,
    Trainer,
    TrainStats,
    TranslationResult,
    TranslationSources,
    WordAlignmentMatrix,
    WordAlignmentModel,
    WordGraph,
    WordGraphArc,
)
from machine.translation.transductive_word_alignment_model import TransductiveWordAlignmentModel
from machine.translation.word_vocabulary import WordVocabulary
from machine.utils import ProgressStatus

from chiasm._chiasm import Error
from chiasm._training import train
from chiasm.aligner import Aligner
from chiasm.translator import Translation, Translator

Segment = Union[str, Sequence[str]]

#: Its queue of partial translations blocks at a thousand entries, one a target word of the graph, so graphs stay small.
_BEAM, _ARCS, _MOST_WORDS = 10.0, 500, 900


def _line(segment: Segment) -> str:
    return segment if isinstance(segment, str) else " ".join(segment)


def _matrix(rows: int, columns: int, links: Iterable[tuple[int, int]]) -> WordAlignmentMatrix:
    matrix = numpy.zeros((rows, columns), dtype=bool)
    for source, target in links:
        matrix[source, target] = True
    return WordAlignmentMatrix(matrix)


class _Progress:
    """Tells machine.py how far the work is, and lets it end it."""

    def __init__(self, progress: Optional[Callable[[ProgressStatus], None]], check: Optional[Callable[[], None]]) -> None:
        self._progress, self._check, self._step = progress, check, 0

    def __call__(self, work: str, unit: Optional[str], done: Optional[int], total: Optional[int]) -> None:
        if self._check is not None:
            self._check()
        if self._progress is not None and unit is not None:
            share = done / total if total and done is not None else None
            self._step += 1
            self._progress(ProgressStatus(self._step, share, message=work))


class _Trainer(Trainer):
    """Writes the corpus as it comes and trains on it when asked; ``save`` makes the result that of the model."""

    def __init__(self, corpus: ParallelTextCorpus, fit: Callable[[Path, Path, Any], None], keep: Callable[[], None]) -> None:
        self._corpus, self._fit, self._keep = corpus, fit, keep
        self._stats = TrainStats()

    def train(self, progress=None, check_canceled=None) -> None:
        with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
            files = Path(folder) / "source", Path(folder) / "target"
            with open(files[0], "w", encoding="utf-8") as source, open(files[1], "w", encoding="utf-8") as target:
                with self._corpus.get_rows() as rows:
                    for row in rows:
                        source.write(_line(row.source_segment) + "\n")
                        target.write(_line(row.target_segment) + "\n")
                        self._stats.train_corpus_size += 1
            self._fit(*files, _Progress(progress, check_canceled))

    def save(self) -> None:
        self._keep()

    @property
    def stats(self) -> TrainStats:
        return self._stats


class ChiasmTranslationModel(InteractiveTranslationModel):
    """A system as machine.py's engine; ``train_options`` are those of :func:`chiasm.train`."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, tokenized: bool = True, **train_options: Any) -> None:
        self._path, self._tokenized, self._options = Path(path), tokenized, train_options
        self._memory = self._path.with_name(self._path.name + ".memory")
        self._opened: Optional[Translator] = None

    @property
    def _translator(self) -> Translator:
        if self._opened is None:
            self._open(learning=self._memory.exists())
        return self._opened

    def _open(self, learning: bool) -> None:
        self._opened = Translator(self._path, tokenized=self._tokenized, memory=self._memory if learning else None)
        self._learning = learning

    def create_trainer(self, corpus: ParallelTextCorpus) -> Trainer:
        made = self._path.with_name(self._path.name + ".trained")

        def fit(source: Path, target: Path, progress: Any) -> None:
            options = {"tokenized": self._tokenized, **self._options}
            train(source, target, output=made, progress=progress, **options)

        def keep() -> None:
            os.replace(made, self._path)
            self._opened = None

        return _Trainer(corpus, fit, keep)

    def translate(self, segment: Segment) -> TranslationResult:
        return self.translate_n(1, segment)[0]

    def translate_n(self, n: int, segment: Segment) -> Sequence[TranslationResult]:
        return self.translate_n_batch(n, [segment])[0]

    def translate_batch(self, segments: Sequence[Segment]) -> Sequence[TranslationResult]:
        return [results[0] for results in self.translate_n_batch(1, segments)]

    def translate_n_batch(self, n: int, segments: Sequence[Segment]) -> Sequence[Sequence[TranslationResult]]:
        lines = [_line(segment) for segment in segments]
        found = self._translator.translate_batch(lines, n)
        lists = found if n > 1 else [[one] for one in found]
        return [[self._result(line, one) for one in some] for line, some in zip(lines, lists)]

    def _result(self, line: str, found: Translation) -> TranslationResult:
        confidences = self._confidences(line, found)
        sources = [TranslationSources.SMT] * len(found.tokens)
        phrases = []
        for phrase in found.phrases:
            phrases.append(Phrase(Range.create(*phrase.source), phrase.target[1]))
            if phrase.unknown:
                sources[phrase.target[0] : phrase.target[1]] = [TranslationSources.NONE]
        matrix = _matrix(len(found.source_tokens), len(found.tokens), found.alignment)
        whole = float(numpy.prod(confidences)) ** (1 / max(len(confidences), 1)) if confidences else 1.0
        return TranslationResult(
            found.text, found.source_tokens, found.tokens, confidences, whole, sources, matrix, phrases
        )

    def _confidences(self, line: str, found: Translation) -> list[float]:
        """For each word, how probable it is among all that the search looked at."""
        return self._translator._system.confidences(line, found._found)

    def get_word_graph(self, segment: Segment) -> WordGraph:
        line = _line(segment)
        tokens = self._translator.tokens(line)
        most = _ARCS
        graph = self._translator.word_graph(line, beam=_BEAM, arcs=most)
        while sum(len(arc["words"]) for arc in graph["arcs"]) > _MOST_WORDS and most > 1:
            most = most * 3 // 4
            graph = self._translator.word_graph(line, beam=_BEAM, arcs=most)
        arcs = [self._arc(arc) for arc in graph["arcs"]]
        return WordGraph(tokens, arcs, [graph["nodes"] - 1] if arcs else [0])

    @staticmethod
    def _arc(arc: dict) -> WordGraphArc:
        start, end = arc["source"]
        words = arc["words"]
        source = TranslationSources.NONE if arc["unknown"] else TranslationSources.SMT
        return WordGraphArc(
            arc["from"],
            arc["to"],
            arc["score"],
            words,
            _matrix(end - start, len(words), ((source - start, target) for source, target in arc["links"])),
            Range.create(start, end),
            [source] * len(words),
            [arc["posterior"]] * len(words),
        )

    def train_segment(self, source_segment: Segment, target_segment: Segment, sentence_start: bool = True) -> None:
        self._translator  # opened, if it was not
        if not self._learning:
            self._open(learning=True)
        self._translator.learn(_line(source_segment), _line(target_segment))

    def save(self) -> None:
        """Everything is in the file already."""


class _Vocabulary(WordVocabulary):
    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        self._numbers = {word: number for number, word in enumerate(self._words)}

    def __getitem__(self, index):
        return self._words[index]

    def __len__(self) -> int:
        return len(self._words)

    def index(self, word: Optional[str]) -> int:  # type: ignore[override]
        return self._numbers.get(word, -1) if word is not None else -1


class ChiasmWordAlignmentModel(WordAlignmentModel, TransductiveWordAlignmentModel):
    """An aligner as machine.py's; it also has the alignments of its training text."""

    def __init__(self, path: Optional[Union[str, "os.PathLike[str]"]] = None, *, preset: str = "standard", seed: int = 1) -> None:
        self._path = None if path is None else Path(path)
        self._settings = {"preset": preset, "seed": seed}
        self._aligner: Optional[Aligner] = None
        self._words = _Vocabulary([]), _Vocabulary([])
        self._training: list[WordAlignmentMatrix] = []
        if self._path is not None and self._path.exists():
            self._aligner = Aligner.load(self._path)

    @property
    def source_words(self) -> WordVocabulary:
        return self._words[0]

    @property
    def target_words(self) -> WordVocabulary:
        return self._words[1]

    @property
    def special_symbol_indices(self) -> Collection[int]:
        return ()

    def create_trainer(self, corpus: ParallelTextCorpus) -> Trainer:
        made: list[Any] = []

        def fit(source: Path, target: Path, progress: Any) -> None:
            aligner = Aligner(**self._settings).fit(source, target, progress=progress)
            sides = [[line.split() for line in path.read_text(encoding="utf-8").splitlines()] for path in (source, target)]
            made[:] = [aligner, sides]

        def keep() -> None:
            self._aligner, sides = made
            self._words = tuple(_Vocabulary(word.lower() for line in side for word in line) for side in sides)
            lengths = zip(self._aligner.links_, *sides)
            self._training = [_matrix(len(source), len(target), links) for links, source, target in lengths]
            if self._path is not None:
                self._aligner.save(self._path)

        return _Trainer(corpus, fit, keep)

    def _fitted(self) -> Aligner:
        if self._aligner is None:
            raise Error("this model has learned nothing yet: train it, or name the file of one")
        return self._aligner

    def align(self, source_segment: Sequence[str], target_segment: Sequence[str]) -> WordAlignmentMatrix:
        return self.align_batch([(source_segment, target_segment)])[0]

    def align_batch(self, segments: Sequence[Sequence[Sequence[str]]]) -> Sequence[WordAlignmentMatrix]:
        pairs = [(_line(source), _line(target)) for source, target in segments]
        found = self._fitted().align_iter(pairs)
        return [_matrix(len(source), len(target), links) for links, (source, target) in zip(found, segments)]

    def get_translations(self, source_word: Optional[Union[str, int]], threshold: float = 0) -> Iterable[tuple[int, float]]:
        word = self._spelling(source_word, self.source_words)
        if word is None:
            return
        for target, probability, _ in self._fitted().lexicon(word):
            if probability > threshold:
                yield self.target_words.index(target), probability

    def get_translation_score(
        self, source_word: Optional[Union[str, int]], target_word: Optional[Union[str, int]]
    ) -> float:
        source, target = self._spelling(source_word, self.source_words), self._spelling(target_word, self.target_words)
        if source is None or target is None:
            return 0.0
        found = (probability for word, probability, _ in self._fitted().lexicon(source) if word == target.lower())
        return next(found, 0.0)

    @property
    def training_alignment_count(self) -> int:
        return len(self._training)

    def get_training_alignment(self, n: int) -> WordAlignmentMatrix:
        return self._training[n]

    @staticmethod
    def _spelling(word: Optional[Union[str, int]], words: WordVocabulary) -> Optional[str]:
        return words[word] if isinstance(word, int) else word
