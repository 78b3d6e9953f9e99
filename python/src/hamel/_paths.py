"""Where the C side of the package lies."""

from __future__ import annotations

import pathlib

_HERE = pathlib.Path(__file__).resolve().parent


def command() -> pathlib.Path:
    """The program `hamel`."""
    return _HERE / "bin" / "hamel"


def include() -> pathlib.Path:
    """The folder to give to a C compiler as -I: it holds hamel/hamel.h."""
    return _HERE / "include"


def library() -> pathlib.Path:
    """The folder with libhamel.a, libhamel-control.a and libhamel-io.a; cmake/ and pkgconfig/ in it say how to use them."""
    return _HERE / "lib"
