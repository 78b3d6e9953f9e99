# Written by python/tools/stubs.py; do not edit.
from __future__ import annotations

from os import PathLike
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

def convert(H: ArrayLike, V: ArrayLike, source: str = ..., target: str = ..., *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
def cross(V: ArrayLike, U: ArrayLike, *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
def transform(H_ab: ArrayLike, V_b: ArrayLike, *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
