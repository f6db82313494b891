"""A system that translates, and says why."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from chiasm import _chiasm


@dataclass(frozen=True)
class Phrase:
    """A phrase pair of a translation; spans are half-open and count words from 0."""

    source: tuple[int, int]
    target: tuple[int, int]
    #: How it follows the phrase before: monotone, swap, discontinuous.
    orientation: Optional[str]
    #: What the first reordering model gave to each orientation.
    probabilities: dict[str, float]
    #: The source word is unknown and was copied.
    unknown: bool


class Translation:
    """What a sentence became. Prints as its text; notebooks show the picture of crossing phrases."""

    __slots__ = ("_found",)

    def __init__(self, found: Any) -> None:
        self._found = found

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
        glossary: Optional[Union[Mapping[str, str], Iterable[tuple[str, str]]]] = None,
    ) -> None:
        entries = glossary.items() if isinstance(glossary, Mapping) else (glossary or [])
        self._path = os.fspath(path)
        self._settings = (tokenized, list(entries))
        self._system = _chiasm.Translator(self._path, *self._settings)

    def __reduce__(self):
        tokenized, glossary = self._settings
        return _reopen, (self._path, tokenized, glossary)

    def __repr__(self) -> str:
        return f"Translator({self._path!r})"

    def translate(
        self,
        text: str,
        n: int = 1,
        *,
        constraints: Sequence[tuple[tuple[int, int], str]] = (),
        threads: int = 1,
    ) -> Union[Translation, list[Translation]]:
        """The best translation, or with ``n`` > 1 the list of the best that differ in their words.

        ``constraints`` fixes what source spans become: ``[((0, 2), "the engineer")]``; spans count the words of
        :meth:`tokens`, the end not included.
        """
        if not isinstance(text, str):
            raise TypeError(f"str expected, not {type(text).__name__}")
        if n < 1:
            raise ValueError("n: at least 1 expected")
        pins = self._pins(text, constraints)
        found = [Translation(one) for one in self._system.translate([text], n, pins, threads)[0]]
        return found if n > 1 else found[0]

    def translate_batch(self, texts: Iterable[str], n: int = 1, *, threads: Optional[int] = None) -> list:
        """Many sentences on all processors, in their order; the result does not depend on the number of threads."""
        lists = self._system.translate(list(texts), n, [], threads)
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


def _reopen(path: str, tokenized: bool, glossary: list) -> Translator:
    return Translator(path, tokenized=tokenized, glossary=glossary)
