"""python-control: a linearization as a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy

from .._core import StepLinearization
from .._errors import InvalidArgumentError
from .._optional import need

if TYPE_CHECKING:
    from .._core import Linearization


def to_control(x: Linearization, h: Optional[float] = None) -> Any:
    """A linearization as a control.StateSpace whose outputs are its states, with all names.

    With h it is the zero-order hold over h, a system in discrete time; that of a step is one anyway, over its own h. Dots, which control has its own use for, become
    underscores: "q base_0".
    """
    control = need("control", "control", "to_control")
    if x.A.ndim > 2:
        raise InvalidArgumentError("a system is one state: take one from the batch")
    A, B = (x.A, x.B) if h is None else x.discretize(h)
    if isinstance(x, StepLinearization):
        h = float(x.h)
    names = [name.replace(".", "_") for name in x.state_names]
    n, m = B.shape
    return control.ss(
        A,
        B,
        numpy.eye(n),
        numpy.zeros((n, m)),
        **({} if h is None else {"dt": h}),
        states=names,
        outputs=names,
        inputs=[name.replace(".", "_") for name in x.input_names],
    )
