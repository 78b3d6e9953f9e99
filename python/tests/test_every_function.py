"""Every function of every table: the documented shapes come out, and a batch is its rows.

A row of a batch goes through the same C function as a single call, or through a kernel for packs that may contract
products into sums where the scalar one does not: 1e-12 of the largest entry covers the longest chains here.
"""

import re

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import _core

# a free base and one-coordinate joints: nothing in the library refuses it
BUILDER = hamel.Builder(model=hamel.load("nine")).add_actuator("motor", "revolute_x", gear=2.0)
ROBOT = BUILDER.add_actuator("jet", frame="ball", gear=[0, 0, 1, 0, 0, 0.1]).build()
GROUP = hamel.Subgroup("SE(2)")
N = 5
TOLERANCE = 1e-12
OPAQUE = "DirectionalPoint"  # its first entry is memory of the library's own, parts of which mean nothing


def functions():
    for name, value in vars(_core).items():
        if isinstance(value, type(re)):
            for f in vars(value).values():
                if callable(f):
                    yield pytest.param(f, id=f"{name}.{f.__name__}")
    for owner in (ROBOT, GROUP):
        for name in sorted(vars(type(owner))):
            if "\n    → " in (getattr(owner, name).__doc__ or "") and not name.startswith("_"):
                yield pytest.param(getattr(owner, name), id=f"{type(owner).__name__}.{name}")
    for f in (
        hamel.discretize,
        hamel.newton_euler,
        hamel.newton_euler_com,
        hamel.newton_euler_frame,
        hamel.reconstruct,
    ):
        yield pytest.param(f, id=f.__name__)


def inputs(function):
    """(name, shape after the leading dimensions) of what goes in."""
    return re.findall(r"^    (\w+)  (\(.*\)|.*)", function.__doc__.split("    →")[0], re.M)


def size_of(word):
    sizes = {"nq": ROBOT.nq, "nv": ROBOT.nv, "nbodies": ROBOT.nbodies, "nframes": ROBOT.nframes, "m": 3, "n": 5}
    sizes |= {"inputs": 2, "k": 3, "coordinates": ROBOT.nv, "their nq": ROBOT.nq, "their nv": ROBOT.nv}
    sizes["rows"] = 7
    sizes["nactuators"] = len(ROBOT.actuators)
    sizes["freedom"] = ROBOT.nv - 7
    sizes["nx"] = ROBOT.nq - 1  # Euler angles for the quaternion of its base
    sizes["point"] = len(ROBOT.directional_update(ROBOT.neutral(), np.zeros(ROBOT.nv)).point)
    factor, name = re.fullmatch(r" *(?:(\d+) ?)?(.*)", word).groups()
    return int(factor or 1) * (sizes[name] if name else 1)


def draw(function, name, shape, rng):
    """N values for an argument: whatever the function will take under that name."""
    dims = tuple(size_of(d) for d in re.findall(r"[\w ]*\w", shape))
    turns = rng.uniform(-1, 1, (N, 6))
    owner = function.__self__
    where = getattr(owner, "__name__", type(owner).__name__).split(".")[-1]
    if name == "matrix" and where == "Subgroup":
        return GROUP.hat(turns[:, :3])
    if dims == (4, 4) and name not in ("matrix", "I"):
        group = where == "Subgroup"
        return GROUP.exp(turns[:, :3]) if group else hamel.se3.exp(turns)
    if dims == (3, 3) and (name in ("matrix", "C", "R") or where == "matrix"):
        return hamel.so3.exp(turns[:, :3]) if name != "rate" else owner.rate(hamel.so3.exp(turns[:, :3]), turns[:, 3:])
    if where == "angle_axis" and dims == (4,) and name in ("a", "b"):
        return hamel.rotvec.to_angle_axis(turns[:, :3])
    if dims == (4,) and name in ("quat", "a", "b"):
        return hamel.rotvec.to_quat(turns[:, :3])
    if name == "angle_axis":
        return hamel.rotvec.to_angle_axis(turns[:, :3])
    if name == "rate" and where not in ("point", "Model"):
        return owner.rate(draw(function, *inputs(function)[0], rng), turns[:, :3])
    if name in ("q", "q0", "q1", "q2", "q_next", "qdot") and dims == (ROBOT.nq,):
        return ROBOT.random(int(rng.integers(1 << 30)), N)
    if name == "q" and "their" in shape:
        return ROBOT.to_layout(ROBOT.random(1, N)).q
    if name == "point" and dims != (3,):
        q, v, tau, _ = state(ROBOT, 3, N)
        return ROBOT.directional_update(q, v, tau).point
    if name == "I":
        return hamel.inertia.matrix(draw(function, "inertia", "(…, 10)", rng))
    if dims == (10,):
        return np.tile([2.0, 0.2, 0.1, -0.1, 1.1, 0.01, 0.02, 1.2, 0.03, 1.3], (N, 1)) * rng.uniform(1, 2, (N, 1))
    if name in ("M", "spatial_inertia", "L", "S", "moment"):
        M = rng.uniform(-1, 1, (N, *dims))
        M = M @ M.swapaxes(-1, -2) + dims[-1] * np.eye(dims[-1])
        return np.tril(M) if name == "L" else M
    if name == "u" and where == "quat":
        return rng.uniform(0, 1, (N, 3))
    if name == "length":
        return rng.uniform(0, 1, N)
    if name == "tolerance":
        return np.full(N, 1e-6)
    if name == "times":
        return np.tile(np.arange(dims[0]) / 10, (N, 1))
    return rng.uniform(0.1, 1, (N, *dims))


