"""A system that translates, and says why."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from chiasm import _chiasm


#: Source phrases and what they must become.
Glossary = Union[Mapping[str, str], Iterable[tuple[str, str]]]


@dataclass(frozen=True)
class Phrase:
    """A phrase pair of a translation; spans are half-open and count words from 0."""

    source: tuple[int, int]
    target: tuple[int, int]
    #: How it follows the phrase before: monotone, swap, discontinuous.
    orientation: Optional[str]
    #: What the reordering model gave to each orientation: a learned one, if there is one.
    probabilities: dict[str, float]
    #: The source word is unknown and was copied.
    unknown: bool


class Completion(str):
    """A whole translation that begins with what was typed; ``prefix`` is that, ``completion`` what follows it."""

    prefix: str
    completion: str

    def __new__(cls, prefix: str, completion: str) -> "Completion":
        whole = super().__new__(cls, prefix + completion)
        whole.prefix, whole.completion = prefix, completion
        return whole


class Translation:
    """What a sentence became. Prints as its text; notebooks show the picture of crossing phrases."""

    __slots__ = ("_found", "confidences")

    def __init__(self, found: Any) -> None:
        self._found = found
        #: How probable each word is among everything that the search looked at, if that was asked for.
        self.confidences: Optional[list[float]] = None

    @property
    def confidence(self) -> Optional[float]:
        """The share of the words that are expected to stay when somebody corrects the translation, if ``confidences`` were asked for."""
        return sum(self.confidences) / len(self.confidences) if self.confidences else None

    text: str = property(lambda self: self._found.text, doc="The translation as people write it.")
    score: float = property(lambda self: self._found.score, doc="The model score.")
    tokens: list = property(lambda self: self._found.tokens, doc="The translation as words.")
    source_tokens: list = property(lambda self: self._found.source_tokens, doc="The source as words.")
    alignment: list = property(lambda self: self._found.alignment, doc="Links, (source, target).")
    unknown: list = property(lambda self: self._found.unknown, doc="Places of unknown source words.")

    @property
    def phrases(self) -> list[Phrase]:
        """The phrases in target order."""
        return [
            Phrase(source, target, orientation, dict(probabilities), unknown)
            for source, target, orientation, probabilities, unknown in self._found.phrase_list()
        ]

    @property
    def read_as(self) -> dict[int, str]:
        """Unknown source words that were translated as another, known form: their places and that form."""
        return {one["position"]: one["as"] for one in self.to_dict().get("read_as", [])}

    @property
    def ranking(self) -> Optional[dict]:
        """Both judgements, if the system has a neural ranker: ``ranker``, ``total``, ``place`` by the model score alone, and
        ``instead_of``, what that alone would have chosen, if that is another translation."""
        return self.to_dict().get("ranking")

    def to_dict(self) -> dict:
        """Everything, as ``chiasm translate --json`` writes it."""
        return json.loads(self._found.json())

    def __str__(self) -> str:
        return self._found.text

    def __repr__(self) -> str:
        return repr(self._found)

    def _repr_html_(self) -> str:
        return self._found._repr_html_()


class Translator:
    """A trained system, opened in milliseconds whatever its size; threads may share it."""

    def __init__(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        tokenized: bool = False,
        glossary: Optional[Glossary] = None,
        memory: Optional[Union[str, "os.PathLike[str]"]] = None,
    ) -> None:
        self._path = os.fspath(path)
        self._settings = (tokenized, _entries(glossary), None if memory is None else os.fspath(memory))
        self._system = _chiasm.Translator(self._path, *self._settings)

    def __reduce__(self):
        return _reopen, (self._path, *self._settings)

    def __repr__(self) -> str:
        return f"Translator({self._path!r})"

    def translate(
        self,
        text: str,
        n: int = 1,
        *,
        alignments: bool = True,
        phrases: bool = True,
        confidences: bool = False,
        prefix: Optional[str] = None,
        constraints: Sequence[tuple[tuple[int, int], str]] = (),
        glossary: Optional[Glossary] = None,
        threads: int = 1,
    ) -> Union[Translation, list[Translation], Completion]:
        """The best translation, or with ``n`` > 1 the list of the best that differ in their words.

        ``constraints`` fixes what source spans become: ``[((0, 2), "the engineer")]``; spans count the words of
        :meth:`tokens`, the end not included. ``glossary`` holds for this call. ``confidences`` also says how probable each
        word is. ``prefix`` is the beginning of the translation, its last word perhaps half typed: the answer is a
        :class:`Completion`. ``alignments`` and ``phrases`` cost nothing until they are looked at, so both are always there.
        """
        if not isinstance(text, str):
            raise TypeError(f"str expected, not {type(text).__name__}")
        if n < 1:
            raise ValueError("n: at least 1 expected")
        if prefix is not None:
            if n > 1 or constraints or glossary or confidences:
                raise ValueError("prefix: not together with n, constraints, glossary or confidences")
            return self.complete(text, prefix)
        pins = self._pins(text, constraints)
        lists = self._system.translate([text], n, pins, _entries(glossary), threads)
        found = [Translation(one) for one in lists[0]]
        if confidences:
            for one in found:
                one.confidences = self._system.confidences(text, one._found)
        return found if n > 1 else found[0]

    def complete(self, text: str, prefix: str) -> Completion:
        """How the translation of ``text`` goes on from ``prefix``; there is always an answer, whatever was typed."""
        return Completion(prefix, self._system.complete(text, prefix))

    def learn(self, source: str, target: str) -> int:
        """Learns that ``source`` is translated by ``target``, from the next sentence on; returns the number of the pair.

        What is learned lies in the file ``memory`` of this translator, never in the system.
        """
        return self._system.learn(source, target)

    def forget(self, number: int) -> None:
        """Forgets a pair that was learned."""
        self._system.forget(number)

    def undo(self) -> Optional[int]:
        """Forgets the pair that was learned last; its number, or ``None`` if there is none."""
        return self._system.undo()

    @property
    def memory(self) -> list[tuple[int, str, str]]:
        """What was learned: numbers, sources and their translations."""
        return self._system.learned()

    def translate_batch(self, texts: Iterable[str], n: int = 1, *, threads: Optional[int] = None) -> list:
        """Many sentences on all processors, in their order; the result does not depend on the number of threads."""
        lists = self._system.translate(list(texts), n, [], [], threads)
        wrapped = [[Translation(one) for one in found] for found in lists]
        return wrapped if n > 1 else [found[0] for found in wrapped]

    def explain(self, text: str) -> dict:
        """The best translation with phrases, orientations and their probabilities, features and links."""
        return self.translate(text).to_dict()

    def word_graph(self, text: str, *, beam: float = 10.0, arcs: int = 20_000) -> dict:
        """The translations that the search looks at: ``nodes``, their number, and ``arcs``, the phrases between them.

        Arcs go from lower to higher nodes, the first is 0, the last ends every translation; each has ``from``, ``to``,
        ``source`` (a span), ``words``, ``links``, ``unknown``, ``score`` and ``posterior``. Kept are phrases of translations that
        score at most ``beam`` less than the best, ``arcs`` at most.
        """
        return json.loads(self._system.word_graph(text, beam, arcs))

    def tokens(self, text: str) -> list[str]:
        """The words that a text is translated by."""
        return self._system.tokens(text)

    @property
    def configuration(self) -> dict:
        """Languages, models, weights, settings of the search."""
        return json.loads(self._system.configuration())

    def _pins(self, text: str, constraints) -> list[tuple[int, int, str]]:
        pins = [(start, end, words) for (start, end), words in constraints]
        length = len(self.tokens(text)) if pins else 0
        for start, end, _ in pins:
            if not 0 <= start < end <= length:
                raise ValueError(f"constraints: {start}:{end} is no span of {length} words")
        return pins


def _entries(glossary: Optional[Glossary]) -> list[tuple[str, str]]:
    return list(glossary.items() if isinstance(glossary, Mapping) else (glossary or []))


def _reopen(path: str, tokenized: bool, glossary: list, memory: Optional[str]) -> Translator:
    return Translator(path, tokenized=tokenized, glossary=glossary, memory=memory)
