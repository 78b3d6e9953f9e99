"""hamel.control.modes and Model.modes against closed forms, and against ranks of Kalman's matrices."""

import numpy as np
import pytest

import hamel
from hamel import control

FEET = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"]


def settled(robot):
    q, still = robot.neutral(), np.zeros(robot.nv)
    return q, robot.inverse_dynamics(q, still, still)


def distance(found, wanted):
    """Of two sets of eigenvalues: the largest step of a greedy pairing"""
    left, worst = list(wanted), 0.0
    assert len(found) == len(left)
    for x in found:
        i = int(np.argmin([abs(x - y) for y in left]))
        worst = max(worst, abs(x - left.pop(i)))
    return worst


def consistent(x):
    """What every answer fulfils: dual bases that A maps into themselves, shares that sum to one, all eigenvalues"""
    right = np.concatenate([m.right for m in x] + [m.right.conj() for m in x if m.eigenvalue.imag], axis=1)
    left = np.concatenate([m.left for m in x] + [m.left.conj() for m in x if m.eigenvalue.imag])
    assert right.shape[1] == len(x.eigenvalues) == len(x.A)
    size = np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=0)
    assert (np.abs(left @ right - np.eye(len(x.A))) <= 1e-13 * np.maximum(size, 100)).all()
    assert np.allclose(x.shares.sum(axis=1), 1) and (x.shares >= 0).all() and x.shares.shape == (len(x), len(x.names))
    assert len(str(x).splitlines()) == 1 + len(x)


def test_double_pendulum():
    """Two point masses on strings of the same length: ω² = (2 ∓ √2) g / l, and the masses move as 1 : ±√2"""
    l, g = 0.7, 9.81
    body = {"axis": [0, 1, 0], "mass": 1.3, "com": [0, 0, -l], "moment": np.zeros((3, 3))}
    builder = hamel.Builder().add_body("upper", joint="shoulder", **body)
    robot = builder.add_body("lower", "upper", joint="elbow", position=[0, 0, -l], **body).build().with_gravity([0, 0, -g])
    x = robot.modes([0, 0], actuated=["elbow"])
    consistent(x)
    wanted = np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * g / l)
    assert np.allclose([m.frequency for m in x], wanted / (2 * np.pi), rtol=1e-13)
    for mode, ratio in zip(x, (np.sqrt(2), -np.sqrt(2))):
        angles = mode.right[:2, 0]
        assert np.allclose((angles[0] + angles[1]) / angles[0], ratio, rtol=1e-12)  # the lower angle against the vertical
        assert mode.kind == "undamped" and mode.damping == 0 and mode.time_constant == np.inf and not mode.stable
        assert mode.controllable and mode.reach > 0.01
    assert x.names == ("shoulder", "elbow") and x.state_names == ("q shoulder", "q elbow", "v shoulder", "v elbow")


def test_spinning_satellite():
    """A free body that is round about its axis of spin. Seen in the body, directions turn with Ω and nutate with Ω (C − A)/A; a
    drift across the axis is t exp(iΩt); along the axis position and velocity, angle and spin are double integrators."""
    spin, across, along = 2.0, 3.0, 4.5
    body = hamel.Builder().add_body("hull", type="free", joint="base", mass=10.0, moment=np.diag([across, across, along]))
    robot = body.build().with_gravity([0, 0, 0])
    x = robot.modes(robot.neutral(), [0, 0, 0, 0, 0, spin])
    consistent(x)
    rest, nutation, turn = x
    assert (rest.multiplicity, rest.chain, rest.kind) == (4, 2, "integrator")
    assert nutation.frequency == pytest.approx(spin * (along - across) / across / (2 * np.pi), rel=1e-13)
    assert (nutation.multiplicity, nutation.kind) == (1, "undamped")
    assert turn.eigenvalue == pytest.approx(1j * spin, rel=1e-12)
    assert (turn.multiplicity, turn.chain, turn.kind) == (3, 2, "undamped")
    assert np.allclose(rest.participation, np.tile([0, 0, 0.25, 0, 0, 0.25], 2), atol=1e-12)
    assert [m.unreachable for m in x] == [4, 1, 3]  # it has no motor
    assert all(m.controllable for m in robot.modes(robot.neutral(), [0, 0, 0, 0, 0, spin], actuated=["base"]))


