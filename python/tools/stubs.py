"""Writes the type stubs of hamel._core and of the modules that it makes, from what they say about themselves.

Usage: python stubs.py [--check] FOLDER     FOLDER: python/src/hamel. Needs Python 3.10.
"""

from __future__ import annotations

import inspect
import pathlib
import re
import sys
import types

from hamel import _core

HEAD = """# Written by python/tools/stubs.py; do not edit.
from __future__ import annotations

from os import PathLike
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

"""
ARRAY = "NDArray[numpy.float64]"
NUMBER = f"Union[float, {ARRAY}]"
MARKS = "NDArray[numpy.bool_]"
STATE = f"Tuple[{ARRAY}, Optional[{ARRAY}]]"
NAME = "Union[str, int]"
CALL = "Callable[[Any, Any, float], "


def table(text: str) -> dict[str, str]:
    """'a b: kind' lines: names to the kind behind the colon."""
    rows = (line.split(": ", 1) for line in text.strip().splitlines())
    return {name: kind for names, kind in rows for name in names.split()}


# what the functions written by hand return
RETURNS = table(f"""
neutral random parameters selection: {ARRAY}
check reference_check save_json save_urdf forget set_servo generate: None
generate_estimate: int
compile: Model
compiled_note: Optional[str]
generate_text: Tuple[str, str, Optional[str]]
frame_index: int
to_bytes: bytes
from_bytes append reference_model lock reroot scale with_gravity with_inertias with_armature with_parameters realign: Model
build random_model _load _loads _builtin: Model
differs: Optional[str]
view: View
lqr: Regulator
modes: Modes
_locus: Tuple[int, bytes, bytes]
_page: Tuple[str, Tuple[str, ...]]
_trajectory _load_heightfield: Tuple[Any, ...]
_single: int
reroot_state transfer: {STATE}
to_json to_urdf isa: str
load_state loads_state: Tuple[{ARRAY}, {ARRAY}, {ARRAY}, Sequence[Tuple[int, str, {ARRAY}]]]
inverse_kinematics: InverseKinematics
trim: Trim
close: Closing
base_parameters singular_coordinates: {MARKS}
coordinate_parents: NDArray[numpy.int32]
add_actuator add_body add_exclusion add_frame add_keyframe add_loop add_model add_shape set_world_inertia: Builder
limit_margin: Tuple[float, int]
of_joint: Subgroup
layout_joint: Tuple[int, int, int, int, int]
advance restart: Motion
schemes: dict[str, int]
at: Tuple[{ARRAY}, {ARRAY}]
find: Optional[Tuple[float, {ARRAY}, {ARRAY}]]
points: Tuple[ContactPoint, ...]
lowest: ContactPoint
exclude: int
place torque: {ARRAY}
builtin_names: Tuple[str, ...]
linearize_field: Tuple[{ARRAY}, {ARRAY}, {ARRAY}]
to_pandas: dict[str, Any]
to_xarray to_control: Any
discretize: Discrete
""")
# what they take; the others take arrays
ARGUMENTS = table(f"""
name type root mimic shape: str
parent prefix body_name: Optional[str]
other model: Model
function: Callable[[float], bytes]
seed iterations attempts nbodies branches nframes column transposed options joint plane contype conaffinity: int
n threads: Optional[int]
path: Union[str, PathLike[str]]
keep_fixed strict passive ignore_limits release_positions: bool
title: Optional[str]
ground: Optional[bool]
file: Union[None, str, PathLike[str]]
trajectory: Union[None, ArrayLike, str, PathLike[str]]
contacts: Optional[Tuple[Sequence[str], ArrayLike, ArrayLike]]
targets thrusters: Sequence[Tuple[Any, ...]]
Q R Qi: ArrayLike
integral: Sequence[str]
dt: Optional[float]
free actuated: Union[ArrayLike, Sequence[str]]
joints: Sequence[{NAME}]
frame link body: {NAME}
reference expressed: Union[str, int, None]
factors: Sequence[str]
holds hold: Sequence[Union[Hold, str]]
until h: float
kind: str
event: Callable[[float, {ARRAY}, {ARRAY}], float]
data: bytes
text: str
velocity: {CALL}ArrayLike]
derivatives: Optional[{CALL}Tuple[ArrayLike, ArrayLike]]]
""")
OWN_ARGUMENTS = {  # other functions mean others
    ("close", "locked"): "Union[ArrayLike, Sequence[str]]",
    ("add_exclusion", "body"): "Optional[str]",
    ("add_exclusion", "other"): "Optional[str]",
    ("add_loop", "frame"): "str",
    ("add_loop", "other"): "Optional[str]",
    ("add_loop", "name"): "Optional[str]",
    ("add_loop", "distance"): "float",
    ("add_loop", "damping"): "float",
    ("add_loop", "stiffness"): "float",
    ("add_keyframe", "joint"): "str",
    ("add_actuator", "joint"): "Optional[str]",
    ("add_actuator", "frame"): "Optional[str]",
    ("add_actuator", "gear"): "ArrayLike",
    ("add_keyframe", "velocity"): "ArrayLike",
    ("set_world_inertia", "mass"): "float",
    ("generate", "functions"): "str",
    ("generate_estimate", "functions"): "str",
    ("generate_text", "functions"): "str",
    ("generate", "frames"): "Sequence[str]",
    ("generate_text", "frames"): "Sequence[str]",
    ("torque", "t"): "float",
}
PROPERTIES = table(f"""
nq nv nbodies njoints nframes dimension: int
name representation inputs side: str
mass pitch time: float
shapes: Tuple[Shape, ...]
actuators: Tuple[Actuator, ...]
loops: Tuple[Hold, ...]
exclusions: Tuple[Tuple[Optional[str], Optional[str]], ...]
keyframes: dict[str, Tuple[{ARRAY}, {ARRAY}]]
info: MotionInfo
balance: Balance
velocity_names state_names input_names warnings: Tuple[str, ...]
actuated: {MARKS}
bodies: Tuple[Body, ...]
joints: Tuple[Joint, ...]
frames: Tuple[Frame, ...]
model: Model
eigenvalues: NDArray[numpy.complex128]
h: Union[float, {ARRAY}]
""")
RECORDS = {  # of those that no function's documentation describes
    "Body": table("name: str\nparent joint subtree_end depth: int\nmass: float"),
    "Joint": table("name type: str\nbody q nq v nv leader: int\nactuated: bool\nmultiplier offset pitch: float"),
    "Frame": table("name kind: str\nbody: int"),
    "Shape": table("frame contype conaffinity: int\nkind: str\nfriction restitution: float"),
    "Actuator": table("name transmission: str\ntarget: int\ngain lower upper force_lower force_upper: float"),
    "MotionInfo": table("steps rejected evaluations iterations: int\nlast_step: float"),
    "ContactStep": table(
        "contacts limits bounces iterations substeps left_out: int\nrelaxed massless: bool\nresidual penetration work removed: float"
    ),
    "Balance": table("forces servos wrenches damping contacts limits friction displacement removed actuators: float"),
    "ContactPoint": table("shape other: int\ngap: float"),
    "Trim": table("ok optimal: bool\nmessage: str\nrelative position cost: float\niterations coordinate at_limit: int"),
    "Closing": table("ok nearest: bool\nmessage: str\nerror change: float\nworst iterations attempts: int"),
    "InverseKinematics": table("converged stationary: bool\nerror: float\niterations attempts: int"),
}
INITS = {
    "Motion": (
        "model: Model, q: ArrayLike, v: Optional[ArrayLike] = ..., t: float = ..., *, integrator: Optional[str] = ..., scheme: Optional[str] = ..., "
        "step: float = ..., tolerance: float = ..., radius: float = ..., iterations: int = ..., tau: Optional[ArrayLike] = ..., "
        "wrenches: Optional[ArrayLike] = ..., samples: Optional[Tuple[ArrayLike, ArrayLike]] = ..., hold: bool = ..., "
        "target: Optional[ArrayLike] = ..., stiffness: Optional[ArrayLike] = ..., damping: Optional[ArrayLike] = ..., "
        f"force: Optional[Callable[[float, {ARRAY}, {ARRAY}], Any]] = ..., balance: bool = ..., "
        "inputs: Optional[ArrayLike] = ..., holds: Sequence[Union[Hold, str]] = ..., max_steps: int = ..."
    ),
    "Contact": (
        "model: Model, planes: Sequence[Plane], *, limits: bool = ..., pairs: bool = ..., "
        "joint_friction: Optional[ArrayLike] = ..., max_contacts: int = ..., slop: float = ..., "
        "correction: float = ..., bounce: float = ..., tolerance: float = ..., iterations: int = ..., strict: bool = ..., balance: bool = ..., "
        "heightfields: Sequence[Heightfield] = ..., loops: bool = ..."
    ),
    "Builder": "name: Optional[str] = ..., gravity: Optional[ArrayLike] = ..., model: Optional[Model] = ...",
    "Subgroup": "name: str, axis: Optional[ArrayLike] = ..., pitch: float = ...",
}


