"""Representations, places and perturbations on the other side, on robots with joints of every group.

Tolerances: derivatives are central differences of sixth order with h = 1e-3, which leaves 1e-12 of numbers up to 100,
and twice that many digits less where differences are differenced; changes of representation there and back round.
"""

import numpy as np
import pytest
from conftest import state

import hamel

ALL = ("left", "right", "mixed", "split")
ROBOT = hamel.random_model(4, nbodies=6, joints="spherical revolute planar schoenflies".split(), nframes=3)
H = 1e-3


def slope(f):
    """d/dt at t = 0, sixth order."""
    return sum(w * (f(k * H) - f(-k * H)) for k, w in ((1, 45), (2, -9), (3, 1))) / (60 * H)


def close(a, b, tolerance=1e-9):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))


def setup(seed=3):
    q, v, tau, _ = state(ROBOT, seed)
    return q, v, tau


@pytest.mark.parametrize("representation", ALL)
def test_there_and_back(representation):
    q, v, tau = setup()
    n = ROBOT.nv
    rng = np.random.default_rng(1)
    M, C, Mdot, J, Jdot = (rng.normal(size=s) for s in ((n, n), (n, n), (n, n), (3, n), (3, n)))
    M = M + M.T
    r = {"representation": representation}
    close(ROBOT.acceleration_from(q, v, ROBOT.acceleration_to(q, v, tau, **r), **r), tau)
    for a, b in zip(ROBOT.dynamics_from(q, v, *ROBOT.dynamics_to(q, v, M, tau, **r), **r), (M, tau)):
        close(a, b)
    for a, b in zip(ROBOT.jacobian_from(q, v, *ROBOT.jacobian_to(q, v, J, Jdot, **r), **r), (J, Jdot)):
        close(a, b)
    M_rep = ROBOT.dynamics_to(q, v, M, tau, **r).M
    for a, b in zip(ROBOT.coriolis_from(q, v, M_rep, *ROBOT.coriolis_to(q, v, M, C, Mdot, **r), **r), (C, Mdot)):
        close(a, b)
    lin = ROBOT.linearize(q, v, tau)
    there = ROBOT.linearization_to(q, v, lin.acceleration, lin.A, lin.B, **r)
    close(there.A, ROBOT.linearize(q, v, tau, **r).A)
    back = ROBOT.linearization_from(q, v, lin.acceleration, *there, **r)
    close(back.A, lin.A), close(back.B, lin.B)
    step = ROBOT.step_linearize(q, v, 0.01, tau)
    there = ROBOT.step_to(q, v, step.q, step.v, step.Ad, step.Bd, **r)
    close(there.Ad, ROBOT.step_linearize(q, v, 0.01, tau, **r).Ad)
    back = ROBOT.step_from(q, v, step.q, step.v, *there, **r)
    close(back.Ad, step.Ad), close(back.Bd, step.Bd)


@pytest.mark.parametrize("representation", ALL)
def test_coriolis_is_skew_and_gives_the_bias(representation):
    q, v, _ = setup()
    C, Mdot = ROBOT.coriolis_matrix(q, v, representation)
    close(Mdot - 2 * C, -(Mdot - 2 * C).T)
    x = ROBOT.dynamics(q, v)
    h = ROBOT.dynamics_to(q, v, x.M, x.h, representation).h
    v_rep = ROBOT.velocity_to(q, v, representation)
    close(C @ v_rep + ROBOT.force_to(q, x.gravity, representation), h)
    M = slope(lambda t: ROBOT.dynamics_to(ROBOT.integrate(q, t * v), v, ROBOT.mass_matrix(ROBOT.integrate(q, t * v)), x.h, representation).M)
    close(Mdot, M)
    Y, Ydot = ROBOT.velocity_transform(q, v, representation)
    close(Y @ v_rep, v)
    close(Ydot, slope(lambda t: ROBOT.velocity_transform(ROBOT.integrate(q, t * v), representation=representation).Y))


def move(q, v, representation, side, zq, zv):
    q1 = ROBOT.integrate_global(q, zq) if side == "global" else ROBOT.integrate(q, zq)
    return q1, ROBOT.velocity_from(q1, ROBOT.velocity_to(q, v, representation) + zv, representation)


