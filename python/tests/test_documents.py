"""Every example in the documentation does what it says."""

import doctest
import inspect
import pathlib
import re
import sys

import pytest

import hamel
from hamel import _core, _errors, _labels, _load, _paths, control, distributed

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [hamel, _load, _errors, _labels, _paths, control, distributed], ids=lambda m: m.__name__)
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/control.md", "docs/optimal-control.md", "docs/batches.md"])
def test_pages(page, tmp_path, monkeypatch):
    """The Python blocks of a page are one session; blocks with >>> are checked, the others must run."""
    if page == "README.md" and not _has_example_robots():
        pytest.skip("example-robot-data is not there")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(example, clear_globs=False)
            names = example.globs
            assert runner.failures == 0
        else:
            exec(compile(block, page, "exec"), names)


def _has_example_robots():
    try:
        hamel.find("solo12")
        return True
    except hamel.NotFoundError:
        return False


def public():
    for owner in (
        hamel,
        hamel.Model,
        hamel.Builder,
        hamel.Linearization,
        hamel.Subgroup,
        *filter(inspect.ismodule, vars(_core).values()),
    ):
        for name, value in vars(owner).items():
            if not name.startswith("_") and (callable(value) or inspect.isgetsetdescriptor(value)):
                yield f"{owner.__name__}.{name}", value


@pytest.mark.parametrize("name, value", public())
def test_everything_is_documented(name, value):
    assert value.__doc__ and len(value.__doc__) > 5
    if callable(value) and not inspect.isclass(value):
        assert inspect.signature(value) is not None


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the tool needs Python 3.10")
def test_stubs_are_fresh(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python" / "tools"))
    import stubs

    for name, text in stubs.stubs().items():
        assert (ROOT / "python" / "src" / "hamel" / name).read_text() == text, name
