"""Outputs of a robot whose integrals a regulator feeds back, and the controller that remembers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import InvalidArgumentError

Array = NDArray[numpy.float64]


@dataclass(frozen=True)
class Outputs:
    """Coordinates (an index), and entries of the positions of frames (a name and an axis)"""

    names: Tuple[str, ...]
    items: Tuple[Any, ...]

    def matrix(self, model: _core.Model, q: ArrayLike) -> Array:
        """(outputs, 2nv): derivatives by the perturbation of the state"""
        rows = []
        for item in self.items:
            if isinstance(item, int):
                rows.append(numpy.eye(model.nv)[item])
            else:
                rows.append(model.frame(item[0], q, representation="mixed").J[item[1]])
        return numpy.hstack([numpy.array(rows), numpy.zeros((len(rows), model.nv))])

    def error(self, model: _core.Model, about: Array, q: ArrayLike) -> Array:
        """How far they are from where they are at `about`"""
        z, values = model.difference(about, q), []
        for item in self.items:
            if isinstance(item, int):
                values.append(z[item])
            else:
                values.append(model.frame(item[0], q).pose[item[1], 3] - model.frame(item[0], about).pose[item[1], 3])
        return numpy.array(values)


def outputs(model: _core.Model, names: Sequence[str]) -> Outputs:
    """Names of joints, of coordinates or of frames"""
    if isinstance(names, str):
        raise InvalidArgumentError("integral is a list of names")
    labels: List[str] = []
    items: List[Any] = []
    frames = {frame.name for frame in model.frames}
    for name in names:
        own = [i for i, label in enumerate(model.velocity_names) if label == name or label.rpartition(".")[0] == name]
        if own:
            labels += [model.velocity_names[i] for i in own]
            items += own
        elif name in frames:
            labels += [f"{name}.{axis}" for axis in "xyz"]
            items += [(name, axis) for axis in range(3)]
        else:
            raise InvalidArgumentError(f"integral: there is no joint and no frame {name!r}")
    return Outputs(tuple(labels), tuple(items))


class Integrating:
    """u = −K x − Ki ξ with a memory: a controller for hamel.simulate, called with times that do not fall.

    integral: ξ; the error of a call counts until the next one. Regulator.integrating makes it.
    """

    def __init__(self, regulator: Any) -> None:
        self.regulator = regulator
        self.reset()

    def reset(self) -> None:
        """Forgets the integrals"""
        self.integral = numpy.zeros(len(self.regulator.output_names))
        self._last = 0.0
        self._error = numpy.zeros_like(self.integral)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        r = self.regulator
        self.integral = self.integral + max(t - self._last, 0.0) * self._error
        self._last, self._error = t, r.outputs.error(r.model, r.q, q)
        forces: Array = r(t, q, v)
        forces[r.marks] -= r.Ki @ self.integral
        return forces