@pytest.mark.parametrize("side", ("local", "global"))
@pytest.mark.parametrize("representation", ALL)
def test_every_linearization(representation, side):
    """Accelerations, constrained ones, steps and impulses against differences in the representation's own numbers."""
    q, v, tau = setup()
    n = ROBOT.nv
    holds = [hamel.Hold(ROBOT.frames[-1].name, "point")]
    r = {"representation": representation, "side": side}
    lin = ROBOT.linearize(q, v, tau, **r)
    assert (lin.representation, lin.side) == (representation, side)
    held = ROBOT.constrained_linearize(holds, q, v, tau, **r)
    step = ROBOT.step_linearize(q, v, 0.02, tau, **r)
    hit = ROBOT.constrained_impulse_linearize(holds, q, v, **r)
    difference = ROBOT.difference_global if side == "global" else ROBOT.difference
    for k in (0, 2, 4, 5, 7, 9, n - 1):
        for part in (0, 1):
            z = np.zeros((2, n))
            z[part, k] = 1

            def along(f):
                return slope(lambda t: f(*move(q, v, representation, side, *(t * z))))

            def free(x, u):
                return ROBOT.acceleration_to(x, u, ROBOT.forward_dynamics(x, u, tau), representation)

            def constrained(x, u):
                a, force = ROBOT.constrained_forward_dynamics(holds, x, u, tau)
                return np.append(ROBOT.acceleration_to(x, u, a, representation), force)

            def stepped(x, u):
                x, u = ROBOT.step(x, u, 0.02, tau)
                return np.append(difference(step.q, x), ROBOT.velocity_to(x, u, representation))

            def struck(x, u):
                w, impulse = ROBOT.constrained_impulse(holds, x, u)
                return np.append(ROBOT.velocity_to(x, w, representation), impulse)

            column = part * n + k
            close(lin.A[n:, column], along(free))
            ours = (held.Dq, held.force_q) if part == 0 else (held.Dv, held.force_v)
            close(np.append(ours[0][:, k], ours[1][:, k]), along(constrained))
            close(held.A[n:, column], along(constrained)[:n])
            close(step.Ad[:, column], along(stepped))
            ours = (hit.v_q, hit.impulse_q) if part == 0 else (hit.v_v, hit.impulse_v)
            close(np.append(ours[0][:, k], ours[1][:, k]), along(struck))


def test_frames_for_perturbations_on_the_left():
    q, v, a = setup()
    frame = ROBOT.frames[-1].name
    D = ROBOT.frame_derivatives(frame, q, v, a, "mixed", side="global")
    hessian = ROBOT.frame_hessian(frame, q, "mixed", side="global")
    for k in range(ROBOT.nv):
        e = np.eye(ROBOT.nv)[k]

        def there(t):
            return ROBOT.frame(frame, ROBOT.integrate_global(q, t * e), v, a, "mixed")

        close(D.twist_q[:, k], slope(lambda t: there(t).twist))
        close(D.acceleration_q[:, k], slope(lambda t: there(t).acceleration))
        close(hessian[k], slope(lambda t: there(t).J))
    back = ROBOT.gradient_from_global(q, D.twist_q)
    close(back, ROBOT.frame_derivatives(frame, q, v, a, "mixed").twist_q)
    close(ROBOT.gradient_to_global(q, back), D.twist_q)
    flat = hessian.reshape(ROBOT.nv, -1)
    close(ROBOT.hessian_from_global(q, flat), ROBOT.frame_hessian(frame, q, "mixed").reshape(ROBOT.nv, -1))


def test_configurations_are_a_group():
    q1, q2, q3 = ROBOT.random(5, 3)
    v1, v2, v3 = np.random.default_rng(2).normal(size=(3, ROBOT.nv))
    one = ROBOT.neutral()
    assert ROBOT.distance(ROBOT.product(ROBOT.product(q1, q2), q3), ROBOT.product(q1, ROBOT.product(q2, q3))) < 1e-12
    assert ROBOT.distance(ROBOT.product(q1, ROBOT.inverse(q1)), one) < 1e-12
    Ad, inverse = ROBOT.adjoint(q1)
    close(Ad @ inverse, np.eye(ROBOT.nv))
    assert ROBOT.distance(ROBOT.integrate(q1, v1), ROBOT.integrate_global(q1, Ad @ v1)) < 1e-12
    close(ROBOT.difference_global(q1, ROBOT.integrate_global(q1, 0.1 * v1)), 0.1 * v1)
    for group in ("direct", "tangent"):
        left = ROBOT.state_product(*ROBOT.state_product(q1, v1, q2, v2, group), q3, v3, group)
        right = ROBOT.state_product(q1, v1, *ROBOT.state_product(q2, v2, q3, v3, group), group)
        assert ROBOT.distance(left.q, right.q) < 1e-12
        close(left.v, right.v)
        unit = ROBOT.state_product(q1, v1, *ROBOT.state_inverse(q1, v1, group), group)
        assert ROBOT.distance(unit.q, one) < 1e-12
        close(unit.v, np.zeros(ROBOT.nv))
    close(ROBOT.state_product(q1, v1, q2, v2).v, v1 + v2)
    product = ROBOT.state_product(q1, v1, q2, v2, "tangent")
    rate = slope(lambda t: ROBOT.difference(product.q, ROBOT.product(ROBOT.integrate(q1, t * v1), ROBOT.integrate(q2, t * v2))))
    close(product.v, rate)


