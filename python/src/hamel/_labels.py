"""What a Linearization says with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

from . import _core

if TYPE_CHECKING:
    from ._core import Linearization


def state_names(x: Linearization) -> Tuple[str, ...]:
    names = x.velocity_names
    return tuple(f"q {name}" for name in names) + tuple(f"v {name}" for name in names)


def input_names(x: Linearization) -> Tuple[str, ...]:
    if x.inputs == "all":
        return x.velocity_names
    return tuple(name for name, mark in zip(x.velocity_names, x.model.actuated) if mark)


def describe(x: Linearization) -> str:
    states = f", {'×'.join(map(str, x.A.shape[:-2]))} states" if x.A.ndim > 2 else ""
    A, B = (f"{m.shape[-2]}×{m.shape[-1]}" for m in (x.A, x.B))
    return f"<hamel.Linearization of '{x.model.name}': A {A}, B {B}, {x.representation}{states}>"


def discretize(x: Linearization, h: float) -> Any:
    return _core.discretize(x.A, x.B, h)


def to_pandas(x: Linearization) -> Dict[str, Any]:
    import pandas

    if x.A.ndim > 2:
        raise ValueError("a table has two dimensions: take one state, or to_xarray()")
    states = state_names(x)
    return {
        "A": pandas.DataFrame(x.A, index=states, columns=states),
        "B": pandas.DataFrame(x.B, index=states, columns=input_names(x)),
        "acceleration": pandas.Series(x.acceleration, index=x.velocity_names, name="acceleration"),
    }


def to_xarray(x: Linearization) -> Any:
    import xarray

    lead = [f"state_{i}" if x.A.ndim > 3 else "sample" for i in range(x.A.ndim - 2)]
    return xarray.Dataset(
        {
            "A": ([*lead, "row", "column"], x.A),
            "B": ([*lead, "row", "input"], x.B),
            "acceleration": ([*lead, "velocity"], x.acceleration),
        },
        coords={
            "row": list(state_names(x)),
            "column": list(state_names(x)),
            "input": list(input_names(x)),
            "velocity": list(x.velocity_names),
        },
        attrs={"model": x.model.name, "representation": x.representation},
    )
