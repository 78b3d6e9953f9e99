"""Other programs: their models, their orders of numbers, and derivatives for theirs.

    from_pinocchio, to_pinocchio, pinocchio_layout      models and states, with pin
    from_mujoco, mujoco_layout                          with mujoco
    layout                                              states of Drake, iDynTree, RBDL, without them
    to_control                                          a linearization as a control.StateSpace
    function                                            forward dynamics, a step, q ⊕ v, q₁ ⊖ q₀ with exact derivatives, and
    torch_function, jax_function, casadi_function       the same for torch, jax, casadi

What a function needs is imported when it is called; an ImportError says what to install.
"""

from __future__ import annotations

from ._autodiff import jax_function, torch_function
from ._casadi import casadi_function
from ._control import to_control
from ._functions import Function, function
from ._layout import Layout, Numbers, layout
from ._mujoco import from_mujoco, mujoco_layout
from ._pinocchio import from_pinocchio, pinocchio_layout, to_pinocchio

__all__ = [
    "Function",
    "Layout",
    "Numbers",
    "casadi_function",
    "from_mujoco",
    "from_pinocchio",
    "function",
    "jax_function",
    "layout",
    "mujoco_layout",
    "pinocchio_layout",
    "to_control",
    "to_pinocchio",
    "torch_function",
]