def test_hovering_drone():
    """A rigid drone whose thrust keeps its weight: sideways, a tilt becomes a force, so that four integrators stand in a row"""
    robot = hamel.Builder().add_body("hull", type="free", joint="base", mass=2.0, moment=np.diag([1.0, 2, 3])).build()
    q, tau = settled(robot)
    (mode,) = x = robot.modes(q, tau=tau, actuated=[False, False, True, True, True, True])
    consistent(x)
    assert (mode.eigenvalue, mode.multiplicity, mode.chain, mode.kind) == (0, 12, 4, "integrator")
    assert mode.controllable  # thrust and three moments move it all
    (mode,) = robot.modes(q, tau=tau, actuated=[False, False, False, True, True, True])
    assert mode.unreachable == 2 and not mode.controllable and mode.reach == 0  # height and its rate
    robot = hamel.load("drone_arm")
    q, tau = settled(robot)
    x = robot.modes(q, tau=tau, actuated=np.ones(robot.nv, dtype=bool))
    consistent(x)
    assert (x[0].multiplicity, x[0].chain) == (13, 4) and all(m.controllable for m in x)


def kalman_rank(A, B):
    """The dimension of what the inputs reach, by growing an orthonormal basis"""
    basis, new = np.zeros((len(A), 0)), B
    while new.shape[1]:
        for _ in range(2):
            new = new - basis @ (basis.T @ new)
        U, s, _ = np.linalg.svd(new, full_matrices=False)
        new = U[:, s > 1e-8]
        basis = np.concatenate([basis, new], axis=1)
        new = A @ new / np.linalg.norm(A, 2)
    return basis.shape[1]


def unreachable(robot, q, x):
    """How many directions are out of reach, with all modes at once"""
    factor = np.kron(np.eye(2), np.linalg.cholesky(robot.mass_matrix(q)).T)
    A, B = factor @ x.A @ np.linalg.inv(factor), factor @ x.B
    return 2 * robot.nv - kalman_rank(A, B / np.linalg.norm(B, axis=0))


def counted(x):
    assert all(m.controllable == (m.reach > 0) for m in x)
    return sum(m.unreachable * (2 if m.eigenvalue.imag else 1) for m in x)


@pytest.mark.parametrize("name", hamel.builtin_names())
def test_every_robot(name):
    robot = hamel.load(name)
    q, tau = settled(robot)
    x = robot.modes(q, tau=tau)
    consistent(x)
    assert counted(x) == unreachable(robot, q, x)
    for m in x:
        block = np.linalg.lstsq(m.right, x.A @ m.right, rcond=None)[0]  # A on the subspace of the mode
        assert np.abs(x.A @ m.right - m.right @ block).max() < 1e-9 * np.abs(m.right).max() * np.abs(x.A).max()
        power = np.linalg.matrix_power(block - m.eigenvalue * np.eye(m.multiplicity), m.chain)
        assert np.abs(power).max() < 1e-7 * np.abs(x.A).max() ** m.chain
    fast = [z for z in x.eigenvalues if abs(z) > 0.1]  # numpy splits a chain of four zeros into values of 1e-4
    assert distance(fast, [z for z in np.linalg.eigvals(x.A) if abs(z) > 0.1]) < 1e-7 * np.abs(fast).max()


def test_random_robots_at_rest_and_in_motion():
    lost = []
    for seed in range(1, 31):
        robot = hamel.random_model(seed=seed, nbodies=2 + seed % 12)
        q, rng = robot.random(seed), np.random.default_rng(seed)
        for v in (np.zeros(robot.nv), rng.normal(size=robot.nv)):
            x = robot.modes(q, v, robot.inverse_dynamics(q, v, np.zeros(robot.nv)))
            consistent(x)
            lost.append(unreachable(robot, q, x))
            assert counted(x) == lost[-1]
            large = [z for z in x.eigenvalues if abs(z) > 0.2]
            assert distance(large, [z for z in np.linalg.eigvals(x.A) if abs(z) > 0.2]) < 1e-6 * max(map(abs, large), default=1)
    assert min(lost) < max(lost)


