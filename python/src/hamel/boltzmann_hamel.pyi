# Written by python/tools/stubs.py; do not edit.
from __future__ import annotations

from os import PathLike
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

def coriolis(S: ArrayLike, dS: ArrayLike, momentum: ArrayLike, *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
def gamma(S: ArrayLike, dS: ArrayLike, *, out: Optional[NDArray[numpy.float64]] = ..., threads: Optional[int] = ...) -> NDArray[numpy.float64]: ...
