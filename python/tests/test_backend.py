"""What pip says before it builds: the Debian packages of all that is missing, in one line."""

import importlib.util
import pathlib
import sys
import types

import pytest

FILE = pathlib.Path(__file__).resolve().parents[1] / "backend" / "hamel_backend.py"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the tests of an installed package have no backend beside them")


@pytest.fixture
def backend(monkeypatch):
    build = types.ModuleType("scikit_build_core.build")
    build.__all__ = []
    build.get_requires_for_build_wheel = lambda settings=None: ["ninja"]
    build.get_requires_for_build_editable = lambda settings=None: ["ninja", "more"]
    parent = types.ModuleType("scikit_build_core")
    parent.build = build
    monkeypatch.setitem(sys.modules, "scikit_build_core", parent)
    monkeypatch.setitem(sys.modules, "scikit_build_core.build", build)
    for name in ("CC", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"):
        monkeypatch.delenv(name, raising=False)
    spec = importlib.util.spec_from_file_location("hamel_backend", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tool(folder, name, answer):
    """A program that ends with this status"""
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {answer}\n")
    path.chmod(0o755)


@pytest.fixture
def system(tmp_path, monkeypatch, backend):
    """A system with nothing but Python's headers"""
    (tmp_path / "Python.h").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(backend.sysconfig, "get_path", lambda name: str(tmp_path))
    return tmp_path


def test_all_that_is_missing_is_named(backend, system):
    assert backend.missing() == ["gcc", "libc6-dev", "pkg-config", "libexpat1-dev"]
    tool(system, "cc", 0)
    tool(system, "pkg-config", 1)
    assert backend.missing() == ["libexpat1-dev"]
    (system / "Python.h").unlink()
    assert backend.missing() == ["libexpat1-dev", "python3-dev"]


def test_a_compiler_that_is_not_there_is_missing(backend, system, monkeypatch):
    tool(system, "cc", 0)
    tool(system, "pkgconf", 0)
    assert backend.missing() == []
    monkeypatch.setenv("CC", "my-cc -m64")
    assert backend.missing() == ["gcc", "libc6-dev"]


def test_pip_gets_one_line(backend, system):
    tool(system, "cc", 0)
    tool(system, "pkg-config", 1)
    for hook in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable):
        with pytest.raises(SystemExit, match="^hamel: please install these first .*: apt-get install libexpat1-dev$"):
            hook()
    tool(system, "pkg-config", 0)
    assert backend.get_requires_for_build_wheel() == ["ninja"]
    assert backend.get_requires_for_build_editable() == ["ninja", "more"]
