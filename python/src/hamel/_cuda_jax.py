"""Functions of a batch on a GPU for JAX: custom calls in compiled programs, with derivatives that stay there.

The call is hml_cuda_xla of hamel/cuda.h, which XLA calls with its arrays and its stream, without Python.
"""

from __future__ import annotations

import ctypes
import hashlib
from ctypes import c_int64, c_size_t
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy

from . import _cuda_structs as structs
from ._cuda_coordinates import Coordinates
from ._errors import InvalidArgumentError, UnsupportedError
from ._names import did_you_mean
from ._optional import need
from .cuda import _check

NAMES = ("forward_dynamics", "inverse_dynamics", "step", "linearize")

_targets: Dict[int, str] = {}  # names of handlers in XLA, by their addresses
_kept: Dict[Tuple[int, int], Any] = {}  # batches of compiled programs, which XLA keeps as long as the process


def _target(jax: Any, library: Any) -> str:
    """The name under which XLA has the library's handler: on the GPU, and on the host, where it says a sentence."""
    address = int(ctypes.cast(library.hml_cuda_xla, ctypes.c_void_p).value or 0)
    if address not in _targets:
        name = "hamel_cuda" + (f"_{len(_targets)}" if _targets else "")
        for platform in ("CUDA", "cpu"):
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(library.hml_cuda_xla), platform=platform)
        _targets[address] = name
    return _targets[address]


def _key(jax: Any, batch: Any) -> Tuple[str, int]:
    """The handler's name, and the key under which it finds the robot, which is the same in every process."""
    target = _target(jax, batch._lib)
    what = f"{batch.dtype} {batch.device} ".encode() + bytes(batch.robot.to_bytes())
    key = int.from_bytes(hashlib.blake2b(what, digest_size=8).digest(), "little", signed=True)
    place = (next(address for address, name in _targets.items() if name == target), key)
    if place not in _kept:
        own = type(batch)(batch.robot, batch.dtype, batch.device)  # of XLA's stream alone
        error = structs.Error()
        _check(batch._lib.hml_cuda_xla_offer(own._handle, c_int64(key), ctypes.byref(error)), error)
        _kept[place] = own
    return target, key


def _refuse_early(batch: Any, h: float) -> None:
    """What a step of this robot would be refused for: known before a program is compiled"""
    room, error = (ctypes.c_double * 4)(), structs.Error()
    at = [ctypes.addressof(room) + 8 * k for k in range(4)]
    a = structs.Step(struct_size=ctypes.sizeof(structs.Step), h=h)
    a.q, a.v = structs.Input(at[0], 0), structs.Input(at[1], 0)
    a.q_next, a.v_next = structs.Output(at[2], 0, 0), structs.Output(at[3], 0, 0)
    _check(batch._lib.hml_cuda_step(batch._handle, c_size_t(0), ctypes.byref(a), ctypes.byref(error)), error)


