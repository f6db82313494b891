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


def synthesise(language: str = "japanese-like", pairs: int = 1000, seed: int = 1) -> tuple[list[str], list[str], list[list[tuple[int, int]]]]:
    """Sentence pairs of a built-in language pair (``japanese-like`` or ``arabic-like``) with their links, tokenised.

    >>> source, target, links = synthesise(pairs=3)
    >>> len(source) == len(target) == len(links) == 3
    True
    """
    source, target, lines = _chiasm.synthesise(language, pairs, seed)
    links = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]
    return source, target, links