def described(function) -> tuple[str | None, dict[str, str]]:
    """The type of the result and its fields, as the documentation of a function from a table lists them."""
    doc = function.__doc__ or ""
    several = re.search(r"^    → (\w+)\n((?:        \w+  .*\n)+)", doc, re.M)
    lines = several[2].splitlines() if several else re.findall(r"^    → (\w+  .*)$", doc, re.M)
    fields = {}
    for line in lines:
        name, shape = line.split(None, 1)
        kind = NUMBER if shape.startswith("(…)") else ARRAY
        fields[name] = f"Optional[{kind}]" if "None without" in shape else kind
    return (several[1] if several else None), fields


def returned(function) -> str:
    kind, fields = described(function)
    own = {"Motion.step": "Motion", "Contact.step": "ContactStep"}
    own["Motion.linearize"] = own["Contact.linearize"] = f"Tuple[{ARRAY}, {ARRAY}]"
    if function.__qualname__ in own:
        return own[function.__qualname__]
    if function.__name__ == "linearize":
        return "Linearization"
    return kind or (next(iter(fields.values())) if fields else RETURNS[function.__name__])


def is_class(name: str) -> bool:
    """A type of its own, not a tuple with names"""
    return not issubclass(getattr(_core, name), tuple)


def argument(function, p: inspect.Parameter) -> str:
    from_table = bool(described(function)[1])
    if p.name == "out":
        kind = returned(function)
        kind = ARRAY if kind in (ARRAY, NUMBER) else kind if kind.endswith("Linearization") and is_class(kind) else "Tuple[Any, ...]"
    elif (function.__name__, p.name) in OWN_ARGUMENTS:
        kind = OWN_ARGUMENTS[function.__name__, p.name]
    elif from_table and p.name in ("velocity", "n", "h"):
        kind = "ArrayLike"
    elif isinstance(p.default, float):
        kind = "float"
    elif p.name in ARGUMENTS:
        kind = ARGUMENTS[p.name]
    elif isinstance(p.default, (str, bool, int, float)):
        kind = type(p.default).__name__
    else:
        kind = "ArrayLike"
    return f"Optional[{kind}]" if p.default is None and "None" not in kind and "Optional" not in kind else kind


