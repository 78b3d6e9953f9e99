"""The Kindr cheat sheet: rotations of every kind, coordinates, points that move, Hessians, other velocities.

The C tests have the proofs; here plain NumPy checks that names, shapes, sides and signs arrive as documented.
Tolerances: a handful of products of numbers of size one, 1e-13; differences say theirs.
"""

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import angle_axis, euler_xyz, euler_zyx, matrix, point, quat, rotvec, se3, so3, substitute

KINDS = {
    "matrix": matrix,
    "quat": quat,
    "angle_axis": angle_axis,
    "rotvec": rotvec,
    "euler_zyx": euler_zyx,
    "euler_xyz": euler_xyz,
}


def close(a, b, tolerance=1e-13):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))


def of(kind, C):
    return C if kind == "matrix" else getattr(matrix, f"to_{kind}")(C)


def to(kind, x):
    return x if kind == "matrix" else KINDS[kind].to_matrix(x)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["local", "global"])
def test_operations(kind, side):
    module = KINDS[kind]
    A, B = so3.exp(np.random.default_rng(1).uniform(-1, 1, (2, 3)))
    a, b, v = of(kind, A), of(kind, B), np.array([0.3, -0.5, 0.2])
    E = so3.exp(v)
    close(to(kind, module.compose(a, b)), A @ B)
    close(to(kind, module.invert(a)), A.T)
    close(module.rotate(a, v), A @ v)
    close(to(kind, module.boxplus(a, v, side)), A @ E if side == "local" else E @ A)
    close(module.boxminus(module.boxplus(a, v, side), a, side), v)
    close(to(kind, module.slerp(a, b, 0.25)), A @ so3.exp(0.25 * so3.log(A.T @ B)))
    Dx, Dv = module.boxplus_derivatives(a, v, side)
    close(Dx, E.T if side == "local" else E)
    close(Dv, so3.dexp_right(v) if side == "local" else so3.dexp_left(v))
    d = module.boxminus(a, b, side)
    Da, Db = module.boxminus_derivatives(a, b, side)
    close(Da @ (so3.dexp_right(d) if side == "local" else so3.dexp_left(d)), np.eye(3))
    close(Db @ (so3.dexp_left(d) if side == "local" else so3.dexp_right(d)), -np.eye(3))
    Da, Db, Dt = module.slerp_derivatives(a, b, 1.0, side)
    close(Da, np.zeros((3, 3)))
    close(Db, np.eye(3))
    close(Dt, module.boxminus(b, a, side))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["local", "global"])
def test_rate_matrices(kind, side):
    module = KINDS[kind]
    x, w = of(kind, so3.exp([0.3, 0.4, -0.5])), np.array([0.7, -0.2, 0.4])
    E, F = module.E(x, side), module.F(x, side)
    close(E @ F, np.eye(3))
    close((F @ w).reshape(np.shape(x)), module.rate(x, w, side))
    close(E @ module.rate(x, w, side).reshape(-1), w)


def test_signs():
    assert np.array_equal(quat.compose([0, 1, 0, 0], [0, 1, 0, 0]), [-1, 0, 0, 0])
    assert np.array_equal(quat.invert([-1.0, 0, 0, 0]), [-1, 0, 0, 0])
    assert np.array_equal(quat.unique([-1.0, 0, 0, 0]), [1, 0, 0, 0])
    turn = quat.boxplus([1, 0, 0, 0], [0, 0, 2 * np.pi])
    close(turn, [-1, 0, 0, 0])
    a, b = rotvec.to_quat([[0.1, 0.2, 0.3], [3.0, 0.4, 0.5]])
    close(quat.slerp(-a, b, 0.0), -a)


def test_integrate_is_the_local_boxplus():
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 5, 50)
    v = 3 * v
    moved = robot.integrate(q, v)
    close(moved[:, 3:7], quat.boxplus(q[:, 3:7], v[:, 3:6]), 1e-14)
    assert (moved[:, 3] < 0).any()


