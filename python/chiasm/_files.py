"""Text that is given as a file, a list or an iterator, as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterable, Union

from chiasm._chiasm import Error

Text = Union[str, "os.PathLike[str]", Iterable[str]]


def is_path(text: object) -> bool:
    """Whether it names a file."""
    return isinstance(text, (str, os.PathLike))


def as_file(text: Text, folder: str, name: str) -> Path:
    """The file itself, or one in ``folder`` with a line for each sentence, written as they come."""
    if is_path(text):
        return Path(os.fspath(text))
    path = Path(folder) / name
    with open(path, "w", encoding="utf-8", newline="\n") as output:
        for number, sentence in enumerate(text):
            output.write(one_line(sentence, name, number))
            output.write("\n")
    return path


def pairs_as_files(source: Text, target: Text, folder: str) -> tuple[Path, Path]:
    """Both sides; iterators are read side by side, so that generators over one stream work, and must end together."""
    if is_path(source) or is_path(target):
        return as_file(source, folder, "source"), as_file(target, folder, "target")
    paths = Path(folder) / "source", Path(folder) / "target"
    with open(paths[0], "w", encoding="utf-8", newline="\n") as first, open(
        paths[1], "w", encoding="utf-8", newline="\n"
    ) as second:
        for number, (one, other) in enumerate(together(source, target)):
            first.write(one_line(one, "source", number) + "\n")
            second.write(one_line(other, "target", number) + "\n")
    return paths


def together(source: Iterable[str], target: Iterable[str]):
    """Pairs of two texts of the same length."""
    end = object()
    first, second = iter(source), iter(target)
    number = 0
    while True:
        one, other = next(first, end), next(second, end)
        if one is end and other is end:
            return
        if one is end or other is end:
            longer = "target" if one is end else "source"
            raise Error(f"{longer}: {number} sentences expected, as on the other side, but there are more")
        number += 1
        yield one, other


def one_line(sentence: str, name: str, number: int) -> str:
    """The sentence, if it is one."""
    if not isinstance(sentence, str):
        raise TypeError(f"{name}: sentence {number}: str expected, not {type(sentence).__name__}")
    if "\n" in sentence or "\r" in sentence:
        raise Error(f"{name}: sentence {number}: a line break inside a sentence")
    return sentence


def links_line(links: Iterable[tuple[int, int]]) -> str:
    """Links as a line of `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in links)


def links_as_file(links, folder: str, name: str = "links") -> Path:
    """A file of links, from a file, lines, or lists of (source, target) pairs."""
    if is_path(links):
        return Path(os.fspath(links))
    lines = (line if isinstance(line, str) else links_line(line) for line in links)
    return as_file(lines, folder, name)