def test_places():
    """Any observer, any place, any base velocity: against ḢH⁻¹ and its differences."""
    q, v, a = setup()
    names = [f.name for f in ROBOT.frames][-3:] + ["world"]
    rng = np.random.default_rng(8)

    def pose(x, frame):
        return np.eye(4) if frame == "world" else ROBOT.frame(frame, x).pose

    for _ in range(12):
        frame = names[rng.integers(3)]
        observer, origin, axes, base_origin, base_axes = (names[i] for i in rng.integers(4, size=5))

        def place(x, origin, axes):
            D = pose(x, origin).copy()
            D[:3, :3] = pose(x, axes)[:3, :3]
            return D

        def path(t):
            return ROBOT.integrate(q, t * v + 0.5 * t * t * a)

        def twist(t, origin=origin, axes=axes):
            def relative(s):
                return np.linalg.inv(pose(path(t + s), observer)) @ pose(path(t + s), frame)

            right = hamel.se3.vee(slope(relative) @ np.linalg.inv(relative(0)))
            return hamel.twist.transform(np.linalg.inv(place(path(t), origin, axes)) @ pose(path(t), observer), right)

        x = ROBOT.frame_in(frame, q, v, a, observer, origin, axes)
        close(x.pose, np.linalg.inv(place(q, origin, axes)) @ pose(q, frame))
        close(x.twist, twist(0))
        close(x.acceleration, slope(twist), 1e-7)
        close(x.J @ v, x.twist)
        close(x.J @ a + x.Jdot @ v, x.acceleration)
        close(ROBOT.frame_acceleration_in(frame, q, v, a, "apparent", observer, origin, axes), x.acceleration)
        intrinsic = slope(lambda t: twist(t, observer, observer))
        X = hamel.se3.adjoint(np.linalg.inv(place(q, origin, axes)) @ pose(q, observer))
        close(ROBOT.frame_acceleration_in(frame, q, v, a, "intrinsic", observer, origin, axes), X @ intrinsic, 1e-7)

        J, Jdot = ROBOT.jacobian_in(frame, q, v, observer, origin, axes, base_origin, base_axes)
        v_C = ROBOT.base_velocity_to(q, v, base_origin, base_axes)
        close(ROBOT.base_velocity_from(q, v_C, base_origin, base_axes), v)
        close(J @ v_C, x.twist)
        Y, Ydot = ROBOT.base_transform(q, v, base_origin, base_axes)
        close(Y @ v_C, v)
        close(J, x.J @ Y)
        close(Jdot, x.Jdot @ Y + x.J @ Ydot)
        again = ROBOT.base_jacobian(q, v, x.J, x.Jdot, base_origin, base_axes)
        close(again.J, J), close(again.Jdot, Jdot)
        close(Ydot, slope(lambda t: ROBOT.base_transform(path(t), origin=base_origin, axes=base_axes).Y))
    mixed = ROBOT.base_velocity_to(q, v, axes="world")
    close(mixed, ROBOT.velocity_to(q, v, "mixed"))


def test_observers_that_move():
    """On a turntable: Coriolis, centrifugal and Euler forces of every body, as seen by a free base; a lift; derivatives."""
    q, v, tau = setup()
    rng = np.random.default_rng(9)
    velocity, acceleration = rng.normal(size=(2, 6))

    def seen(x, u):
        return ROBOT.forward_dynamics(x, u, tau, ROBOT.observer_wrenches(x, u, velocity, acceleration))

    # the inertial frame: the same robot, whose base has the twist of the ship besides
    base = ROBOT.velocity_to(q, v, "right")[:6]
    u = v.copy()
    u[:6] = ROBOT.velocity_from(q, np.append(base + velocity, v[6:]), "right")[:6]
    a = ROBOT.forward_dynamics(q, u, tau)
    # d/dt of ⁱX_A V is X a − v × X V: what the ship's own motion is of it
    X = ROBOT.velocity_transform(q, representation="right").Y[:6, :6]
    ship, rate = X @ velocity, X @ acceleration
    expected = a.copy()
    expected[:6] -= rate - hamel.twist.cross(v[:6], ship)
    close(seen(q, v), expected, 1e-10)

    x = ROBOT.observer_linearize(q, v, velocity, acceleration, tau)
    close(x.acceleration, expected, 1e-10)
    for k in range(0, ROBOT.nv, 3):
        e = np.eye(ROBOT.nv)[k]
        close(x.Dq[:, k], slope(lambda t: seen(ROBOT.integrate(q, t * e), v)), 1e-8)
        close(x.Dv[:, k], slope(lambda t: seen(q, v + t * e)), 1e-8)
    lift = ROBOT.observer_wrenches(q, v, np.zeros(6), [0, 0, 2, 0, 0, 0])
    close(ROBOT.bias(q, v, lift) - ROBOT.bias(q, v), 2 / 9.81 * ROBOT.dynamics(q, v).gravity)