def test_coordinates():
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 7)
    for kind in KINDS:
        x = robot.coordinates(q, kind)
        close(robot.difference(q, robot.from_coordinates(x, kind)), np.zeros(robot.nv), 1e-12)
        F = robot.coordinates_rate_matrix(x, kind)
        back = robot.coordinates_velocity_matrix(x, kind)
        close(back @ F, np.eye(robot.nv), 1e-12)
        h = 1e-6
        rate = (robot.coordinates(robot.integrate(q, h * v), kind) - robot.coordinates(robot.integrate(q, -h * v), kind)) / (
            2 * h
        )
        close(F @ robot.velocity_to(q, v, "split"), rate, 1e-7)  # h² and ε/h
    # Kindr's q̇ = F u
    F = robot.coordinates_rate_matrix(robot.coordinates(q, "quat"), "quat")
    close(F[:3, :3], np.eye(3))
    close(F[3:7, 3:6], quat.velocity_matrix(quat.unique(q[3:7])).T / 2)


def test_points_that_move():
    V, a, rate = np.array([1.0, 2, 3, 0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]), np.array([-1.0, 0, 2])
    H = se3.exp([1, 2, 3, 0.3, 0.2, 0.1])
    close(point.velocity(H, V, a, rate), H[:3, :3] @ (V[:3] + np.cross(V[3:], a) + rate))
    close(point.velocity(H, V, a), H[:3, :3] @ (V[:3] + np.cross(V[3:], a)))
    extra = point.acceleration(H, V, V, a, rate, a) - point.acceleration(H, V, V, a)
    close(extra, H[:3, :3] @ (2 * np.cross(V[3:], rate) + a))
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 2)
    frame = robot.frames[-1].name
    fixed, moving = robot.point(frame, a, q, v), robot.point(frame, a, q, v, rate=rate)
    R = robot.frame(frame, q).pose[:3, :3]
    close(moving.velocity - fixed.velocity, R @ rate, 1e-12)
    close(moving.J, fixed.J)


@pytest.mark.parametrize("base", ["left", "right", "mixed", "split"])
def test_hessians(base):
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 3)
    frame, u = robot.frames[-1].name, robot.velocity_to(q, v, base)
    H = robot.frame_hessian(frame, q, "mixed", base)
    m = robot.frame(frame, q, v, representation="mixed")
    Jdot = robot.jacobian_to(q, v, m.J, m.Jdot, base).Jdot
    close(np.einsum("krc,k->rc", H, u), Jdot, 1e-11)
    close(robot.point_hessian(frame, [0, 0, 0], q, base), H[:, :3], 1e-11)


def test_generalized_force():
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 4)
    frame, f, p = robot.frames[-1].name, np.array([1.0, -2, 3, 0.4, 0.5, -0.6]), np.array([0.1, 0.2, -0.3])
    tau = robot.generalized_force(frame, f, q, p)
    J, R = robot.point(frame, p, q).J, robot.frame(frame, q, representation="mixed").J[3:]
    close(tau, J.T @ f[:3] + R.T @ f[3:], 1e-12)
    for representation in ("right", "mixed", "split"):
        there = robot.generalized_force(frame, f, q, p, representation=representation)
        close(there @ robot.velocity_to(q, v, representation), tau @ v, 1e-12)
    C = robot.frame(frame, q).pose[:3, :3]
    local = np.concatenate([C.T @ f[:3], C.T @ f[3:]])
    close(robot.generalized_force(frame, local, q, p, axes="frame"), tau, 1e-12)
    frames, forces = [len(robot.frames) - 1, 0, 5], np.random.default_rng(3).normal(size=(3, 6))
    apart = [robot.generalized_force(i, w, q) for i, w in zip(frames, forces)]
    close(robot.generalized_forces(frames, forces, q), sum(apart), 1e-12)
    points = np.array([p, 2 * p, 0 * p])
    apart = [robot.generalized_force(i, w, q, x, "frame") for i, w, x in zip(frames, forces, points)]
    close(robot.generalized_forces(frames, forces, q, points, "frame"), sum(apart), 1e-12)
    with pytest.raises(hamel.Error):
        robot.generalized_forces([0, 1000], forces[:2], q)