def signature(function) -> str:
    parts, kinds = [], []
    for p in inspect.signature(function).parameters.values():
        if kinds and kinds[-1] is p.POSITIONAL_ONLY and p.kind is not p.POSITIONAL_ONLY and parts != ["self"]:
            parts.append("/")
        if p.kind is p.KEYWORD_ONLY and p.KEYWORD_ONLY not in kinds:
            parts.append("*")
        kinds.append(p.kind)
        if p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}: Any")
        elif p.name == "self":
            parts.append("self")
        else:
            parts.append(f"{p.name}: {argument(function, p)}" + (" = ..." if p.default is not p.empty else ""))
    if kinds and kinds[-1] is inspect.Parameter.POSITIONAL_ONLY and parts != ["self"]:
        parts.append("/")
    return ", ".join(parts)


def function_stub(name: str, function, indent: str = "") -> str:
    arguments = "*arguments: Any" if name in ("_load", "_loads", "_builtin", "_page", "_trajectory", "_load_heightfield") else signature(function)
    return f"{indent}def {name}({arguments}) -> {returned(function)}: ...\n"


def class_stub(name: str, kind: type) -> str:
    base = kind.__base__.__name__
    lines = [f"class {name}({base}):\n" if base != "object" else f"class {name}:\n"]
    if hasattr(kind, "__getitem__"):  # what used to be a tuple
        lines.append("    def __len__(self) -> int: ...\n    def __getitem__(self, index: int) -> Any: ...\n")
        lines.append("    def __iter__(self) -> Iterator[Any]: ...\n")
    if name.startswith("_"):  # behind a class of Python, which has the types
        names = ["__init__", *sorted(n for n in vars(kind) if not n.startswith("_"))]
        for n in names:
            static = isinstance(vars(kind).get(n), staticmethod)
            head = "    @staticmethod\n    def {}(" if static else "    def {}(self, "
            lines.append(f"{head.format(n)}*arguments: Any) -> {'None' if n == '__init__' else 'Any'}: ...\n")
        return "".join(lines) + "\n"
    if name in INITS:
        lines.append(f"    def __init__(self, {INITS[name]}) -> None: ...\n")
    for attribute, value in sorted(vars(kind).items()):
        if attribute.startswith("_") or (value.__doc__ or "").startswith("no "):  # no such thing here
            continue
        if isinstance(value, types.GetSetDescriptorType):
            lines.append(f"    @property\n    def {attribute}(self) -> {PROPERTIES.get(attribute, ARRAY)}: ...\n")
        elif isinstance(value, staticmethod):
            lines.append(f"    @staticmethod\n{function_stub(attribute, getattr(kind, attribute), '    ')}")
        else:
            lines.append(function_stub(attribute, value, "    "))
    return "".join(lines) + "\n"


