"""From parallel text to a translation system."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterable, Mapping, Optional, Union

from chiasm import _chiasm, _progress
from chiasm._files import Text, as_file, is_path, links_as_file, pairs_as_files
from chiasm.translator import Translator


def default_settings() -> str:
    """All settings with their defaults as commented TOML, to be changed and given to :func:`train` as ``config``.

    >>> "[align]" in default_settings()
    True
    """
    return _chiasm.settings()


def train(
    source: Text,
    target: Text,
    *,
    languages: Optional[tuple[str, str]] = None,
    tokenized: bool = False,
    dev: Optional[tuple[Text, Union[Text, list[Text]]]] = None,
    links: Optional[Any] = None,
    lm: Optional[Union[str, "os.PathLike[str]"]] = None,
    lm_text: Optional[Text] = None,
    preset: str = "standard",
    config: Optional[Union[str, "os.PathLike[str]", Mapping[str, Any]]] = None,
    seed: Optional[int] = None,
    memory: Optional[int] = None,
    stages: Optional[Union[str, "os.PathLike[str]"]] = None,
    threads: Optional[int] = None,
    output: Union[str, "os.PathLike[str]"],
    progress: Any = True,
) -> Translator:
    """Trains a translation system and writes it to ``output``.

    ``source`` and ``target`` are files (plain or compressed), lists or iterators of sentences; iterators are written to a
    temporary file as they come. Raw text needs ``languages=("ja", "en")``; text whose words are between spaces
    ``tokenized=True``. ``dev`` is a development set, a source and one or more references; without it one is cut from the text.
    ``config`` is TOML as :func:`default_settings` shows it, a file of it, or a mapping of sections. ``stages`` keeps
    what was done, so that a second call goes on where the first ended. The same text and seed give the same bytes
    as ``chiasm train``.
    """
    if languages is None and not tokenized:
        raise _chiasm.Error('languages=("xx", "yy") expected, or tokenized=True for words between spaces')
    if languages is not None and tokenized:
        raise _chiasm.Error("languages are for raw text; tokenised text needs none")
    with tempfile.TemporaryDirectory(prefix="chiasm-") as folder:
        source_file, target_file = pairs_as_files(source, target, folder)
        request = {
            "source": source_file,
            "target": target_file,
            "languages": languages,
            "links": None if links is None else links_as_file(links, folder),
            "dev": None if dev is None else _development(dev, folder),
            "lm": None if lm is None else os.fspath(lm),
            "lm_text": None if lm_text is None else as_file(lm_text, folder, "lm_text"),
            "preset": preset,
            "config": _toml(config),
            "seed": seed,
            "memory": memory,
            "stages": None if stages is None else os.fspath(stages),
            "output": os.fspath(output),
        }
        _chiasm.train(request, threads, _progress.listener(progress))
    return Translator(output, tokenized=tokenized)


def _development(dev: tuple[Text, Any], folder: str):
    source, targets = dev
    # One reference, or a list of references: a list whose first member is a string is one reference.
    several = isinstance(targets, (list, tuple)) and targets and not isinstance(targets[0], str)
    targets = list(targets) if several else [targets]
    files = [as_file(target, folder, f"dev.target{number}") for number, target in enumerate(targets)]
    return as_file(source, folder, "dev.source"), files


def _toml(config: Any) -> str:
    if config is None:
        return ""
    if isinstance(config, Mapping):
        return "\n".join(_sections(config))
    if is_path(config) and not (isinstance(config, str) and "\n" in config):
        with open(config, encoding="utf-8") as file:
            return file.read()
    return str(config)


def _sections(config: Mapping[str, Any]) -> Iterable[str]:
    plain = {key: value for key, value in config.items() if not isinstance(value, Mapping)}
    yield from (f"{key} = {_value(value)}" for key, value in plain.items())
    for section, values in config.items():
        if isinstance(values, Mapping):
            yield f"[{section}]"
            yield from (f"{key} = {_value(value)}" for key, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