def test_who_carries_the_energy():
    """A drone's arm: each share by the Jacobian of the body, and of the whole by the mass matrix"""
    robot = hamel.load("drone_arm", passive=False)
    q = robot.neutral()
    z = robot.modes(q, tau=robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv)))
    assert z.body_names[0] == "airframe" and len(z.body_names) == robot.nbodies
    whole = robot.mass_matrix(q)
    for mode in z:
        assert mode.energy.shape == (robot.nbodies,) and abs(mode.energy.sum() - 1) < 1e-12 and (mode.energy >= 0).all()
        w = mode.right[robot.nv :] if mode.eigenvalue else mode.right[: robot.nv]
        if mode.multiplicity > 1:
            continue
        for body, share in enumerate(mode.energy):
            info = robot.bodies[body]
            V = robot.frame(info.name, q, representation="left").J @ w
            v = V[:3] + np.cross(V[3:].T, info.com).T
            here = info.mass * np.vdot(v, v) + np.vdot(V[3:], info.moment @ V[3:])
            assert abs(here.real / np.vdot(w, whole @ w).real - share) < 1e-9


def test_standing_quadruped():
    """The modes of the coordinates that the feet leave, seen in the joints: they keep the feet where they are"""
    robot = hamel.load("quadruped")
    q, still = robot.neutral(), np.zeros(robot.nv)
    q[7:] = np.tile([0.1, 0.8, -1.4], 4)
    tau = robot.constrained_inverse_dynamics(FEET, q, still, still).tau
    x = robot.modes(q, tau=tau, hold=FEET)
    consistent(x)
    small = robot.constrained_reduce(FEET, q, still, tau)
    assert distance(x.eigenvalues, np.linalg.eigvals(small.A)) < 1e-10 * np.abs(x.eigenvalues).max()
    assert all(m.controllable for m in x) and len(x.state_names) == 36
    whole = robot.constrained_linearize(FEET, q, still, tau)
    for m in x:
        assert m.right.shape == (36, m.multiplicity)
        moved = whole.A @ m.right - m.eigenvalue * m.right if m.multiplicity == 1 else np.zeros(1)
        assert np.abs(moved).max() < 1e-9 * np.abs(whole.A).max() * np.abs(m.right).max()
    assert str(robot.modes(q, tau=tau, holds=[hamel.Hold(f, "point") for f in FEET])) == str(x)
    held = robot.modes(q, tau=tau, hold=FEET, actuated=["fl_knee"])
    assert len(held) == len(x) and all(a.eigenvalue == b.eigenvalue for a, b in zip(held, x))


def test_pendulum_that_nothing_reaches():
    """Two swings on a wall: the motor of one does not move the other; equal ones are one mode that is half reachable"""

    def swings(length):
        builder = hamel.Builder()
        for name, l in (("left", 1.0), ("right", length)):
            builder.add_body(name, joint=name, axis=[0, 1, 0], mass=1.0, com=[0, 0, -l], moment=1e-3 * np.eye(3))
        return builder.build()

    right, left = swings(0.5).modes([0, 0], actuated=["left"])[::-1]
    assert left.controllable and not right.controllable
    assert np.allclose(right.participation, [0, 0.5, 0, 0.5]) and right.reach == 0
    (both,) = swings(1.0).modes([0, 0], actuated=["left"])
    assert (both.multiplicity, both.unreachable, both.controllable) == (2, 1, False)
    assert "not 1 of 2" in str(swings(1.0).modes([0, 0], actuated=["left"]))
    floating = hamel.Builder().add_body("hull", type="free", joint="base", mass=5.0, moment=np.eye(3))
    floating.add_body("arm", "hull", joint="hinge", axis=[0, 1, 0], mass=1.0, com=[0.3, 0, -1], moment=0.1 * np.eye(3))
    robot = floating.build().with_gravity([0, 0, 0])
    (mode,) = robot.modes(robot.neutral(), actuated=["hinge"])
    assert (mode.multiplicity, mode.unreachable) == (14, 12)  # momenta, and where they lead
    (mode,) = robot.modes(robot.neutral(), actuated=["base"])
    assert (mode.multiplicity, mode.unreachable) == (14, 2)  # the passive arm cannot be told from the whole body


