"""Dynamics and kinematics: one function against another that shares little with it.

Forces are sums of products over a tree: 1e-11 of the largest entry. What was divided by M loses as many digits as its
condition number says.
"""

import numpy as np
import pytest
from conftest import state

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import hamel  # noqa: E402

EPS = np.finfo(float).eps
JOINTS = "revolute prismatic helical cylindrical planar spherical translation2 translation3 schoenflies free".split()


def close(a, b, tolerance=1e-11, scale=1.0):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0) <= tolerance * max(scale, np.abs(b).max(initial=0))


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(1, 10**6), st.integers(1, 12), st.sampled_from(["any", "chain", "bushy", "legged", "star"]))
def test_forward_undoes_inverse(seed, nbodies, shape):
    """FD∘ID = 1 on robots of every shape and joint."""
    model = hamel.random_model(seed, nbodies=nbodies, shape=shape, joints=JOINTS, passive=0.3)
    q, v, a, _ = state(model, seed % 1000, 3)
    tau = model.inverse_dynamics(q, v, a)
    M = model.mass_matrix(q)
    close(tau, np.einsum("nij,nj->ni", M, a) + model.bias(q, v), 1e-11)
    try:
        back = model.forward_dynamics(q, v, tau)
    except hamel.SingularError:  # a body hung on by two parallel slides, say
        assert model.nv and np.linalg.cond(M).max() > 1e12
        return
    close(back, a, 256 * EPS * np.linalg.cond(M).max(), scale=10)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(1, 10**6))
def test_configurations(seed):
    """(q ⊕ v) ⊖ q = v, and the way back."""
    model = hamel.random_model(seed, nbodies=8, joints=JOINTS)
    q, v, _, _ = state(model, seed % 1000, 4)
    there = model.integrate(q, v)
    close(model.difference(q, there), v, 1e-12)
    close(model.distance(q, there), np.linalg.norm(v, axis=1), 1e-12)
    close(model.body_poses(model.interpolate(q, there, 1.0)), model.body_poses(there), 1e-11, scale=10)
    close(model.velocity(q, model.rate(q, v)), v, 1e-12)
    close(model.rate(q, v), np.einsum("nij,nj->ni", model.rate_matrix(q), v), 1e-13)
    model.check(there[0])
    close(
        model.normalize(2 * q[0]) if model.nq == model.nv else model.normalize(q[0]),
        2 * q[0] if model.nq == model.nv else q[0],
        1e-14,
    )


def test_textbook_and_fast(robot):
    q, v, a, tau = state(robot, 3)
    d = robot.dynamics(q, v, tau)
    close(robot.rnea(q, v, a), robot.inverse_dynamics(q, v, a))
    close(robot.crba(q), d.M)
    close(robot.mass_matrix(q), d.M, 1e-13)
    close(robot.bias(q, v), d.h, 1e-13)
    loss = 256 * EPS * np.linalg.cond(d.M)
    close(robot.aba(q, v, tau), d.acceleration, loss)
    close(robot.forward_dynamics(q, v, tau), d.acceleration, loss)
    close(d.kinetic_energy, 0.5 * v @ d.M @ v)
    C, Mdot = robot.coriolis_matrix(q, v)
    close(C + C.T, Mdot)
    close(np.einsum("ijk,k->ij", robot.christoffel(q), v), C)
    p = robot.inverse_dynamics_parameters(q, v, a)
    close(robot.regressor(q, v, a), p.inertia)
    joints = [x for j in robot.joints if j.nv for x in zip(j.armature, j.damping)]
    armature, damping = np.array(joints).T
    stiffness = np.concatenate([j.stiffness for j in robot.joints if j.nv])
    close(
        robot.bias(q, 0 * v),
        robot.inverse_dynamics_parameters(q, 0 * v).inertia @ robot.parameters() + p.stiffness @ stiffness,
    )
    close(p.armature @ armature, armature * a)
    close(p.damping @ damping, damping * v)
    L = hamel.factor.ltl(robot.coordinate_parents(), d.M)
    close(L.T @ L, d.M)
    h = 1e-6
    moved = [np.linalg.solve(robot.mass_matrix(robot.integrate(q, s * h * np.eye(robot.nv)[0])), tau) for s in (1, -1)]
    difference = (moved[0] - moved[1]) / (2 * h)
    close(robot.inverse_mass_derivative(q, tau)[:, 0], difference, 1e-6, np.abs(difference).max())