def functions():
    for value in vars(_core).values():
        if isinstance(value, types.ModuleType) or (isinstance(value, type) and not issubclass(value, tuple)):
            yield from (f for n, f in vars(value).items() if not n.startswith("_") and callable(f))
        elif callable(value) and not isinstance(value, type):
            yield value


def record_stubs() -> dict[str, dict[str, str]]:
    records: dict[str, dict[str, str]] = {}
    for name, known in RECORDS.items():
        records[name] = {field: known.get(field, ARRAY) for field in getattr(_core, name).__match_args__}
    for function in functions():
        kind, fields = described(function)
        for field, of in fields.items() if kind and not is_class(kind) else ():
            have = records.setdefault(kind, {}).get(field, of)
            records[kind][field] = max(have, of, key=len)  # optional somewhere is optional
    return records


def stubs() -> dict[str, str]:
    files, rest = {}, []
    for name, fields in sorted(record_stubs().items()):
        rest.append(f"class {name}(NamedTuple):\n" + "".join(f"    {f}: {kind}\n" for f, kind in fields.items()) + "\n")
    for name, value in sorted(vars(_core).items()):
        if isinstance(value, types.ModuleType):
            body = "".join(function_stub(n, f) for n, f in sorted(vars(value).items()) if callable(f))
            used = sorted(set(re.findall(r"-> ([A-Z]\w+): ", body)) - {"Union", "NDArray"})
            files[f"{name}.pyi"] = HEAD + (f"from ._core import {', '.join(used)}\n\n" if used else "") + body
        elif isinstance(value, type) and not issubclass(value, tuple):
            rest.append(class_stub(name, value))
        elif callable(value) and not isinstance(value, type) and not name.startswith("__"):
            rest.append(function_stub(name, value))
    files["_core.pyi"] = (
        HEAD.replace("Callable, ", "Callable, Iterator, ") + "from ._contact import Heightfield, Plane\nfrom ._holds import Hold\nfrom .control import Modes, Regulator\nfrom .view import View\n" + "\n__version__: str\n\n" + "".join(rest)
    )
    return files


def main() -> int:
    folder = pathlib.Path(sys.argv[-1])
    stale = 0
    for name, text in stubs().items():
        path = folder / name
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path} does not say what hamel does: run python/tools/stubs.py", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