def test_by_hand():
    """Jordan blocks, units, outputs and names"""
    block = np.array([[-2.0, 1, 0], [0, -2, 1], [0, 0, -2]])
    (mode,) = control.modes(block, [[1], [0], [0]], [[1, 0, 0]])
    assert mode.eigenvalue == pytest.approx(-2, abs=1e-12) and (mode.multiplicity, mode.chain, mode.kind) == (3, 3, "decay")
    assert (mode.unreachable, mode.unseen) == (2, 0) and mode.observable and mode.sight > 0 and mode.stable
    assert mode.time_constant == pytest.approx(0.5) and mode.damping == pytest.approx(1)
    rng = np.random.default_rng(4)
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    inner = np.zeros((6, 6))
    inner[:3, :3], inner[3:5, 3:5], inner[5, 5] = block, [[-0.3, 4], [-4, -0.3]], 0.5
    B, C = np.array([[0, 0, 1, 0, 0, 1.0]]).T, np.array([[0, 1.0, 0, 1, 0, 0]])
    unit = 10.0 ** rng.uniform(-1, 1, 6)
    for units in (np.ones(6), unit):
        x = control.modes((turn @ inner @ turn.T) * units[:, None] / units, turn @ B * units[:, None], C @ turn.T / units)
        consistent(x)
        assert [(m.kind, m.multiplicity, m.unreachable, m.unseen) for m in x] == [
            ("unstable", 1, 0, 1),
            ("decay", 3, 0, 1),
            ("oscillation", 1, 1, 0),
        ]
        assert x[1].chain == 3 and x[1].eigenvalue == pytest.approx(-2, abs=1e-10)
    assert x[2].frequency == pytest.approx(4 / (2 * np.pi)) and x[2].damping == pytest.approx(0.3 / np.hypot(4, 0.3))
    plain = control.modes([[0.0, 1], [-9, 0]], names=["position", "speed"])
    assert plain[0].controllable is None and plain[0].observable is None and "reach" not in str(plain)
    assert "position 50%, speed 50%" in str(plain) and [m.kind for m in plain] == ["undamped"]
    assert [m.kind for m in control.modes(np.zeros((2, 2)))] == ["integrator"]


def test_what_is_refused():
    with pytest.raises(hamel.InvalidArgumentError, match="not square"):
        control.modes(np.zeros((2, 3)))
    with pytest.raises(hamel.InvalidArgumentError, match="B has 3 rows"):
        control.modes(np.eye(2), np.zeros((3, 1)))
    with pytest.raises(hamel.InvalidArgumentError, match="C has 3 columns"):
        control.modes(np.eye(2), C=np.zeros((1, 3)))
    with pytest.raises(hamel.InvalidArgumentError, match="names has 1 "):
        control.modes(np.eye(2), names=["x"])
    with pytest.raises(hamel.InvalidArgumentError, match="one matrix"):
        control.modes(np.zeros((1, 2, 2)))
    with pytest.raises(hamel.NotFiniteError):
        control.modes([[np.nan]])
    for tolerance in (np.nan, -1e-9, 1.0):
        with pytest.raises(hamel.InvalidArgumentError, match="tolerance is a number"):
            control.modes(np.eye(2), tolerance=tolerance)
    robot = hamel.load("pendulum")
    with pytest.raises(hamel.InvalidArgumentError, match="one state"):
        robot.modes([[0.0], [1.0]])
    with pytest.raises(hamel.InvalidArgumentError, match="no joint 'nobody'"):
        robot.modes([0.0], actuated=["nobody"])


def test_a_robot_that_is_held_altogether_has_no_modes():
    robot = hamel.load("pendulum")
    x = robot.modes([0.3], hold=[robot.frames[-1].name])
    assert len(x) == 0 and x.shares.shape == (0, 1) and x.eigenvalues.shape == (0,) and len(str(x).splitlines()) == 1


def test_the_base_in_words(quadruped):
    q, tau = settled(quadruped)
    table = quadruped.modes(q, tau=tau).table(most=18)
    assert "base.vz" in table and "base.wx" in table and "base.2" not in table
    pair = control.modes(np.diag([-1.0, -2.0]), names=["ball.5", "arm.tip.5"])
    assert "ball.wz" in str(pair) and "arm.tip.wz" in str(pair)
    assert "ball.2" in str(control.modes(np.diag([-1.0, -2.0]), names=["ball.2", "x.50"]))  # three coordinates
