"""Very many states on a GPU of NVIDIA: linearizations, steps and rollouts of arrays that stay there.

    batch = hamel.cuda.Batch(robot, dtype="float32")
    x = batch.linearize(q, v, tau)                      # q, v, tau: torch, CuPy or JAX arrays on the GPU, or NumPy's
    step = batch.torch_function("step", h=0.01)         # with derivatives on the GPU
    step = batch.jax_function("step", h=0.01)           # likewise, inside jax.jit

Arrays of a GPU are used where they lie, by ``__cuda_array_interface__`` or DLPack; results are of the same kind as q. The work
goes into `stream` (the current one of torch or CuPy where q is theirs), and calls return at once. NumPy arrays travel to
the GPU and back in chunks while others are computed, and the call waits for its results: the bus and the host's memory, not the GPU,
set the rate then.

This needs libhamel-cuda (docs/gpu.md), which the package hamel-cuda carries: it is looked for at HAMEL_CUDA_LIBRARY, beside
this package, in that one, and where the system's loader looks. Without it, or without a GPU, `Batch` raises an error that says what is missing, and
`available` is False.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from ctypes import c_int, c_int32, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from . import _cuda_structs as structs
from ._core import Model
from ._cuda_arrays import Array, Memory, host_place_of, kind_of, place_of, stream_of
from ._errors import BY_STATUS, InvalidArgumentError, NotFoundError, UnsupportedError
from ._holds import Hold
from ._names import did_you_mean
from ._paths import library

__all__ = ["Array", "Batch", "Constrained", "Device", "Frames", "Holds", "Linearization", "Rollout", "Step", "available", "device"]

_PROMISED = (
    "hml_cuda_device",
    "hml_cuda_batch_from_data",
    "hml_cuda_linearize",
    "hml_cuda_dynamics",
    "hml_cuda_kinematics",
    "hml_cuda_holds_new",
    "hml_cuda_constrained_linearize",
    "hml_cuda_step",
    "hml_cuda_rollout",
    "hml_cuda_integrate",
    "hml_cuda_difference",
    "hml_cuda_linearize_host",
    "hml_cuda_dynamics_host",
    "hml_cuda_kinematics_host",
    "hml_cuda_constrained_linearize_host",
    "hml_cuda_step_host",
    "hml_cuda_integrate_host",
    "hml_cuda_difference_host",
    "hml_cuda_allocate",
    "hml_cuda_upload",
    "hml_cuda_download",
    "hml_cuda_wait",
    "hml_cuda_xla",
    "hml_cuda_xla_offer",
)
_NAME = "libhamel-cuda.so"
_loaded: List[Any] = []


def _places() -> List[str]:
    """Where the library may be"""
    given = os.environ.get("HAMEL_CUDA_LIBRARY")
    if given:
        return [given]
    package = importlib.util.find_spec("hamel_cuda")
    folders = (package.submodule_search_locations or []) if package else []
    return [str(library() / _NAME), *(os.path.join(folder, _NAME) for folder in folders), _NAME, _NAME + ".0"]


def _library() -> Any:
    if _loaded:
        return _loaded[0]
    wrong = ""
    for path in _places():
        try:
            found = ctypes.CDLL(path)
        except OSError as why:
            wrong = str(why)
            continue
        if not all(hasattr(found, name) for name in _PROMISED):
            raise UnsupportedError(f"{path} is of another version than this package")
        found.hml_cuda_batch_free.argtypes = [c_void_p]
        found.hml_cuda_holds_free.argtypes = [c_void_p]
        found.hml_cuda_release.argtypes = [c_void_p, c_void_p]
        for name in _PROMISED:
            getattr(found, name).restype = c_int
        _loaded.append(found)
        return found
    raise NotFoundError(
        f"libhamel-cuda is not there ({wrong}): install the package hamel-cuda, or build the library with -DHAMEL_CUDA=ON and "
        "name it in HAMEL_CUDA_LIBRARY or put it where the loader looks; docs/gpu.md says how"
    )


def _check(status: int, error: structs.Error) -> None:
    if status:
        raise BY_STATUS[status](error.message.decode("utf-8", "replace"))


@dataclass(frozen=True)
class Device:
    """A GPU: its name, how many multiprocessors it has, its compute capability times ten, and bytes of memory."""

    name: str
    multiprocessors: int
    capability: int
    memory: int


def device(number: int = 0) -> Device:
    """The GPU of a number, counted from 0; NotFoundError says what is missing."""
    info, error = structs.Info(struct_size=ctypes.sizeof(structs.Info)), structs.Error()
    _check(_library().hml_cuda_device(c_int(number), ctypes.byref(info), ctypes.byref(error)), error)
    return Device(info.name.decode(), info.multiprocessors, info.capability, info.memory)


def available() -> bool:
    """Whether libhamel-cuda and a GPU are there."""
    try:
        device()
    except (NotFoundError, UnsupportedError):
        return False
    return True


@dataclass(frozen=True)
class Linearization:
    """What Batch.linearize was asked for, and a status per state, 0: well; the rest None."""

    acceleration: Any = None
    Dq: Any = None
    Dv: Any = None
    Minv: Any = None
    A: Any = None
    B: Any = None
    status: Any = None


@dataclass(frozen=True)
class Step:
    """The state after a step, Ad and Bd where they were asked for, and a status per state, 0: well."""

    q: Any
    v: Any
    Ad: Any = None
    Bd: Any = None
    status: Any = None


@dataclass(frozen=True)
class Rollout:
    """States, (steps + 1, n, …), and a status per state, 0: well."""

    q: Any
    v: Any
    status: Any = None


@dataclass(frozen=True)
class Frames:
    """Of frames: poses (…, k, 4, 4), Jacobians (…, k, 6, nv), twists (…, k, 6), and a status per state, 0: well."""

    pose: Any = None
    J: Any = None
    twist: Any = None
    status: Any = None


@dataclass(frozen=True)
class Constrained:
    """What Holds.linearize was asked for, and a status per state, 0: well; the rest None."""

    acceleration: Any = None
    force: Any = None
    Dq: Any = None
    Dv: Any = None
    Dtau: Any = None
    force_q: Any = None
    force_v: Any = None
    force_tau: Any = None
    A: Any = None
    B: Any = None
    status: Any = None


class _Call:
    """The arrays of one call: inputs as they lie, outputs of the same kind as the first input.

    travels: NumPy arrays go to the GPU and back within the call (…_host of hamel/cuda.h), not before and after it
    """

    def __init__(self, batch: "Batch", first: Any, size: int, stream: Optional[int], travels: bool = True) -> None:
        self.batch = batch
        self.kind = kind_of(first)
        self.stream = stream_of(self.kind) if stream is None else int(stream)
        self.travels = travels and self.kind == "numpy"
        self.keep: List[Any] = []
        shape = tuple(first.shape) if hasattr(first, "shape") else numpy.shape(first)
        if not shape or shape[-1] != size:
            raise InvalidArgumentError(f"q has the shape {shape}, not (…, {size})")
        self.lead = shape[:-1]
        self.n = int(numpy.prod(self.lead)) if self.lead else 1

    def input(self, x: Any, name: str, size: int, lead: Optional[Tuple[int, ...]] = None) -> structs.Input:
        """An array of states, or one for all of them."""
        if x is None:
            return structs.Input(None, 0)
        lead = self.lead if lead is None else lead
        if kind_of(x) == "numpy":
            if self.kind != "numpy":
                raise InvalidArgumentError(f"{name} is on the host, and q on the GPU")
            x = numpy.ascontiguousarray(x, self.batch.dtype)
            x = x if self.travels else self.batch._upload(x)
        elif self.kind == "numpy":
            raise InvalidArgumentError(f"{name} is on the GPU, and q on the host")
        at = host_place_of(x) if self.travels else place_of(x)
        self.keep.append(at)
        if at.dtype != self.batch.dtype:
            raise InvalidArgumentError(f"{name} is {at.dtype}, and the batch {self.batch.dtype}")
        if at.shape not in ((*lead, size), (size,)):
            raise InvalidArgumentError(f"{name} has the shape {at.shape}, not {(*lead, size)}")
        if not at.is_packed():
            raise InvalidArgumentError(f"{name} is not in C order")
        return structs.Input(at.address, size if at.shape == (*lead, size) and lead else 0)

    def make(self, tail: Tuple[int, ...], dtype: Any = None, lead: Optional[Tuple[int, ...]] = None) -> Tuple[Any, int]:
        """An array for results, and its address."""
        shape = (*(self.lead if lead is None else lead), *tail)
        dtype = self.batch.dtype if dtype is None else numpy.dtype(dtype)
        x: Any
        if self.travels:
            x = numpy.empty(shape, dtype)
            return x, int(x.ctypes.data)
        if self.kind == "torch":
            torch = sys.modules["torch"]
            x = torch.empty(shape, dtype=getattr(torch, dtype.name), device=f"cuda:{self.batch.device}")
            return x, int(x.data_ptr())
        if self.kind == "cupy":
            x = sys.modules["cupy"].empty(shape, dtype)
            return x, int(x.data.ptr)
        x = self.batch._allocate(shape, dtype)
        return x, int(x._memory.address)

    def result(self, x: Any) -> Any:
        """An array of results as the caller has his."""
        if x is None or self.travels or self.kind in ("torch", "cupy", "hamel"):
            return x
        if self.kind == "jax":
            self.batch.wait(self.stream)
            return sys.modules["jax"].dlpack.from_dlpack(x)
        return x.numpy()


class Batch:
    """A robot on a GPU, for very many states at once.

    dtype   float32 or float64: of all arrays
    device  which GPU, counted from 0
    """

    def __init__(self, robot: Model, dtype: Any = "float64", device: int = 0) -> None:
        self.robot, self.dtype, self.device = robot, numpy.dtype(dtype), device
        self._handle: Any = c_void_p()
        if self.dtype not in (numpy.dtype("float32"), numpy.dtype("float64")):
            raise InvalidArgumentError(f"dtype is float32 or float64, not {self.dtype}")
        self._lib = _library()
        data, error = robot.to_bytes(), structs.Error()
        status = self._lib.hml_cuda_batch_from_data(
            data,
            c_size_t(len(data)),
            c_int(self.dtype.itemsize),
            c_int(device),
            ctypes.byref(self._handle),
            ctypes.byref(error),
        )
        _check(status, error)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.hml_cuda_batch_free(self._handle)
            self._handle = None

    def __repr__(self) -> str:
        return f"<hamel.cuda.Batch of {self.robot.name!r}, {self.dtype}, GPU {self.device}>"

    def _allocate(self, shape: Tuple[int, ...], dtype: Any) -> Array:
        error, address = structs.Error(), c_void_p()
        size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
        status = self._lib.hml_cuda_allocate(self._handle, c_size_t(size), ctypes.byref(address), ctypes.byref(error))
        _check(status, error)
        return Array(Memory(int(address.value or 0), self._release), shape, dtype, self.device, self._download)

    def _release(self, address: int) -> None:
        if self._handle:
            self._lib.hml_cuda_release(self._handle, address)

    def _upload(self, x: Any) -> Array:
        to, error = self._allocate(x.shape, x.dtype), structs.Error()
        status = self._lib.hml_cuda_upload(
            self._handle, c_void_p(to._memory.address), c_void_p(x.ctypes.data), c_size_t(x.nbytes), ctypes.byref(error)
        )
        _check(status, error)
        return to

    def _download(self, x: Array) -> Any:
        to, error = numpy.empty(x.shape, x.dtype), structs.Error()
        status = self._lib.hml_cuda_download(
            self._handle, c_void_p(to.ctypes.data), c_void_p(x._memory.address), c_size_t(to.nbytes), ctypes.byref(error)
        )
        _check(status, error)
        return to

    def wait(self, stream: int = 0) -> None:
        """Until everything in a stream is done; errors of the kernels come to light here."""
        error = structs.Error()
        _check(self._lib.hml_cuda_wait(self._handle, c_void_p(stream), ctypes.byref(error)), error)

    def _run(self, name: str, call: _Call, arguments: Any, handle: Any = None) -> None:
        error = structs.Error()
        arguments.struct_size, arguments.stream = ctypes.sizeof(arguments), call.stream
        function = getattr(self._lib, name + "_host" if call.travels else name)
        _check(function(handle or self._handle, c_size_t(call.n), ctypes.byref(arguments), ctypes.byref(error)), error)

    def linearize(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        wrenches: Any = None,
        select: Sequence[str] = ("acceleration", "Dq", "Dv", "Minv"),
        stream: Optional[int] = None,
    ) -> Linearization:
        """ν̇, D_q, D_ν, M⁻¹, A and B, those of them that `select` names, of all states.

        A state that fails is NaN, has its hml_status in `status`, and does not affect the others.
        """
        nv, call = self.robot.nv, _Call(self, q, self.robot.nq, stream)
        shapes = {"acceleration": (nv,), "Dq": (nv, nv), "Dv": (nv, nv), "Minv": (nv, nv)}
        shapes.update({"A": (2 * nv, 2 * nv), "B": (2 * nv, nv)})
        a = structs.Linearization()
        a.q, a.v, a.tau = call.input(q, "q", self.robot.nq), call.input(v, "v", nv), call.input(tau, "tau", nv)
        a.wrenches = call.input(wrenches, "wrenches", 6 * self.robot.nbodies)
        return Linearization(**self._select(call, a, "hml_cuda_linearize", select, shapes))

    def forward_dynamics(self, q: Any, v: Any, tau: Any = None, stream: Optional[int] = None) -> Any:
        """ν̇ of all states; NaN where a state fails."""
        return self.linearize(q, v, tau, select=("acceleration",), stream=stream).acceleration

    def _dynamics(self, name: str, tail: Tuple[int, ...], arrays: Sequence[Tuple[str, Any]], stream: Optional[int]) -> Any:
        call, a = _Call(self, arrays[0][1], self.robot.nq, stream), structs.Dynamics()
        sizes = {"q": self.robot.nq, "wrenches": 6 * self.robot.nbodies}
        for key, x in arrays:
            setattr(a, key, call.input(x, key, sizes.get(key, self.robot.nv)))
        made, address = call.make(tail)
        setattr(a, name, structs.Output(address, 0, 0))
        self._run("hml_cuda_dynamics", call, a)
        return call.result(made)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, wrenches: Any = None, stream: Optional[int] = None) -> Any:
        """τ of all states; NaN where a state fails."""
        arrays = (("q", q), ("v", v), ("a", a), ("wrenches", wrenches))
        return self._dynamics("torque", (self.robot.nv,), arrays, stream)

    def mass_matrix(self, q: Any, stream: Optional[int] = None) -> Any:
        """M of all states; NaN where a state fails. M⁻¹: `linearize`."""
        return self._dynamics("M", (self.robot.nv, self.robot.nv), (("q", q),), stream)

    def frames(
        self,
        q: Any,
        v: Any = None,
        frames: Optional[Sequence[Union[str, int]]] = None,
        representation: str = "left",
        select: Sequence[str] = ("pose", "J"),
        stream: Optional[int] = None,
    ) -> Frames:
        """Poses in the world, Jacobians and twists, those that `select` names, of frames, or of all bodies.

        representation: left, right, mixed or split, of J and the twist, as Model.frame has them.
        """
        names = ("left", "right", "mixed", "split")
        if representation not in names:
            raise InvalidArgumentError(f"there is no representation {representation!r}{did_you_mean(representation, names)}")
        listed = None if frames is None else [self._frame(x) for x in frames]
        count, call = self.robot.nbodies if listed is None else len(listed), _Call(self, q, self.robot.nq, stream)
        a = structs.Kinematics(count=count, representation=names.index(representation))
        indices = (c_int32 * max(count, 1))(*(listed or ()))
        a.frames = ctypes.cast(indices, c_void_p) if listed is not None else None
        a.q, a.v = call.input(q, "q", self.robot.nq), call.input(v, "v", self.robot.nv)
        shapes = {"pose": (count, 4, 4), "J": (count, 6, self.robot.nv), "twist": (count, 6)}
        return Frames(**self._select(call, a, "hml_cuda_kinematics", select, shapes))

    def _frame(self, frame: Union[str, int]) -> int:
        return self.robot.frame_index(frame) if isinstance(frame, str) else int(frame)

    def _select(
        self, call: _Call, a: Any, function: str, select: Sequence[str], shapes: Any, handle: Any = None
    ) -> Any:
        """Runs a function for the outputs that are selected, and the statuses; returns them by name."""
        made = {}
        for name in select:
            if name not in shapes:
                raise InvalidArgumentError(f"there is no result {name!r}{did_you_mean(str(name), tuple(shapes))}")
            made[name], address = call.make(shapes[name])
            setattr(a, name.replace("force", "lambda"), structs.Output(address, 0, 0))
        made["status"], a.status = call.make((), "int32")
        self._run(function, call, a, handle)
        return {name: call.result(x) for name, x in made.items()}

    def step(
        self, q: Any, v: Any, h: float, tau: Any = None, jacobians: bool = False, stream: Optional[int] = None
    ) -> Step:
        """A step of semi-implicit Euler, as Model.step, and with `jacobians` its A_d and B_d, as Model.step_linearize."""
        nq, nv, call = self.robot.nq, self.robot.nv, _Call(self, q, self.robot.nq, stream)
        a = structs.Step(h=h)
        a.q, a.v, a.tau = call.input(q, "q", nq), call.input(v, "v", nv), call.input(tau, "tau", nv)
        made = {"q": call.make((nq,)), "v": call.make((nv,))}
        a.q_next, a.v_next = structs.Output(made["q"][1], 0, 0), structs.Output(made["v"][1], 0, 0)
        if jacobians:
            made["Ad"], made["Bd"] = call.make((2 * nv, 2 * nv)), call.make((2 * nv, nv))
            a.Ad, a.Bd = structs.Output(made["Ad"][1], 0, 0), structs.Output(made["Bd"][1], 0, 0)
        made["status"] = call.make((), "int32")
        a.status = made["status"][1]
        self._run("hml_cuda_step", call, a)
        return Step(**{name: call.result(x) for name, (x, _) in made.items()})

    def rollout(self, q: Any, v: Any, h: float, tau: Any, stream: Optional[int] = None) -> Rollout:
        """Steps of n states, q (n, nq) and v (n, nv), without coming back: tau is (steps, n, nv), or (steps, nv) for all."""
        nq, nv, call = self.robot.nq, self.robot.nv, _Call(self, q, self.robot.nq, stream, travels=False)
        steps = int(tau.shape[0])
        if len(call.lead) != 1 or len(tau.shape) not in (2, 3):
            raise InvalidArgumentError("q is (n, nq), and tau (steps, n, nv) or (steps, nv)")
        each = len(tau.shape) == 3
        given = call.input(tau, "tau", nv, (steps, call.n) if each else (steps,))
        a = structs.Rollout(h=h, steps=steps, tau_step=call.n * nv if each else nv)
        a.tau = structs.Input(given.data, nv if each else 0)
        lead = (steps + 1, call.n)
        (all_q, a.q), (all_v, a.v) = call.make((nq,), lead=lead), call.make((nv,), lead=lead)
        status, a.status = call.make((), "int32")
        self._begin(call, q, "q", nq, a.q)
        self._begin(call, v, "v", nv, a.v)
        self._run("hml_cuda_rollout", call, a)
        return Rollout(call.result(all_q), call.result(all_v), call.result(status))

    def _begin(self, call: _Call, x: Any, name: str, size: int, to: Optional[int]) -> None:
        """The first states of a rollout: x ⊕ 0 would do for q; one copy on the GPU does for both."""
        given = call.input(x, name, size)
        error = structs.Error()
        size_in_bytes = c_size_t(call.n * size * self.dtype.itemsize)
        status = self._lib.hml_cuda_copy(
            self._handle, c_void_p(to), c_void_p(given.data), size_in_bytes, c_void_p(call.stream), ctypes.byref(error)
        )
        _check(status, error)

    def _configurations(self, name: str, q: Any, other: Any, sizes: Tuple[int, int], stream: Optional[int]) -> Any:
        call = _Call(self, q, self.robot.nq, stream)
        a = structs.Configurations()
        a.q, a.other = call.input(q, "q", self.robot.nq), call.input(other, "the other", sizes[0])
        result, address = call.make((sizes[1],))
        a.result = structs.Output(address, 0, 0)
        self._run(name, call, a)
        return call.result(result)

    def integrate(self, q: Any, v: Any, stream: Optional[int] = None) -> Any:
        """q ⊕ v of all states; NaN where a state fails."""
        return self._configurations("hml_cuda_integrate", q, v, (self.robot.nv, self.robot.nq), stream)

    def difference(self, q0: Any, q1: Any, stream: Optional[int] = None) -> Any:
        """q1 ⊖ q0 of all states; NaN where a state fails."""
        return self._configurations("hml_cuda_difference", q0, q1, (self.robot.nq, self.robot.nv), stream)

    def hold(self, holds: Sequence[Union[Hold, str]], tolerance: float = 0.0) -> "Holds":
        """The robot with frames and points that the world holds, the same for all states; a name alone is a point."""
        return Holds(self, holds, tolerance)

    def torch_function(self, name: str, *, h: float = 1e-3) -> Callable[..., Any]:
        """A function on torch tensors of the GPU, with reverse derivatives that stay there: "forward_dynamics" or "step".

        As hamel.interop.torch_function: gradients of a configuration are those of its nq numbers. Quaternions are unit.
        """
        from ._cuda_torch import torch_function

        return torch_function(self, name, h)

    def jax_function(self, name: str, *, h: float = 1e-3) -> Callable[..., Any]:
        """A function on JAX arrays of the GPU, for jax.jit, grad, jvp and vmap, which XLA calls in its own stream.

        forward_dynamics   q, v, tau → ν̇
        inverse_dynamics   q, v, a → τ
        step               q, v, tau → q⁺, v⁺: one step of semi-implicit Euler over h
        linearize          q, v, tau → ν̇, D_q, D_ν, M⁻¹, which have no derivatives

        Derivatives are exact, forward and reverse; of second order there are none. As hamel.interop.jax_function: a
        configuration is differentiated by its nq numbers, and a quaternion stands for the unit one of its direction.
        Leading dimensions are batches. A state that fails is NaN. The robot stays on the GPU as long as the process runs.
        """
        from ._cuda_jax import jax_function

        return jax_function(self, name, h)


class Holds:
    """A batch whose robot the world holds at frames and points: Batch.hold makes it."""

    def __init__(self, batch: Batch, holds: Sequence[Union[Hold, str]], tolerance: float = 0.0) -> None:
        self.batch, self.rows = batch, 0
        self._handle: Any = c_void_p()
        items = (structs.Constraint * max(len(holds), 1))()
        for item, hold in zip(items, [Hold(x, "point") if isinstance(x, str) else x for x in holds]):
            if hold.other is not None or hold.kind not in ("frame", "point"):
                raise UnsupportedError("on the GPU the world holds frames and points; planes and loops are for the CPU")
            item.kind, item.frame = ("frame", "point").index(hold.kind), batch._frame(hold.frame)
            item.damping, item.stiffness = hold.damping, hold.stiffness
            pose = numpy.eye(4) if hold.pose is None else numpy.asarray(hold.pose, float)
            if hold.stiffness and hold.pose is None:
                raise InvalidArgumentError("a hold with stiffness needs a pose")
            item.pose[:] = list(pose.ravel())
            self.rows += 6 if hold.kind == "frame" else 3
        error = structs.Error()
        a = structs.Constraints(items=ctypes.cast(items, c_void_p), count=len(holds), tolerance=tolerance)
        a.struct_size = ctypes.sizeof(a)
        status = batch._lib.hml_cuda_holds_new(
            batch._handle, ctypes.byref(a), ctypes.byref(self._handle), ctypes.byref(error)
        )
        _check(status, error)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.batch._lib.hml_cuda_holds_free(self._handle)
            self._handle = None

    def linearize(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        wrenches: Any = None,
        select: Sequence[str] = ("acceleration", "force", "Dq", "Dv", "Dtau"),
        stream: Optional[int] = None,
    ) -> Constrained:
        """ν̇, the holds' forces λ, their derivatives, A and B, those that `select` names, as Model.constrained_linearize.

        A state whose rows depend on each other is NaN, and its status 11: the CPU decides about the rank.
        """
        robot = self.batch.robot
        nv, call, a = robot.nv, _Call(self.batch, q, robot.nq, stream), structs.Constrained()
        a.q, a.v, a.tau = call.input(q, "q", robot.nq), call.input(v, "v", nv), call.input(tau, "tau", nv)
        a.wrenches = call.input(wrenches, "wrenches", 6 * robot.nbodies)
        shapes: Dict[str, Tuple[int, ...]] = {name: (nv, nv) for name in ("Dq", "Dv", "Dtau")}
        shapes.update({f"force_{name}": (self.rows, nv) for name in ("q", "v", "tau")})
        shapes.update({"acceleration": (nv,), "force": (self.rows,), "A": (2 * nv, 2 * nv), "B": (2 * nv, nv)})
        return Constrained(**self.batch._select(call, a, "hml_cuda_constrained_linearize", select, shapes, self._handle))

    def forward_dynamics(self, q: Any, v: Any, tau: Any = None, stream: Optional[int] = None) -> Constrained:
        """ν̇ and the holds' forces alone."""
        return self.linearize(q, v, tau, select=("acceleration", "force"), stream=stream)
