"""The structures of hamel/cuda.h, for ctypes."""

from __future__ import annotations

from ctypes import Structure, c_char, c_double, c_int, c_int32, c_size_t, c_void_p


class Error(Structure):
    _fields_ = [("status", c_int), ("line", c_int), ("file", c_char * 256), ("message", c_char * 512)]


class Info(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char * 256),
        ("multiprocessors", c_int32),
        ("capability", c_int32),
        ("memory", c_size_t),
        ("memory_free", c_size_t),
    ]


class Input(Structure):
    _fields_ = [("data", c_void_p), ("stride", c_size_t)]


class Output(Structure):
    _fields_ = [("data", c_void_p), ("ld", c_size_t), ("stride", c_size_t)]


class Linearization(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, Input) for name in ("q", "v", "tau", "wrenches")),
        *((name, Output) for name in ("acceleration", "Dq", "Dv", "Minv", "A", "B")),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Step(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("h", c_double),
        *((name, Input) for name in ("q", "v", "tau")),
        *((name, Output) for name in ("q_next", "v_next", "Ad", "Bd")),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Rollout(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("h", c_double),
        ("steps", c_size_t),
        ("q", c_void_p),
        ("v", c_void_p),
        ("tau", Input),
        ("tau_step", c_size_t),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Configurations(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("q", Input),
        ("other", Input),
        ("result", Output),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Dynamics(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, Input) for name in ("q", "v", "a", "wrenches")),
        *((name, Output) for name in ("torque", "M")),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Kinematics(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("frames", c_void_p),
        ("count", c_int32),
        ("representation", c_int),
        *((name, Input) for name in ("q", "v")),
        *((name, Output) for name in ("pose", "J", "twist")),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]


class Constraint(Structure):
    _fields_ = [
        ("kind", c_int),
        ("frame", c_int32),
        ("normal", c_double * 3),
        ("damping", c_double),
        ("stiffness", c_double),
        ("pose", c_double * 16),
    ]


class Constraints(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("items", c_void_p),
        ("count", c_int32),
        ("tolerance", c_double),
        ("loops", c_void_p),
        ("loop_count", c_int32),
    ]


CONSTRAINED = ("acceleration", "lambda", "Dq", "Dv", "Dtau", "lambda_q", "lambda_v", "lambda_tau", "A", "B")


class Constrained(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, Input) for name in ("q", "v", "tau", "wrenches")),
        *((name, Output) for name in CONSTRAINED),
        ("status", c_void_p),
        ("stream", c_void_p),
    ]
