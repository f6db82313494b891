"""BLEU, NIST, chrF and TER with sacreBLEU's names and signatures, and what a difference is worth.

>>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on the mat"]]).score
100.00000000000004
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Sequence

from chiasm import _chiasm

Stream = Sequence[str]


@dataclass(frozen=True)
class Score:
    """A score with the signature that says how it was counted."""

    name: str
    score: float
    signature: str
    #: Of BLEU: precisions, bp, sys_len, ref_len.
    details: dict = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["details"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        parts = self.details.get("format")
        return f"{self.name} = {parts}" if parts else f"{self.name} = {self.score:.2f}"


class Difference(NamedTuple):
    """What a difference between two systems is worth, by paired bootstrap resampling."""

    difference: float
    p_value: float
    low: float
    high: float


class _Metric:
    """A metric with its options."""

    _options: dict

    def corpus_score(self, hypotheses: Stream, references: Sequence[Stream]) -> Score:
        """The score of a corpus; ``references`` has one or more streams, each as long as the hypotheses."""
        found = _chiasm.corpus(self._options, list(hypotheses), [list(stream) for stream in references])
        name, score, signature = found.pop("name"), found.pop("score"), found.pop("signature")
        return Score(name, score, signature, found)

    def sentence_score(self, hypothesis: str, references: Stream) -> Score:
        """The score of one sentence."""
        return self.corpus_score([hypothesis], [[reference] for reference in references])

    def sentence_scores(self, hypotheses: Stream, references: Sequence[Stream]) -> list[float]:
        """The scores of all sentences."""
        return _chiasm.sentences(self._options, list(hypotheses), [list(stream) for stream in references])

    def significance(
        self, system: Stream, baseline: Stream, references: Sequence[Stream], *, samples: int = 1000, seed: int = 12345
    ) -> Difference:
        """Whether a system differs from a baseline by more than chance."""
        streams = [list(stream) for stream in references]
        return Difference(*_chiasm.compare(self._options, [list(system), list(baseline)], streams, samples, seed))


def _options(metric: str, **changes: Any) -> dict:
    options = {
        "metric": metric,
        "lowercase": False,
        "tokenize": "13a",
        "smooth_method": "exp",
        "smooth_value": None,
        "effective_order": False,
        "word_order": 0,
    }
    return {**options, **changes}


class BLEU(_Metric):
    """BLEU; the options are sacreBLEU's."""

    def __init__(
        self,
        lowercase: bool = False,
        tokenize: Optional[str] = "13a",
        smooth_method: str = "exp",
        smooth_value: Optional[float] = None,
        effective_order: bool = False,
    ) -> None:
        self._options = _options(
            "bleu",
            lowercase=lowercase,
            tokenize=tokenize or "none",
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
        )


class CHRF(_Metric):
    """chrF, and with ``word_order=2`` chrF++."""

    def __init__(self, word_order: int = 0, lowercase: bool = False) -> None:
        self._options = _options("chrf", word_order=word_order, lowercase=lowercase)


class TER(_Metric):
    """Translation edit rate; 0 is best."""

    def __init__(self, case_sensitive: bool = False) -> None:
        self._options = _options("ter", lowercase=not case_sensitive)


class NIST(_Metric):
    """NIST as mteval-v13a counts it."""

    def __init__(self) -> None:
        self._options = _options("nist")


def corpus_bleu(hypotheses: Stream, references: Sequence[Stream], **options: Any) -> Score:
    """BLEU of a corpus, 0 to 100."""
    return BLEU(**options).corpus_score(hypotheses, references)


def sentence_bleu(hypothesis: str, references: Stream, **options: Any) -> Score:
    """BLEU of a sentence."""
    return BLEU(**{"effective_order": True, **options}).sentence_score(hypothesis, references)


def corpus_chrf(hypotheses: Stream, references: Sequence[Stream], **options: Any) -> Score:
    """chrF of a corpus, 0 to 100."""
    return CHRF(**options).corpus_score(hypotheses, references)


def sentence_chrf(hypothesis: str, references: Stream, **options: Any) -> Score:
    """chrF of a sentence."""
    return CHRF(**options).sentence_score(hypothesis, references)


def corpus_ter(hypotheses: Stream, references: Sequence[Stream], **options: Any) -> Score:
    """TER of a corpus."""
    return TER(**options).corpus_score(hypotheses, references)


def corpus_nist(hypotheses: Stream, references: Sequence[Stream]) -> Score:
    """NIST of a corpus."""
    return NIST().corpus_score(hypotheses, references)


#: Short names.
bleu, nist, chrf, ter = corpus_bleu, corpus_nist, corpus_chrf, corpus_ter


def significance(system: Stream, baseline: Stream, references: Sequence[Stream], metric: str = "bleu", **options: Any) -> Difference:
    """What the difference of two systems in a metric is worth."""
    classes = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "nist": NIST}
    if metric not in classes:
        raise ValueError(f"{metric}: bleu, chrf, ter or nist expected")
    return classes[metric]().significance(system, baseline, references, **options)