def jax_function(batch: Any, name: str, h: float) -> Callable[..., Any]:
    """See Batch.jax_function."""
    jax = need("jax", "jax", "Batch.jax_function")
    if name not in NAMES:
        raise InvalidArgumentError(f"name is one of {', '.join(NAMES)}, not {name!r}{did_you_mean(str(name), NAMES)}")
    if not hasattr(jax, "ffi"):
        raise UnsupportedError(f"Batch.jax_function needs jax 0.5 or newer, not {jax.__version__}")
    if name == "step":
        _refuse_early(batch, h)
    jnp, nq, nv = jax.numpy, batch.robot.nq, batch.robot.nv
    coordinates = Coordinates(jnp, batch.robot)
    target, key = _key(jax, batch)

    def call(function: str, tails: Sequence[Tuple[int, ...]], x: Sequence[Any]) -> List[Any]:
        results = [jax.ShapeDtypeStruct((*x[0].shape[:-1], *tail), batch.dtype) for tail in tails]
        made = jax.ffi.ffi_call(target, results, vmap_method="broadcast_all")
        return list(made(*x, function=function, key=numpy.int64(key), h=numpy.float64(h)))

    def constant(function: str, tails: Sequence[Tuple[int, ...]]) -> Callable[..., Any]:
        """A call that has no derivatives, and says so"""

        @jax.custom_jvp  # type: ignore[untyped-decorator]
        def values(*x: Any) -> Any:
            return call(function, tails, x)

        @values.defjvp  # type: ignore[untyped-decorator]
        def rule(x: Any, dx: Any) -> Any:
            raise UnsupportedError("the GPU computes first derivatives: those of a linearization are for the CPU")

        return values  # type: ignore[no-any-return]

    def product(J: Any, x: Any) -> Any:
        return jnp.einsum("...ij,...j->...i", J, x, precision="highest")  # else float32 is rounded to TF32

    linearize = constant("linearize", ((nv,), (nv, nv), (nv, nv), (nv, nv)))
    inverse = constant("inverse_dynamics_and_mass", ((nv,), (nv, nv)))
    step_linearize = constant("step_linearize", ((nq,), (nv,), (2 * nv, 2 * nv), (2 * nv, nv)))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def forward_dynamics(q: Any, v: Any, tau: Any) -> Any:
        return call("forward_dynamics", ((nv,),), (q, v, tau))[0]

    @forward_dynamics.defjvp  # type: ignore[untyped-decorator]
    def forward_rule(x: Any, dx: Any) -> Any:
        acceleration, Dq, Dv, Minv = linearize(*x)
        change = product(Dq, coordinates.motions(x[0], dx[0])) + product(Dv, dx[1]) + product(Minv, dx[2])
        return acceleration, change

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
        return call("inverse_dynamics", ((nv,),), (q, v, a))[0]

    @inverse_dynamics.defjvp  # type: ignore[untyped-decorator]
    def inverse_rule(x: Any, dx: Any) -> Any:
        # M ν̇(q, ν, τ) = τ − h: the derivatives of τ at constant ν̇ are −M D_q and −M D_ν
        tau, M = inverse(*x)
        _, Dq, Dv, _ = linearize(x[0], x[1], tau)
        return tau, product(M, dx[2] - product(Dq, coordinates.motions(x[0], dx[0])) - product(Dv, dx[1]))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def step(q: Any, v: Any, tau: Any) -> Any:
        return tuple(call("step", ((nq,), (nv,)), (q, v, tau)))

    @step.defjvp  # type: ignore[untyped-decorator]
    def step_rule(x: Any, dx: Any) -> Any:
        q, v, Ad, Bd = step_linearize(*x)
        z = jnp.concatenate([coordinates.motions(x[0], dx[0]), dx[1]], -1)
        change = product(Ad, z) + product(Bd, dx[2])
        return (q, v), (coordinates.rates(q, change[..., :nv]), change[..., nv:])

    chosen = {
        "forward_dynamics": forward_dynamics,
        "inverse_dynamics": inverse_dynamics,
        "step": step,
        "linearize": lambda *x: tuple(linearize(*x)),
    }[name]
    sizes = (("q", nq), ("v", nv), ("a" if name == "inverse_dynamics" else "tau", nv))

    def given(x: Any, own: str, size: int) -> Any:
        if jax.dtypes.canonicalize_dtype(batch.dtype) != batch.dtype:
            raise InvalidArgumentError(
                'the batch is float64, and JAX computes in float32: say jax.config.update("jax_enable_x64", True)'
            )
        x = x if isinstance(x, jax.Array) else jnp.asarray(x, batch.dtype)
        if x.dtype != batch.dtype:
            raise InvalidArgumentError(f"{own} is {x.dtype}, and the batch {batch.dtype}")
        if x.shape[-1:] != (size,):
            raise InvalidArgumentError(f"{own} has the shape {x.shape}, not (…, {size})")
        return x

    def function(q: Any, v: Any, u: Any) -> Any:
        x = [given(piece, own, size) for piece, (own, size) in zip((q, v, u), sizes)]
        try:
            lead = jnp.broadcast_shapes(*(piece.shape[:-1] for piece in x))
        except ValueError:
            shapes = ", ".join(f"{own} {piece.shape}" for piece, (own, _) in zip(x, sizes))
            raise InvalidArgumentError(f"the leading dimensions do not go together: {shapes}") from None
        whole = [jnp.broadcast_to(piece, (*lead, size)) for piece, (_, size) in zip(x, sizes)]
        return chosen(coordinates.unit(whole[0]), whole[1], whole[2])

    return function
