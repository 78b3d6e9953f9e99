"""Dynamics and exact linearization of robots whose base moves.

>>> import hamel
>>> robot = hamel.load("quadruped")
>>> x = robot.linearize(robot.neutral(), [0] * robot.nv)
>>> x.A.shape, x.B.shape
((36, 36), (36, 18))

Conventions: linear first, angular second; quaternions w first; row-major; velocities left-trivialized unless said.
Every function takes arrays with leading dimensions and broadcasts them. float64 arrays in C order are used where they
lie; lists and other real numbers are copied; what is no real number raises TypeError, a wrong shape
InvalidArgumentError, NaN and infinity NotFiniteError, a quaternion that is not unit NotNormalizedError.

    out       an array (a tuple of arrays, or an older result) to write into: float64, C order, writable, no argument
    threads   for large batches; as many as there are processors, or HAMEL_THREADS, if not given

A name of the C library is found by its first underscore: hml_so3_exp is hamel.so3.exp, hml_quat_to_matrix is
hamel.quat.to_matrix; what takes a model is a method of Model.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _core  # makes the modules of the next line
from . import acceleration, angle_axis, boltzmann_hamel, euler_xyz, euler_zyx, factor, inertia, matrix  # isort: skip
from . import point, quat, rotvec, screw, se3, so3, substitute, twist, wrench  # isort: skip
from ._core import (
    Builder,
    ConstrainedLinearization,
    Contact,
    Linearization,
    Model,
    Motion,
    StepLinearization,
    Subgroup,
    __version__,
    builtin_names,
    discretize,
    isa,
    linearize_field,
    newton_euler,
    newton_euler_com,
    newton_euler_frame,
    random_model,
    reconstruct,
)
from ._contact import Heightfield, Plane, simulate
from ._errors import (
    BadFileError,
    BadModelError,
    CannotReadError,
    CannotWriteError,
    Error,
    InconsistentError,
    InvalidArgumentError,
    ModelWarning,
    NotConvergedError,
    NotFiniteError,
    NotFoundError,
    NotNormalizedError,
    NotStabilizableError,
    OutOfMemoryError,
    SingularError,
    SingularParameterizationError,
    TooManyStepsError,
    UnsupportedError,
)
from ._holds import Hold
from ._load import find, load, loads
from ._paths import command, include, library

if _TYPE_CHECKING:
    from . import control as control
    from . import cuda as cuda
    from . import distributed as distributed
    from . import interop as interop
    from . import plot as plot
    from . import single as single
    from . import view as view


def __getattr__(name: str) -> _Any:
    """Imports hamel.control, cuda, distributed, interop, plot, single and view when somebody asks for them."""
    if name in ("control", "cuda", "distributed", "interop", "plot", "single", "view"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "__version__",
    "BadFileError",
    "BadModelError",
    "Builder",
    "CannotReadError",
    "CannotWriteError",
    "ConstrainedLinearization",
    "Contact",
    "Error",
    "Hold",
    "InconsistentError",
    "InvalidArgumentError",
    "Linearization",
    "Model",
    "ModelWarning",
    "Motion",
    "NotConvergedError",
    "NotFiniteError",
    "NotFoundError",
    "NotNormalizedError",
    "NotStabilizableError",
    "OutOfMemoryError",
    "Heightfield",
    "Plane",
    "SingularError",
    "SingularParameterizationError",
    "StepLinearization",
    "Subgroup",
    "TooManyStepsError",
    "UnsupportedError",
    "acceleration",
    "angle_axis",
    "boltzmann_hamel",
    "builtin_names",
    "command",
    "discretize",
    "euler_xyz",
    "euler_zyx",
    "factor",
    "find",
    "include",
    "inertia",
    "isa",
    "library",
    "linearize_field",
    "load",
    "loads",
    "matrix",
    "newton_euler",
    "newton_euler_com",
    "newton_euler_frame",
    "point",
    "quat",
    "random_model",
    "reconstruct",
    "rotvec",
    "screw",
    "se3",
    "simulate",
    "so3",
    "substitute",
    "twist",
    "wrench",
]
