"""The examples of docs/python-interop.md and of the modules it is about."""

import doctest
import importlib.util
import pathlib
import re

import pytest

from hamel import _tree, plot, view
from hamel.interop import _functions, _layout

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python-interop.md"


@pytest.mark.parametrize("module", [_functions, _layout, _tree, plot, view], ids=lambda m: m.__name__)
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_page(tmp_path, monkeypatch):
    """One session; a block that imports what is not there is left out."""
    monkeypatch.chdir(tmp_path)
    names, run = {}, 0
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        if all(importlib.util.find_spec(name) for name in re.findall(r"^>>> import (\w+)$", block, re.M)):
            example = doctest.DocTestParser().get_doctest(block, names, PAGE.name, PAGE.name, 0)
            runner.run(example, clear_globs=False)
            names, run = example.globs, run + len(example.examples)
    assert runner.failures == 0 and run > 10