def test_substitute():
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 6)
    B = np.linalg.inv(robot.velocity_to(q, np.eye(robot.nv), "mixed").T)
    M, h = robot.mass_matrix(q), robot.bias(q, v)
    u = robot.velocity_to(q, v, "mixed")
    close(substitute.velocity(B, u), v, 1e-12)
    a = np.arange(robot.nv) / 10
    udot = robot.acceleration_to(q, v, a, "mixed")
    # Ḃ u = ν̇ − B u̇: whatever it is, both sides of the equation must agree
    Bdot = np.outer(a - B @ udot, u) / (u @ u)
    close(substitute.acceleration(B, u, udot, Bdot), a, 1e-11)
    M2, h2 = substitute.dynamics(B, u, M, h, Bdot)
    close(M2, robot.dynamics_to(q, v, M, h, "mixed").M, 1e-11)
    close(h2, robot.dynamics_to(q, v, M, h, "mixed").h, 1e-10)
    close(substitute.force(B, a), robot.force_to(q, a, "mixed"), 1e-11)
    m = robot.frame(robot.frames[-1].name, q, v)
    close(substitute.jacobian(B, m.J).J, robot.jacobian_to(q, v, m.J, representation="mixed").J, 1e-11)
    assert substitute.jacobian(B, m.J).Jdot is None


def rod():
    """Along x, 3 kg, with its ends at ±0.7 m."""
    builder = hamel.Builder()
    builder.add_body("rod", None, "free", joint="base", mass=3.0, moment=np.diag([0.1, 0.4, 0.4]))
    builder.add_frame("left", "rod", position=[-0.7, 0, 0])
    builder.add_frame("right", "rod", position=[0.7, 0, 0])
    return builder.build()


def test_contacts_push_and_never_pull():
    robot = rod()
    holds = [hamel.Hold("left", "touch"), hamel.Hold("right", "touch")]
    q, v = robot.neutral(), np.zeros(6)
    a, force = robot.constrained_forward_dynamics(holds, q, v)
    close(force, [3 * 9.81 / 2] * 2, 1e-12)
    close(a, np.zeros(6), 1e-12)
    lift = np.array([0, 0, 20.0, 0, -0.7 * 20.0, 0])  # 20 N at the right end
    a, force = robot.constrained_forward_dynamics(holds, q, v, wrenches=lift.reshape(1, 6))
    left = (9.81 - 20 / 3 + 0.49 * 20 / 0.4) / (1 / 3 + 0.49 / 0.4)
    close(force, [left, 0], 1e-12)
    with pytest.raises(hamel.InconsistentError):
        robot.constrained_inverse_dynamics(holds, q, v, [0, 0, -11.0, 0, 0, 0])
    with pytest.raises(hamel.InvalidArgumentError, match="touch"):
        robot.constrained_forward_dynamics([hamel.Hold("left", "glue")], q, v)


def test_impacts():
    robot = rod()
    frames = [robot.frame_index("left"), robot.frame_index("right")]
    positions, normals = [[-0.7, 0, 0], [0.7, 0, 0]], [[0, 0, 1.0]] * 2
    x = robot.contact_impulse(frames, positions, normals, robot.neutral(), [1.0, 0, -2, 0, 0, 0], [0.1, 0.1], [0.5, 0.5])
    close(x.v[2], 1.0, 1e-9)
    close(x.v[0], 1 - 0.1 * 1.5 * 2, 1e-9)  # friction: μ (1 + e) of the speed
    close(x.impulse.sum(axis=0), [-0.9, 0, 9], 1e-9)
    assert x.restitution == 1 and x.residual < 1e-9
    close(x.work, 1.5 * (x.v @ x.v - 5), 1e-9)