def test_derivatives_of_momentum_and_rest(robot):
    q, v, a, _ = state(robot, 5)
    h = 1e-5
    d, c = robot.centroidal_derivatives(q, v, a), robot.centroidal(q, v, a)
    close(d.momentum_q @ v, c.Adot @ v)
    close(d.momentum_rate_v @ v, 2 * c.Adot @ v)
    close(d.com_velocity_q, d.momentum_q[:3] / robot.mass)
    close(np.einsum("kij,j->ik", d.com_J_q, v), d.com_velocity_q)
    z = np.linspace(1, 2, robot.nv)
    ahead, behind = (robot.centroidal(robot.integrate(q, s * h * z), v, a).momentum_rate for s in (1, -1))
    close(d.momentum_rate_q @ z, (ahead - behind) / (2 * h), 1e-6, np.abs(d.momentum_rate_q).max())
    g, rest = robot.gravity_torque(q), robot.static_torque(q)
    close(g.gravity, robot.dynamics(q, 0 * v).gravity)
    close(rest.tau, robot.inverse_dynamics(q, 0 * v, 0 * v))
    close(rest.tau_q, robot.inverse_dynamics_derivatives(q, 0 * v, 0 * v).dtau_dq)
    ahead, behind = (robot.gravity_torque(robot.integrate(q, s * h * z)).gravity for s in (1, -1))
    close(g.gravity_q @ z, (ahead - behind) / (2 * h), 1e-6, np.abs(g.gravity_q).max() + 1)


def test_products_without_matrices(robot):
    q, v, a, tau = state(robot, 4)
    nv = robot.nv
    x = robot.linearize(q, v, tau)
    point, acceleration = robot.directional_update(q, v, tau)
    close(acceleration, x.acceleration, 1e-12)
    z, w = np.concatenate([v, a]), tau
    scale = np.abs(x.A).max() * 10
    rate = np.concatenate(robot.directional_forward(point, z[:nv], z[nv:], w))
    close(rate, x.A @ z + x.B @ w, 1e-11, scale)
    zq, zv, u = robot.directional_reverse(point, z[:nv], z[nv:])
    close(np.concatenate([zq, zv]), x.A.T @ z, 1e-11, scale)
    close(u, x.B.T @ z, 1e-11, scale)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "munthe_kaas_4"])
def test_steps(quadruped, integrator):
    """A_d against central differences of the step itself."""
    q, v, _, tau = state(quadruped, 5)
    h, e, nv = 1e-3, 1e-5, quadruped.nv
    x = quadruped.step_linearize(q, v, h, tau, integrator=integrator)
    here = quadruped.step(q, v, h, tau, integrator=integrator)
    close(x.q, here.q, 1e-14)
    for k in range(2 * nv):
        ends = []
        for s in (e, -e):
            z = np.zeros(2 * nv)
            z[k] = s
            ends.append(quadruped.step(quadruped.integrate(q, z[:nv]), v + z[nv:], h, tau, integrator=integrator))
        column = np.concatenate([quadruped.difference(ends[1].q, ends[0].q), ends[0].v - ends[1].v]) / (2 * e)
        close(x.Ad[:, k], column, 1e-8, scale=np.abs(x.Ad).max())


def test_names_of_schemes(quadruped):
    """A step takes the names that Motion has for the same schemes."""
    q, v, _, tau = state(quadruped, 5)
    for ours, short in (("semi_implicit_euler", "euler"), ("munthe_kaas_4", "rk4")):
        np.testing.assert_array_equal(
            quadruped.step(q, v, 1e-2, tau, integrator=ours).v, quadruped.step(q, v, 1e-2, tau, integrator=short).v
        )
    assert set(hamel.Motion.schemes()) >= {"euler", "rk4"}


def test_frames(robot):
    q, v, a, _ = state(robot, 6)
    poses = robot.body_poses(q)
    close(robot.body_poses_exponential(q), poses, 1e-11, scale=10)
    motions = robot.frame_motions(q, v, a)
    for i, frame in enumerate(robot.frames):
        m = robot.frame(frame.name, q, v, a)
        close(m.pose, motions.pose[i], 1e-12, scale=10)
        close(m.twist, m.J @ v, 1e-11, scale=10)
        close(m.twist, motions.twist[i], 1e-11, scale=10)
        close(m.acceleration, m.J @ a + m.Jdot @ v, 1e-11, scale=100)
        if frame.kind == "body":
            close(m.pose, poses[frame.body], 1e-12, scale=10)
    nothing = robot.frame(robot.frames[-1].name, q)
    assert nothing.twist is None and nothing.Jdot is None and nothing.J.shape == (6, robot.nv)
    point = robot.point(robot.frames[-1].name, [0.1, 0.2, 0.3], q, v)
    close(point.velocity, point.J @ v, 1e-11, scale=10)
    c = robot.centroidal(q, v)
    close(c.momentum, c.A @ v, 1e-11, scale=robot.mass)
    close(c.momentum[:3], robot.mass * c.com_velocity, 1e-11, scale=robot.mass)


