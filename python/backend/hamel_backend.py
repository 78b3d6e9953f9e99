"""Builds the package with scikit-build-core, after a look at what it needs from the system: where that is missing, pip ends in
one line that names the packages, not in the output of CMake."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403  the other hooks are as they are


def _compiler():
    """Whether CMake will find a C compiler"""
    named = shlex.split(os.environ.get("CC", ""))
    return any(shutil.which(name) for name in named[:1] or ["cc", "gcc", "clang"])


def _module(name):
    """Whether pkg-config, which CMake asks too, knows the library"""
    tool = os.environ.get("PKG_CONFIG") or shutil.which("pkg-config") or shutil.which("pkgconf")
    return bool(tool) and subprocess.run([tool, "--exists", name], check=False).returncode == 0


def missing():
    """The Debian packages of what is not there, in the order of an apt-get command"""
    names = [] if _compiler() else ["gcc", "libc6-dev"]
    if not (os.environ.get("PKG_CONFIG") or shutil.which("pkg-config") or shutil.which("pkgconf")):
        names.append("pkg-config")
    if not _module("expat"):
        names.append("libexpat1-dev")
    if not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        names.append("python3-dev")
    return names


def _look():
    names = missing()
    if names:
        sys.exit(f"hamel: please install these first (names as in Debian): apt-get install {' '.join(names)}")


def get_requires_for_build_wheel(config_settings=None):
    _look()
    return _build.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings=None):
    _look()
    return _build.get_requires_for_build_editable(config_settings)
