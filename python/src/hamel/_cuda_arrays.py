"""Arrays on a GPU: those of torch, CuPy, JAX and anything with DLPack, and Hamel's own."""

from __future__ import annotations

import ctypes
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

import numpy

from ._errors import InvalidArgumentError


class _Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class _Type(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Tensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", _Device),
        ("ndim", c_int32),
        ("dtype", _Type),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    pass


_DELETER = CFUNCTYPE(None, POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _DELETER)]
_CUDA = 2  # kDLCUDA
_CODES = {0: "i", 2: "f"}

_python = ctypes.PyDLL(None)  # functions of our own: other packages give those of ctypes.pythonapi other types
_capsule_new = _python["PyCapsule_New"]
_capsule_new.restype, _capsule_new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_capsule_get = _python["PyCapsule_GetPointer"]
_capsule_get.restype, _capsule_get.argtypes = c_void_p, [py_object, c_char_p]
_capsule_is = _python["PyCapsule_IsValid"]
_capsule_is.restype, _capsule_is.argtypes = ctypes.c_int, [c_void_p, c_char_p]
_capsule_at = _python["PyCapsule_GetPointer"]
_capsule_at.restype, _capsule_at.argtypes = c_void_p, [c_void_p, c_char_p]

_lent: Dict[int, Any] = {}  # what a consumer of DLPack holds, by the address of its description


@_DELETER  # type: ignore[untyped-decorator]
def _give_back(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


@ctypes.PYFUNCTYPE(None, c_void_p)  # type: ignore[untyped-decorator]
def _forget(capsule: Any) -> None:
    if _capsule_is(capsule, b"dltensor"):  # nobody has taken it
        _lent.pop(_capsule_at(capsule, b"dltensor"), None)


class Memory:
    """Memory of a GPU that is given back when nobody needs it any more."""

    def __init__(self, address: int, release: Callable[[int], None]) -> None:
        self.address, self._release = address, release

    def __del__(self) -> None:
        self._release(self.address)


class Array:
    """An array of Hamel's own on a GPU, in C order, with ``__cuda_array_interface__`` and DLPack for others.

    `numpy()` copies it to the host.
    """

    def __init__(self, memory: Memory, shape: Tuple[int, ...], dtype: str, device: int, fetch: Callable[..., Any]) -> None:
        self.shape, self.dtype, self.device = tuple(shape), numpy.dtype(dtype), device
        self._memory, self._fetch = memory, fetch

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.address, False),
            "strides": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _CUDA, self.device

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        """The work that fills the array is in the default stream, which others wait for."""
        n = len(self.shape)
        shape = (c_int64 * max(n, 1))(*self.shape)
        managed = _Managed()
        code = {"i": 0, "f": 2}[self.dtype.kind]
        managed.tensor = _Tensor(
            self._memory.address,
            _Device(_CUDA, self.device),
            n,
            _Type(code, 8 * self.dtype.itemsize, 1),
            ctypes.cast(shape, POINTER(c_int64)),
            None,
            0,
        )
        managed.deleter = _give_back
        _lent[ctypes.addressof(managed)] = (managed, shape, self._memory)
        return _capsule_new(ctypes.addressof(managed), b"dltensor", ctypes.cast(_forget, c_void_p))

    def numpy(self) -> Any:
        """A copy on the host, once everything before it is done."""
        return self._fetch(self)

    def __repr__(self) -> str:
        return f"<hamel.cuda.Array {self.shape} {self.dtype} on GPU {self.device}>"


@dataclass
class Place:
    """Where an array lies: its address, shape, strides in bytes (None: C order), type, and what keeps it alive."""

    address: int
    shape: Tuple[int, ...]
    strides: Optional[Tuple[int, ...]]
    dtype: Any
    keep: Any

    def is_packed(self) -> bool:
        """Whether the numbers lie one after the other."""
        step = self.dtype.itemsize
        for n, own in zip(reversed(self.shape), reversed(self.strides or ())):
            if n > 1 and own != step:
                return False
            step *= n
        return True


def kind_of(x: Any) -> str:
    """torch, cupy, jax, numpy, or hamel for everything else that lies on a GPU"""
    root = type(x).__module__.split(".")[0]
    if root in ("torch", "cupy"):
        on_gpu = root == "cupy" or x.is_cuda
        return root if on_gpu else "numpy"
    if root in ("jax", "jaxlib"):
        return "jax"
    if hasattr(x, "__cuda_array_interface__") or (hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == _CUDA):
        return "hamel"
    return "numpy"


def _from_dlpack(x: Any) -> Place:
    # the default stream, as DLPack names it: who made x sees to it that x is ready there
    capsule = x.__dlpack__(stream=1)
    managed = ctypes.cast(_capsule_get(capsule, b"dltensor"), POINTER(_Managed)).contents
    t = managed.tensor
    if t.device.type != _CUDA or t.dtype.code not in _CODES or t.dtype.lanes != 1:
        raise InvalidArgumentError("an array is not of real numbers on a GPU of NVIDIA")
    dtype = numpy.dtype(f"{_CODES[t.dtype.code]}{t.dtype.bits // 8}")
    shape = tuple(t.shape[k] for k in range(t.ndim))
    strides = tuple(t.strides[k] * dtype.itemsize for k in range(t.ndim)) if t.strides else None
    return Place((t.data or 0) + t.byte_offset, shape, strides, dtype, (x, capsule))


def host_place_of(x: Any) -> Place:
    """Where an array of NumPy lies, in C order."""
    return Place(int(x.ctypes.data), x.shape, None, x.dtype, x)


def place_of(x: Any) -> Place:
    """Where an array of a GPU lies."""
    if type(x).__module__.split(".")[0] == "torch":
        x = x.detach()
    if type(x).__module__.split(".")[0] in ("jax", "jaxlib"):
        x.block_until_ready()  # its streams are its own
    if hasattr(x, "__cuda_array_interface__"):
        a = x.__cuda_array_interface__
        return Place(a["data"][0] or 0, tuple(a["shape"]), a.get("strides"), numpy.dtype(a["typestr"]), x)
    return _from_dlpack(x)


def stream_of(kind: str) -> int:
    """The current stream of a library; 0: the default one"""
    if kind == "torch":
        return int(sys.modules["torch"].cuda.current_stream().cuda_stream)
    if kind == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0
