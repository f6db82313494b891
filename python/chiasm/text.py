"""Words of raw text, and back."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterable, Union

from chiasm import _chiasm


@lru_cache(maxsize=32)
def _tokenizer(language: str):
    return _chiasm.Tokenizer(language)


@lru_cache(maxsize=32)
def _detokenizer(language: str):
    return _chiasm.Detokenizer(language)


def tokenize(text: str, language: str = "en") -> list[str]:
    """The words of a text.

    >>> tokenize("Hello, world!")
    ['Hello', ',', 'world', '!']
    """
    return _tokenizer(language).tokenize(text).split()


def detokenize(words: Union[str, Iterable[str]], language: str = "en") -> str:
    """Words as people write them.

    >>> detokenize(["Hello", ",", "world", "!"])
    'Hello, world!'
    """
    line = words if isinstance(words, str) else " ".join(words)
    return _detokenizer(language).detokenize(line)
