"""The contract: load, nv, neutral, linearize with A, B, acceleration; and what they mean."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from conftest import state

import hamel

EPS = np.finfo(float).eps


def test_contract(tmp_path):
    path = tmp_path / "robot.json"
    hamel.load("quadruped").save_json(path)
    robot = hamel.load(path)
    x = robot.linearize(robot.neutral(), np.zeros(robot.nv), np.zeros(robot.nv))
    assert (robot.nq, robot.nv) == (19, 18)
    assert x.A.shape == (36, 36) and x.B.shape == (36, 18) and x.acceleration.shape == (18,)
    assert np.allclose(x.acceleration[:3], [0, 0, -9.81])  # nothing holds it
    assert robot == hamel.load(str(path)) == hamel.load("quadruped")


def test_a_flow_agrees(robot):
    """A and B against central differences of the dynamics along q ⊕ z: h² and ε/h, 1e-8 of the largest entry."""
    q, v, _, tau = state(robot, 3)
    x = robot.linearize(q, v, tau)
    nv, h = robot.nv, 1e-5

    def rate(z, w):
        return robot.forward_dynamics(robot.integrate(q, z[:nv]), v + z[nv:], tau + w)

    steps, pushes = h * np.eye(2 * nv), np.eye(nv)  # ν̇ is linear in τ: a push may be large
    zero_z, zero_w = np.zeros(2 * nv), np.zeros(nv)
    D = np.stack([(rate(s, zero_w) - rate(-s, zero_w)) / (2 * h) for s in steps], -1)
    Minv = np.stack([(rate(zero_z, w) - rate(zero_z, -w)) / 2 for w in pushes], -1)
    for exact, difference in ((x.A[nv:], D), (x.B[nv:], Minv)):
        assert np.abs(exact - difference).max() <= 1e-7 * np.abs(exact).max()
    assert np.array_equal(x.Dq, x.A[nv:, :nv]) and np.array_equal(x.Dv, x.A[nv:, nv:])
    assert np.array_equal(x.Minv, x.B[nv:]) and not x.B[:nv].any()
    assert np.shares_memory(x.Dq, x.A) and np.shares_memory(x.Minv, x.B)


@pytest.mark.parametrize("representation", ["left", "right", "mixed", "split"])
@pytest.mark.parametrize("inputs", ["all", "actuated"])
def test_as_the_command(quadruped, representation, inputs, tmp_path):
    """The same numbers as the command, bit by bit: they are the same functions."""
    model, here, out = tmp_path / "m.json", tmp_path / "s.json", tmp_path / "x.json"
    quadruped.save_json(model)
    q, v, _, tau = state(quadruped, 4)
    joints = {
        j.name: {
            "position": q[j.q : j.q + j.nq].tolist(),
            "velocity": v[j.v : j.v + j.nv].tolist(),
            "force": tau[j.v : j.v + j.nv].tolist(),
        }
        for j in quadruped.joints
    }
    here.write_text(json.dumps({"joints": joints}))
    arguments = [
        "linearize",
        model,
        "--state",
        here,
        "--out",
        out,
        "--representation",
        representation,
        "--inputs",
        inputs,
    ]
    subprocess.run([str(hamel.command()), *map(str, arguments)], check=True)
    theirs = json.loads(out.read_text())
    loaded = quadruped.load_state(here)
    assert all(np.allclose(a, b, rtol=0, atol=2 * EPS) for a, b in zip(loaded, (q, v, tau)))  # quaternions made unit
    ours = quadruped.linearize(*loaded[:3], representation=representation, inputs=inputs)
    for name in ("A", "B", "acceleration"):
        assert np.array_equal(getattr(ours, name), np.array(theirs[name])), name
    assert list(ours.input_names) == theirs["input_names"]
    assert list(ours.velocity_names) == theirs["velocity_names"]


def test_actuated_columns_that_stand_apart():
    builder = hamel.Builder()
    for name, parent, actuated in (("a", None, True), ("b", "a", False), ("c", "b", True)):
        builder.add_body(name, parent, axis=[0, 1, 0], position=[1, 0, 0], mass=1, moment=np.eye(3), actuated=actuated)
    x = builder.build().linearize(np.zeros(3), np.zeros(3), inputs="actuated")
    assert x.input_names == ("a", "c")
    assert np.array_equal(x.B, np.vstack([np.zeros((3, 2)), x.Minv[:, [0, 2]]]))


def test_threads_and_batches(robot):
    """However the batch is cut: the same bits."""
    q, v, _, tau = state(robot, 5, 200)
    one = robot.linearize(q, v, tau, threads=1)
    for n in (2, 3, 7):
        many = robot.linearize(q, v, tau, threads=n)
        assert np.array_equal(one.A, many.A) and np.array_equal(one.B, many.B)
    part = robot.linearize(q[50:60], v[50:60], tau[50:60])
    assert np.array_equal(one.A[50:60], part.A)
    single = robot.linearize(q[7], v[7], tau[7])
    condition = np.linalg.cond(robot.mass_matrix(q[7]))  # M⁻¹ loses that much, in either arithmetic
    assert np.abs(one.A[7] - single.A).max() <= 64 * EPS * condition * np.abs(single.A).max()


def test_broadcasting(quadruped):
    """One configuration, many velocities; a grid of both."""
    q, v, _, tau = state(quadruped, 6, 4)
    fixed = quadruped.linearize(q[0], v)
    grid = quadruped.linearize(q[:, None], v[None], tau[0])
    assert fixed.A.shape == (4, 36, 36) and grid.A.shape == (4, 4, 36, 36) and grid.acceleration.shape == (4, 4, 18)
    alone = quadruped.linearize(q[2], v[3], tau[0])
    assert np.allclose(grid.A[2, 3], alone.A, rtol=1e-10, atol=1e-9)
    assert quadruped.linearize(np.zeros((0, 19)), np.zeros((0, 18))).A.shape == (0, 36, 36)


def test_bad_states_become_nan(quadruped):
    q, v, _, tau = state(quadruped, 7, 100)
    good = quadruped.linearize(q, v, tau, representation="mixed")
    q[17], v[40, 3] = 0, np.nan
    with pytest.raises(hamel.NotFiniteError, match="row 40"):
        quadruped.linearize(q, v, tau)
    x = quadruped.linearize(q, v, tau, errors="nan", representation="mixed")
    bad = np.isnan(x.A).all(axis=(1, 2))
    assert list(np.flatnonzero(bad)) == [17, 40]
    assert np.array_equal(x.A[~bad], good.A[~bad]) and np.isnan(x.acceleration[17]).all()
    v[40] = 0
    with pytest.raises(hamel.NotNormalizedError, match="row 17"):
        quadruped.linearize(q, v, tau)


def test_singular_names_the_joint():
    builder = hamel.Builder().add_body("arm", None, "revolute", axis=[0, 0, 1], mass=1, moment=np.eye(3))
    robot = builder.add_body("ghost", "arm", "prismatic", axis=[1, 0, 0]).build()
    builder = hamel.Builder().add_body("arm", axis=[0, 1, 0], mass=1, moment=np.eye(3))
    far = builder.add_body("far", "arm", axis=[0, 1, 0], position=[1e200, 0, 0], mass=1, moment=np.eye(3)).build()
    with pytest.raises(hamel.NotFiniteError, match="the mass matrix overflows"):
        far.linearize([0, 0], [0, 0])
    with pytest.raises(hamel.SingularError, match="nothing gives ghost any inertia"):
        robot.linearize([0, 0], [0, 0])
    assert list(robot.singular_coordinates([0, 0])) == [False, True]


def test_out(quadruped):
    q, v, a, tau = state(quadruped, 8)
    old = quadruped.linearize(q, v)
    A = old.A
    new = quadruped.linearize(q, a, tau, out=old)
    assert new is old and new.A is A and np.array_equal(A, quadruped.linearize(q, a, tau).A)
    with pytest.raises(hamel.InvalidArgumentError, match="another shape"):
        quadruped.linearize(np.stack([q, q]), v, out=old)
    with pytest.raises(TypeError, match="Linearization"):
        quadruped.linearize(q, v, out=np.empty((36, 36)))


def test_discretize(quadruped):
    """exp(h [A B; 0 0]) against its series, which converges at once for so small an h."""
    q, v, _, tau = state(quadruped, 9)
    x, h = quadruped.linearize(q, v, tau), 1e-4
    Ad, Bd = x.discretize(h)
    C = np.block([[x.A, x.B], [np.zeros((18, 54))]]) * h
    series = sum(np.linalg.matrix_power(C, k) / float(np.prod(range(1, k + 1))) for k in range(12))
    assert np.allclose(np.hstack([Ad, Bd]), series[:36], rtol=1e-12, atol=1e-12)


def test_labels(quadruped):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    q, v, _, tau = state(quadruped, 10)
    x = quadruped.linearize(q, v, tau, inputs="actuated")
    tables = x.to_pandas()
    assert isinstance(tables["A"], pandas.DataFrame)
    assert tables["A"].loc["v fl_knee", "q base.3"] == x.A[18 + quadruped.velocity_names.index("fl_knee"), 3]
    assert tables["B"].shape == (36, 12) and tables["acceleration"]["base.2"] == x.acceleration[2]
    batch = quadruped.linearize(np.stack([q, q]), v).to_xarray()
    assert isinstance(batch, xarray.Dataset) and batch.A.dims == ("sample", "row", "column")
    with pytest.raises(ValueError):
        quadruped.linearize(np.stack([q, q]), v).to_pandas()


def test_a_batch_of_one_is_a_batch(robot):
    """A row has the same bits in a batch of one, in a larger one, and however threads cut it."""
    q, v, tau, _ = state(robot, 11, 5)
    whole = robot.linearize(q, v, tau, threads=1)
    poses, moved = robot.body_poses(q), robot.integrate(q, 0.1 * v)
    for i in range(5):
        one = slice(i, i + 1)
        x = robot.linearize(q[one], v[one], tau[one])
        for a, b in ((x.A, whole.A), (x.B, whole.B), (x.acceleration, whole.acceleration)):
            assert a.shape[0] == 1 and a.tobytes() == np.ascontiguousarray(b[one]).tobytes()
        assert robot.body_poses(q[one]).tobytes() == poses[one].tobytes()
        assert robot.integrate(q[one], 0.1 * v[one]).tobytes() == moved[one].tobytes()
    cut = robot.linearize(q, v, tau, threads=5)
    assert cut.A.tobytes() == whole.A.tobytes() and cut.B.tobytes() == whole.B.tobytes()
    assert robot.body_poses(q, threads=5).tobytes() == poses.tobytes()
    nothing = robot.linearize(q[:0], v[:0])
    assert nothing.A.shape == (0, 2 * robot.nv, 2 * robot.nv)


@pytest.mark.parametrize("lead", [(2**62, 4), (4, 2**62), (2**32, 2**32), (2**63 - 1, 2), (-1,), (2,), (1,) * 9, (2**64,)])
def test_pickles_that_lie(quadruped, lead):
    """Leading dimensions whose product wraps around, or does not fit the block, are refused: no view beyond the block."""
    x = quadruped.linearize(quadruped.neutral(), np.zeros(quadruped.nv))
    make, arguments = x.__reduce__()
    model, block, _, *choices = arguments
    with pytest.raises((hamel.InvalidArgumentError, OverflowError)):
        make(model, block, lead, *choices)
    with pytest.raises((hamel.InvalidArgumentError, OverflowError)):
        make(model, block[:0].copy(), lead, *choices)
    assert np.array_equal(make(*arguments).A, x.A)


HOLDS = ["fl_foot", hamel.Hold("hr_foot", "plane")]


def kinds(model, q, v, tau, **options):
    """The three kinds of linearization at one state."""
    return (
        model.linearize(q, v, tau, **options),
        model.constrained_linearize(HOLDS, q, v, tau, **options),
        model.step_linearize(q, v, 0.01, tau, **options),
    )


@pytest.mark.parametrize("representation", ["left", "mixed"])
@pytest.mark.parametrize("inputs", ["all", "actuated"])
def test_one_kind_of_object(quadruped, representation, inputs):
    """What A and B are named, how they were asked for, and their eigenvalues: the same for all three."""
    control = pytest.importorskip("control")
    q, v, _, tau = state(quadruped, 5)
    for x in kinds(quadruped, q, v, tau, representation=representation, inputs=inputs):
        assert isinstance(x, hamel.Linearization) and x.model is quadruped
        assert (x.representation, x.inputs, x.side) == (representation, inputs, "local")
        assert len(x.state_names) == 36 == len(x.A)
        assert x.B.shape == (36, len(x.input_names)) == (36, 18 if inputs == "all" else 12)
        assert np.allclose(np.sort_complex(x.eigenvalues), np.sort_complex(np.linalg.eigvals(x.A)))
        system = x.to_control()
        assert isinstance(system, control.StateSpace) and np.array_equal(system.A, x.A) and np.array_equal(system.B, x.B)
        assert system.input_labels == [name.replace(".", "_") for name in x.input_names]
        assert representation in repr(x) and type(x).__name__ in repr(x)
        tables = x.to_pandas()
        assert tables["A"].loc["v fl_knee", "q fl_knee"] == x.A[x.state_names.index("v fl_knee"), x.state_names.index("q fl_knee")]
        assert set(x.to_xarray().data_vars) == set(tables)


def test_a_held_robot_and_a_step_in_discrete_time(quadruped):
    pytest.importorskip("control")
    q, v, _, tau = state(quadruped, 5)
    plain, held, step = kinds(quadruped, q, v, tau)
    for x in (plain, held):
        Ad, Bd = x.discretize(0.02)
        both = hamel.discretize(x.A, x.B, 0.02)
        assert np.array_equal(Ad, both[0]) and np.array_equal(Bd, both[1])
        assert x.to_control(0.02).dt == 0.02 and np.array_equal(x.to_control(h=0.02).A, Ad)
        assert np.allclose(sorted(abs(x.modes().eigenvalues)), sorted(abs(x.eigenvalues)), atol=1e-3)
    assert step.h == 0.01 and step.to_control().dt == 0.01
    with pytest.raises(hamel.UnsupportedError, match="discrete already"):
        step.discretize(0.02)
    with pytest.raises(hamel.UnsupportedError, match="discrete already"):
        step.to_control(0.02)
    with pytest.raises(hamel.UnsupportedError, match="continuous"):
        step.modes()
    with pytest.raises(AttributeError, match="it is a step"):
        step.acceleration
    with pytest.raises(AttributeError, match="Dtau"):
        held.Minv


def test_what_held_robots_and_steps_have_of_their_own(quadruped):
    """Arrays by name and, as the tuples they were, in order; pickle, batches, out."""
    q, v, _, tau = state(quadruped, 5, 4)
    held, step = quadruped.constrained_linearize(HOLDS, q, v, tau), quadruped.step_linearize(q, v, [0.01, 0.02, 0.03, 0.04], tau)
    assert held._fields[3:5] == ("force", "Dq") and len(held) == 10 and held[-1] is held.force_tau
    assert held.force.shape == (4, 4) and held.force_q.shape == (4, 4, 18)
    assert np.array_equal(held.Dq, held.A[:, 18:, :18]) and np.array_equal(held.Dtau, held.B[:, 18:])
    after_q, after_v, Ad, Bd = step
    assert after_q.shape == (4, 19) and after_v is step.v and Ad is step.A and Bd is step.B
    assert np.array_equal(step.h, [0.01, 0.02, 0.03, 0.04])
    assert np.allclose(quadruped.step(q[2], v[2], 0.03, tau[2]).q, step.q[2])
    for x in (held, step):
        again = pickle.loads(pickle.dumps(x))
        assert type(again) is type(x) and all(np.array_equal(a, b) for a, b in zip(again, x))
    old = held.force
    assert quadruped.constrained_linearize(HOLDS, q, v, 0 * tau, out=held) is held and held.force is old
    other = quadruped.constrained_linearize(["fl_foot"], q, v, tau)
    with pytest.raises(hamel.InvalidArgumentError, match="shape"):
        quadruped.constrained_linearize(HOLDS, q, v, tau, out=other)
    with pytest.raises(TypeError, match="out is a hamel.StepLinearization"):
        quadruped.step_linearize(q, v, 0.01, tau, out=held)
    with pytest.raises(IndexError):
        step[4]
    with pytest.raises(hamel.InvalidArgumentError):
        hamel.Linearization._make(quadruped, np.zeros(5), (4,), 0, 0, 0, 2, 0, 0.01)
    with pytest.raises(hamel.InvalidArgumentError):
        hamel.Linearization._make(quadruped, np.zeros(5), (4,), 0, 0, 0, 7, 0, None)
