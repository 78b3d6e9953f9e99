"""What a Linearization says with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import numpy
from numpy.typing import NDArray

from . import _core
from ._errors import InvalidArgumentError, UnsupportedError

if TYPE_CHECKING:
    from ._core import Linearization
    from ._modes import Modes


def state_names(x: Linearization) -> Tuple[str, ...]:
    names = x.velocity_names
    return tuple(f"q {name}" for name in names) + tuple(f"v {name}" for name in names)


def input_names(x: Linearization) -> Tuple[str, ...]:
    if x.inputs == "all":
        return x.velocity_names
    return tuple(name for name, mark in zip(x.velocity_names, x.model.actuated) if mark)


def is_step(x: Linearization) -> bool:
    return isinstance(x, _core.StepLinearization)


def eigenvalues(x: Linearization) -> NDArray[numpy.complex128]:
    return numpy.linalg.eigvals(x.A).astype(complex)


def describe(x: Linearization) -> str:
    states = f", {'×'.join(map(str, x.A.shape[:-2]))} states" if x.A.ndim > 2 else ""
    A, B = (f"{m.shape[-2]}×{m.shape[-1]}" for m in (x.A, x.B))
    extra = f", {x.force.shape[-1]} rows of holds" if isinstance(x, _core.ConstrainedLinearization) else ""
    if isinstance(x, _core.StepLinearization) and isinstance(x.h, float):
        extra = f", step {x.h:g} s"
    return f"<hamel.{type(x).__name__} of '{x.model.name}': A {A}, B {B}, {x.representation}{extra}{states}>"


def discretize(x: Linearization, h: float) -> Any:
    if is_step(x):
        raise UnsupportedError("a step is discrete already: its A and B are Ad and Bd")
    return _core.discretize(x.A, x.B, h)


def to_control(x: Linearization, h: Optional[float] = None) -> Any:
    from .interop import to_control

    return to_control(x, h)


def modes(x: Linearization) -> Modes:
    from ._modes import Modes, build

    if is_step(x):
        raise UnsupportedError("modes are those of continuous time; eigenvalues has those of a step")
    if x.A.ndim > 2:
        raise InvalidArgumentError("modes are those of one state: take one from the batch")
    n = len(x.A)
    found = build(x.A, x.B, None, numpy.eye(n), numpy.eye(n), 1e-9)
    return Modes(tuple(found), x.A, x.B, state_names(x), x.velocity_names)


def to_pandas(x: Linearization) -> Dict[str, Any]:
    import pandas

    if x.A.ndim > 2:
        raise ValueError("a table has two dimensions: take one state, or to_xarray()")
    states = state_names(x)
    made = {
        "A": pandas.DataFrame(x.A, index=states, columns=states),
        "B": pandas.DataFrame(x.B, index=states, columns=input_names(x)),
    }
    if not is_step(x):
        made["acceleration"] = pandas.Series(x.acceleration, index=x.velocity_names, name="acceleration")
    return made


def to_xarray(x: Linearization) -> Any:
    import xarray

    lead = [f"state_{i}" if x.A.ndim > 3 else "sample" for i in range(x.A.ndim - 2)]
    made = {"A": ([*lead, "row", "column"], x.A), "B": ([*lead, "row", "input"], x.B)}
    if not is_step(x):
        made["acceleration"] = ([*lead, "velocity"], x.acceleration)
    return xarray.Dataset(
        made,
        coords={
            "row": list(state_names(x)),
            "column": list(state_names(x)),
            "input": list(input_names(x)),
            "velocity": list(x.velocity_names),
        },
        attrs={"model": x.model.name, "representation": x.representation},
    )