def arguments(function):
    rng = np.random.default_rng(11)
    batched, fixed = {}, {}
    for name, shape in inputs(function):
        if shape.startswith("(…"):
            batched[name] = draw(function, name, shape, rng)
        elif name in ("frame", "link"):
            fixed[name] = ROBOT.frames[-1].name
        elif name == "holds":
            fixed[name] = [hamel.Hold(0), hamel.Hold(ROBOT.frames[-1].name, "plane")]
        elif name == "frames":
            fixed[name] = np.arange(size_of("k"))
        elif name == "others":
            fixed[name] = np.full(size_of("k"), -1)
        elif name == "parents":
            fixed[name] = np.arange(-1, size_of("n") - 1)
        elif name == "prescribed":
            fixed[name] = np.arange(ROBOT.nbodies) % 2
        elif name == "indices":
            fixed[name] = [1, 0]
        elif name == "column":
            fixed[name] = 2
    if function.__name__ == "constrained_reduce":  # takes velocities that keep the holds
        batched["v"] = ROBOT.constrained_impulse(fixed["holds"], batched["q"], batched["v"]).v
    return batched, fixed


def rows(result):
    if type(result) is hamel.Linearization:
        return result.A, result.B, result.acceleration
    if isinstance(result, hamel.Linearization):
        return tuple(result)
    return result if isinstance(result, tuple) else (result,)


def documented(function):
    text = function.__doc__.split("    →", 1)[1]
    return re.findall(r"(\w+)  \(…(.*?)\)", text)


@pytest.mark.parametrize("function", functions())
def test_a_batch_is_its_rows(function):
    batched, fixed = arguments(function)
    result = function(**batched, **fixed)
    together = rows(result)
    assert len(together) == len(documented(function))
    for whole, (name, shape) in zip(together, documented(function)):
        dims = re.findall(r"[\w ]*\w", shape)
        if "6 (njoints" not in shape and name not in ("dpose", "dJ"):
            assert whole.shape == (N, *map(size_of, dims)), name
        if type(result).__name__ != OPAQUE:
            assert np.isfinite(whole).all(), name
    for i in range(N):
        alone = rows(function(**{name: x[i] for name, x in batched.items()}, **fixed))
        for k, (whole, one) in enumerate(zip(together, alone)):
            if k == 0 and type(result).__name__ == OPAQUE:
                continue
            assert np.abs(whole[i] - one).max(initial=0) <= TOLERANCE * max(1, np.abs(whole[i]).max(initial=0))


@pytest.mark.parametrize("function", functions())
def test_out_is_used(function):
    batched, fixed = arguments(function)
    wanted = function(**batched, **fixed)
    if isinstance(wanted, hamel.Linearization):
        out = function(**batched, **fixed)
        out.A[...] = 0
    else:
        out = tuple(np.empty_like(x) for x in rows(wanted)) if isinstance(wanted, tuple) else np.empty_like(wanted)
    got = function(**batched, **fixed, out=out)
    for k, (a, b, given) in enumerate(zip(rows(got), rows(wanted), rows(out))):
        assert a is given
        assert np.array_equal(a, b) or (k == 0 and type(got).__name__ == OPAQUE)


@pytest.mark.parametrize("function", functions())
@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_not_finite_is_refused(function, poison):
    """In every argument of every function, and the message says where. A screw's pitch may be infinite,
    a directional point is opaque."""
    batched, fixed = arguments(function)
    for name, values in batched.items():
        poisoned = values.copy()
        poisoned.reshape(N, -1)[2, -1] = poison
        if (name == "pitch" and poison == np.inf) or (name == "point" and values.shape != (N, 3)):
            continue
        with pytest.raises(hamel.NotFiniteError, match=f"row 2: {name} holds NaN or infinity"):
            function(**{**batched, name: poisoned}, **fixed)
