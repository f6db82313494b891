"""docs/python.md is what the docstrings say."""

from pathlib import Path

import pytest


def test_the_reference_is_that_of_the_docstrings():
    pytest.importorskip("sklearn")
    pytest.importorskip("machine")
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    from reference import reference

    written = Path(__file__).parent.parent.parent / "docs" / "python.md"
    assert reference() == written.read_text(encoding="utf-8"), "python tests/reference.py > ../docs/python.md"
