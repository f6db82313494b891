"""Phrase-based machine translation that learns how phrases move.

Align words, train a translation system, translate and see why, on your own machine::

    import chiasm
    translator = chiasm.train("a.ja", "a.en", languages=("ja", "en"), output="ja-en.chiasm")
    print(translator.translate("..."))

Everything that takes long gives up the interpreter's lock, shows how far it is, and ends when Ctrl-C is pressed, with
nothing half-written. What is wrong with a file or a value is a :class:`chiasm.Error` that names the file, the line and what was
expected.
"""

import importlib
from typing import TYPE_CHECKING, Any

from chiasm import metrics, reorder
from chiasm._chiasm import Error, __version__
from chiasm._training import default_settings, train
from chiasm.aligner import Aligner, aer, symmetrise
from chiasm.language_model import LanguageModel
from chiasm.text import detokenize, synthesise, tokenize
from chiasm.translator import Completion, Phrase, Translation, Translator

if TYPE_CHECKING:
    from chiasm import learn

__all__ = [
    "Aligner",
    "Completion",
    "Error",
    "LanguageModel",
    "Phrase",
    "Translation",
    "Translator",
    "__version__",
    "aer",
    "default_settings",
    "detokenize",
    "learn",
    "metrics",
    "reorder",
    "symmetrise",
    "synthesise",
    "tokenize",
    "train",
]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import: it is for those who ask for it.
    if name == "learn":
        return importlib.import_module("chiasm.learn")
    raise AttributeError(f"module 'chiasm' has no attribute {name!r}")
