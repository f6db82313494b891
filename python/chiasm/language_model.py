"""How probable a sentence is."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterable, Optional, Sequence, Union

from chiasm import _chiasm, _progress
from chiasm._files import Text, as_file

_GIBIBYTE = 1 << 30


class LanguageModel:
    """An n-gram language model, ARPA or binary; scores are log10 and text is tokenised.

    >>> model = LanguageModel.estimate(["the cat sees the dog", "the dog sleeps"], order=3, progress=False)
    >>> model.score("the dog sees the cat") > model.score("dog the the sees cat")
    True
    >>> "cat" in model
    True
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, _model: Any = None) -> None:
        self._model = _model if _model is not None else _chiasm.LanguageModel(os.fspath(path))
        # The same methods without a call in between: scoring a sentence takes a few microseconds.
        self.score = self._model.score
        self.full_scores = self._model.full_scores
        self.perplexity = self._model.perplexity

    @classmethod
    def estimate(
        cls,
        text: Text,
        order: int = 5,
        *,
        prune: Sequence[int] = (),
        memory: int = _GIBIBYTE,
        arpa: Optional[Union[str, "os.PathLike[str]"]] = None,
        threads: Optional[int] = None,
        progress: Any = True,
    ) -> "LanguageModel":
        """Estimates interpolated modified Kneser-Ney on a file, a list or an iterator; ``arpa`` is written, too."""
        with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
            file = as_file(text, folder, "text")
            arguments = [file], order, list(prune), memory, arpa and os.fspath(arpa), threads
            model = _chiasm.LanguageModel.estimate_files(*arguments, _progress.listener(progress))
        return cls("", _model=model)

    @property
    def order(self) -> int:
        """The longest n-grams."""
        return self._model.order

    def __contains__(self, word: str) -> bool:
        return word in self._model

    def begin_state(self) -> Any:
        """The state at the beginning of a sentence."""
        return self._model.begin_state()

    def null_state(self) -> Any:
        """The state that knows nothing of what came before."""
        return self._model.null_state()

    def advance(self, state: Any, word: str) -> tuple[float, Any]:
        """log10 of the probability of a word after a state (``</s>`` is the end), and the state after it."""
        return self._model.advance(state, word)

    def score_all(self, sentences: Iterable[str]) -> list[float]:
        """The scores of many sentences."""
        score = self.score
        return [score(sentence) for sentence in sentences]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the binary file."""
        self._model.save(os.fspath(path))
