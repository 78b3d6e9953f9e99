# Written by python/tools/stubs.py; do not edit.
from __future__ import annotations

from os import PathLike
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

def acceleration(H: ArrayLike, V: ArrayLike, dV: ArrayLike, point: ArrayLike, rate: Optional[ArrayLike] = ..., second_rate: Optional[ArrayLike] = ..., *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
def velocity(H: ArrayLike, V: ArrayLike, point: ArrayLike, rate: Optional[ArrayLike] = ..., *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
