"""docs/python.md is what the docstrings say."""

import importlib.util
from pathlib import Path

import pytest

PYTHON = Path(__file__).parent.parent


def test_the_reference_is_that_of_the_docstrings():
    pytest.importorskip("sklearn")
    pytest.importorskip("machine")
    found = PYTHON / "reference.py"
    if not found.exists():
        pytest.skip("not in a clone")
    spec = importlib.util.spec_from_file_location("reference", found)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (PYTHON.parent / "docs" / "python.md").read_text(encoding="utf-8")
    assert module.reference() == written, "python python/reference.py > docs/python.md"