def test_wrenches(quadruped):
    """A wrench at a frame does the work of its Jacobian: τ + Jᵀ f."""
    q, v, a, tau = state(quadruped, 7)
    wrench = np.array([1.0, 2, 3, 4, 5, 6])
    for axes, representation in (("frame", "left"), ("world", "mixed")):
        wrenches = quadruped.wrench_at(quadruped.frames[-1].name, wrench, q, axes=axes)
        J = quadruped.frame(quadruped.frames[-1].name, q, representation=representation).J
        pushed = quadruped.inverse_dynamics(q, v, a, wrenches)
        close(pushed, quadruped.inverse_dynamics(q, v, a) - J.T @ wrench, 1e-12, scale=100)
    twice = quadruped.wrench_at(0, wrench, q, wrenches=quadruped.wrench_at(0, wrench, q))
    close(twice, 2 * quadruped.wrench_at(0, wrench, q), 1e-14)


def test_inverse_kinematics():
    arm = hamel.load("arm7")
    q = 0.4 * arm.random(8)
    tip = arm.frames[-1].name
    target = arm.frame(tip, q).pose
    found = arm.inverse_kinematics([(tip, target)], 0.3 * arm.random(9))
    assert found.converged and found.error <= 1e-9
    close(arm.frame(tip, found.q).pose, target, 1e-8)
    far = np.array(target)
    far[:3, 3] = 100
    assert not arm.inverse_kinematics([(tip, far)]).converged
    held = arm.inverse_kinematics([(tip, target, {"rotation": 0.0})], q, locked=np.arange(arm.nv) == 0)
    assert held.q[0] == q[0]
    with pytest.raises(TypeError, match="a target is a tuple"):
        arm.inverse_kinematics([tip])


def test_inverse_kinematics_of_the_whole_robot(quadruped):
    """A dog leans over its feet; then it swings a leg in the air without turning as a whole."""
    q = quadruped.neutral()
    feet = [(f, quadruped.frame(f, q).pose, {"rotation": 0.0}) for f in ("fl_foot", "fr_foot", "hl_foot", "hr_foot")]
    com = quadruped.centroidal(q).com + [0.03, 0.02, -0.05]
    found = quadruped.inverse_kinematics(feet, q, com=com, com_weight=2.0)
    assert found.converged and np.abs(quadruped.centroidal(found.q).com - com).max() < 1e-8
    assert all(np.abs(quadruped.frame(f, found.q).pose[:3, 3] - H[:3, 3]).max() < 1e-8 for f, H, _ in feet)
    bent = quadruped.neutral()
    bent[7:10] = [0.2, 0.6, -1.0]
    target = ("fl_foot", quadruped.frame("fl_foot", bent).pose, {"rotation": 0.0, "reference": "trunk"})
    swung = quadruped.inverse_kinematics([target], q, momentum=np.zeros(6), duration=0.5)
    step = quadruped.difference(q, swung.q)
    assert swung.converged and np.abs(step[:6]).max() > 1e-3  # the trunk moves so that nothing does as a whole
    assert np.abs(quadruped.centroidal(q, step / 0.5).momentum).max() < 1e-7
    turned = quadruped.inverse_kinematics([], q, momentum=[0, 0, 0, 0, 0, 0.3], momentum_weight=[0, 1])
    assert abs(quadruped.centroidal(q, quadruped.difference(q, turned.q)).momentum[5] - 0.3) < 1e-7
    with pytest.raises(hamel.InvalidArgumentError, match="com has shape"):
        quadruped.inverse_kinematics(feet, q, com=[1, 2])
    with pytest.raises(hamel.NotFiniteError):
        quadruped.inverse_kinematics(feet, q, com=[1, 2, np.nan])


def test_layouts(quadruped):
    q, v, _, _ = state(quadruped, 9)
    theirs = quadruped.to_layout(q, v, "pinocchio")
    close(theirs.q[:7], [*q[:3], *q[4:7], q[3]], 1e-15)
    back = quadruped.from_layout(*theirs, layout="pinocchio")
    close(back.q, q, 1e-14)
    assert quadruped.to_layout(q, layout="idyntree").q.shape == (16 + 12,)


def test_base_parameters():
    """Of the first link of a fixed arm only what turns about its axis counts: fewer than ten."""
    arm = hamel.load("arm7")
    marks = arm.base_parameters()
    q, v, a, _ = state(arm, 10, 60)
    Y = arm.regressor(q, v, a).reshape(-1, 10 * arm.nbodies)
    assert np.linalg.matrix_rank(Y) == marks.sum() == np.linalg.matrix_rank(Y[:, marks])
