"""Laws of the groups, on examples that hypothesis looks for.

Tolerances: a handful of products of numbers of size s: 1e-14·s, with s up to 10 for positions; logarithms near half a
turn have a condition of their own and are compared as rotations.
"""

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import hamel  # noqa: E402
from hamel import euler_xyz, euler_zyx, inertia, quat, rotvec, screw, se3, so3, twist, wrench  # noqa: E402

settings.register_profile("hamel", max_examples=60, deadline=None, derandomize=True, database=None)
settings.load_profile("hamel")

real = st.floats(-3, 3, allow_subnormal=False)
small = st.floats(-1e-9, 1e-9, allow_subnormal=False)
number = st.one_of(real, small, st.sampled_from([0.0, np.pi / 3, -np.pi / 2]))


def vectors(n):
    return st.lists(number, min_size=n, max_size=n).map(np.array)


def close(a, b, tolerance=1e-13):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0) <= tolerance * max(1, np.abs(b).max(initial=0))


@given(vectors(3))
def test_exp_is_a_rotation(phi):
    C = so3.exp(phi)
    close(C @ C.T, np.eye(3))
    assert np.linalg.det(C) > 0
    close(so3.exp(so3.log(C)), C)
    close(quat.to_matrix(rotvec.to_quat(phi)), C)
    close(so3.exp(-phi), C.T)


@given(vectors(3), vectors(3), vectors(3))
def test_quaternions(a, b, r):
    p, q = rotvec.to_quat(a), rotvec.to_quat(b)
    close(quat.to_matrix(quat.compose(p, q)), quat.to_matrix(p) @ quat.to_matrix(q))
    close(quat.rotate(quat.compose(p, quat.invert(p)), r), r)
    close(quat.rotate(p, r), quat.to_matrix(p) @ r)
    close(quat.left_matrix(p) @ q, quat.right_matrix(q) @ p)
    for side in ("local", "global"):
        back = quat.boxplus(q, quat.boxminus(p, q, side=side), side=side)
        close(quat.to_matrix(back), quat.to_matrix(p), 1e-12)
    assert quat.distance(p, p) < 1e-7


@given(vectors(3))
def test_euler_angles(phi):
    C = so3.exp(phi)
    for kind in (euler_zyx, euler_xyz):
        close(kind.to_matrix(getattr(rotvec, f"to_{kind.__name__.split('.')[-1]}")(phi)), C, 1e-12)


@given(vectors(6), vectors(6), vectors(6))
def test_se3(x, y, z):
    A, B, C = se3.exp(x), se3.exp(y), se3.exp(z)
    close(se3.compose(se3.compose(A, B), C), se3.compose(A, se3.compose(B, C)))
    close(se3.compose(A, se3.inverse(A)), np.eye(4))
    close(se3.between(A, B), se3.inverse(A) @ B, 1e-12)
    close(se3.exp(se3.log(A)), A, 1e-12)
    close(se3.adjoint(se3.compose(A, B)), se3.adjoint(A) @ se3.adjoint(B))
    close(se3.vee(A @ se3.hat(y) @ np.linalg.inv(A)), twist.transform(A, y), 1e-12)
    close(wrench.power(wrench.transform(A, z), twist.transform(A, y)), z @ y, 1e-12)
    close(
        twist.cross(x, twist.cross(y, z)) + twist.cross(y, twist.cross(z, x)) + twist.cross(z, twist.cross(x, y)),
        np.zeros(6),
        1e-12,
    )
    close(wrench.cross(x, z), -se3.cross(x).T @ z)
    close(se3.ad_tilde(z) @ x, wrench.cross(x, z))


@given(vectors(6), vectors(6))
def test_dexp_is_the_derivative_of_exp(x, d):
    """Central differences: third derivatives over 6 times h², and ε/h."""
    h = 1e-5
    H = se3.exp(x)
    D = (se3.exp(x + h * d) - se3.exp(x - h * d)) / (2 * h)
    close(se3.vee(D @ np.linalg.inv(H)), se3.dexp_left(x) @ d, 1e-7)
    close(se3.vee(np.linalg.inv(H) @ D), se3.dexp_right(x) @ d, 1e-7)
    close(se3.dexp_left_apply(x, d), se3.dexp_left(x) @ d)
    close(se3.dexp_left_apply_dual(x, d), se3.dexp_left(x).T @ d)


@given(vectors(6))
def test_screws(x):
    V = screw.to_twist(*screw.from_twist(x))
    close(V, x, 1e-12)
    close(screw.to_pose(*screw.from_pose(se3.exp(x))), se3.exp(x), 1e-9)  # the axis of a small turn is far away


@given(vectors(6), vectors(6), st.floats(0.1, 10))
def test_inertia(x, V, mass):
    moment = np.diag([0.4, 0.5, 0.6]) * mass
    I = inertia.from_com(mass, x[:3], moment)
    close(inertia.matrix(I) @ V, inertia.mul(I, V))
    close(inertia.kinetic_energy(I, V), 0.5 * V @ inertia.matrix(I) @ V, 1e-12)
    H = se3.exp(x)
    moved, W = inertia.transform(H, I), twist.transform(H, V)
    close(inertia.kinetic_energy(moved, W), inertia.kinetic_energy(I, V), 1e-11)
    assert inertia.check(I).problems == 0
    assert inertia.check(-I).problems % 2 == 1


NAMES = ["SE(3)", "X", "R3", "SE(2)", "SO(3)", "R2", "RxSO(2)", "R", "H", "SO(2)"]


@pytest.mark.parametrize("name", NAMES)
def test_subgroups(name):
    group = hamel.Subgroup(name, pitch=0.3)
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-1, 1, (2, 7, group.dimension))
    S = group.selection()
    close(group.exp(x), se3.exp(x @ S.T), 1e-12)
    close(group.log(group.exp(x)), x, 1e-12)
    close(group.hat(x), se3.hat(x @ S.T))
    bracket = np.einsum("...ij,...j->...i", group.ad(x), y)
    close(bracket @ S.T, twist.cross(x @ S.T, y @ S.T), 1e-12)
    close(
        group.jacobian(x) @ group.jacobian_inverse(x),
        np.broadcast_to(np.eye(group.dimension), (7, *S.shape[1:], S.shape[1])),
        1e-12,
    )
    M = group.mass(inertia.matrix(inertia.from_com(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 1.1, 1.2]))))
    tau = group.inverse_dynamics(M, x, y)
    close(group.forward_dynamics(M, x, tau), y, 1e-12)


def test_unknown_group():
    with pytest.raises(hamel.NotFoundError, match="SE\\(3\\), X"):
        hamel.Subgroup("SU(2)")
    with pytest.raises(hamel.InvalidArgumentError, match=r"the axis of SE\(2\) is any vector of three numbers but zero"):
        hamel.Subgroup("SE(2)", axis=[0, 0, 0])
    with pytest.raises(hamel.NotFiniteError, match="pitch of H"):
        hamel.Subgroup("H", pitch=np.inf)
    for name in ("universal", "fixed", "elbow"):
        with pytest.raises(hamel.NotFoundError, match=f"type '{name}' moves on no group; revolute, prismatic"):
            hamel.Subgroup.of_joint(name)


def test_field_of_a_unicycle():
    """ġ = g (u₁, 0, u₂) on SE(2): A = −ad_λ, B selects; Bos (8)-(13)."""

    def velocity(g, u, t):
        return [u[0], 0, u[1]]

    u = np.array([0.7, -0.4])
    rate, A, B = hamel.linearize_field(["planar"], velocity, [0.1, 0.2, 0.3], u)
    group = hamel.Subgroup("SE(2)")
    close(rate, [0.7, 0, -0.4])
    close(A, -group.ad(rate), 1e-12)
    close(B, [[1, 0], [0, 0], [0, 1]], 1e-12)

    def derivatives(g, u, t):
        return np.zeros((3, 3)), np.array([[1.0, 0], [0, 0], [0, 1]])

    close(hamel.linearize_field(["planar"], velocity, [0.1, 0.2, 0.3], u, derivatives=derivatives)[1], A, 1e-12)
    with pytest.raises(ZeroDivisionError):
        hamel.linearize_field(["planar"], lambda g, u, t: 1 / 0, [0, 0, 0], u)
    with pytest.raises(hamel.InvalidArgumentError, match="velocity has shape"):
        hamel.linearize_field(["planar"], lambda g, u, t: [1, 2], [0, 0, 0], u)


@given(vectors(3), vectors(3))
def test_hat_is_the_cross_product(w, u):
    close(so3.hat(w) @ u, np.cross(w, u))
    close(so3.vee(so3.hat(w)), w)


@given(vectors(6), vectors(6))
def test_rates_of_poses_are_twists(xi, V):
    H = se3.exp(xi)
    inverse = np.linalg.inv(H)
    rates = {"left": H @ se3.hat(V), "right": se3.hat(V) @ H}
    for representation in ("left", "right", "mixed", "split"):
        Hdot = se3.rate(H, V, representation)
        if representation in rates:
            close(Hdot, rates[representation], 1e-12)
        close(se3.velocity(H, Hdot, representation), V, 1e-12)
        close(se3.velocity(H, Hdot), se3.vee(inverse @ Hdot), 1e-12)
        close(se3.velocity(H, Hdot, "right"), se3.vee(Hdot @ inverse), 1e-12)
    close(se3.rate(H, V, "mixed")[:3, 3], V[:3])


AXES = ((0, 0, 1), (1, 0, 0), (0, 0, -1), (0.48, 0.6, 0.64), (3, -1, 3))
NAMES = ("SE(3)", "X", "R3", "SE(2)", "SO(3)", "R2", "RxSO(2)", "R", "H", "SO(2)")


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", NAMES)
def test_subgroups_about_any_axis(name, axis):
    """exp by the power series of hat; S(φ) and its derivative by differences of exp and of S."""
    G = hamel.Subgroup(name, axis, 0.3)
    rng = np.random.default_rng(5)
    phi, v = rng.uniform(-1, 1, (2, G.dimension))
    close(G.vee(G.hat(v)), v)
    power, series = np.eye(4), np.eye(4)
    for k in range(1, 30):
        power = power @ G.hat(phi) / k
        series = series + power
    close(G.exp(phi), series, 1e-13)
    close(G.log(G.exp(phi)), phi, 1e-13)
    h = 1e-3
    for l, e in enumerate(np.eye(G.dimension)):
        rate = (8 * (G.exp(phi + h * e) - G.exp(phi - h * e)) - G.exp(phi + 2 * h * e) + G.exp(phi - 2 * h * e)) / (12 * h)
        close(G.vee(np.linalg.inv(G.exp(phi)) @ rate), G.jacobian(phi)[:, l], 1e-10)
        change = 8 * (G.jacobian(phi + h * e) - G.jacobian(phi - h * e))
        change = (change - G.jacobian(phi + 2 * h * e) + G.jacobian(phi - 2 * h * e)) / (12 * h)
        close(G.jacobian_derivative(phi)[:, :, l], change, 1e-10)
    C = hamel.boltzmann_hamel.coriolis(G.jacobian(phi), G.jacobian_derivative(phi), v)
    close(C, G.ad_tilde(v), 1e-12)


def test_vee_refuses_what_is_not_in_the_algebra():
    with pytest.raises(hamel.InvalidArgumentError):
        hamel.Subgroup("SE(2)").vee(hamel.se3.hat([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))


@pytest.mark.parametrize("name", NAMES)
def test_bodies_in_a_potential(name):
    """Gravity is the slope of its potential; U(φ) and the group's own force agree; both dynamics undo each other."""
    G = hamel.Subgroup(name, (0.48, 0.6, 0.64), 0.3)
    rng = np.random.default_rng(6)
    m = G.dimension
    phi, v, vdot = rng.uniform(-1, 1, (3, m))
    mass, com, gravity, H0 = 2.5, np.array([0.2, -0.1, 0.3]), np.array([0.3, 0.1, -9.7]), se3.exp(rng.uniform(-1, 1, 6))

    def U(x):
        return -mass * gravity @ (H0 @ G.exp(x) @ np.append(com, 1))[:3]

    h = 1e-3
    dU = np.array(
        [(8 * (U(phi + h * e) - U(phi - h * e)) - U(phi + 2 * h * e) + U(phi - 2 * h * e)) / (12 * h) for e in np.eye(m)]
    )
    potential, force = G.gravity(mass, com, H0 @ G.exp(phi), gravity)
    close(potential, U(phi))
    close(G.potential_force(phi, dU), force, 1e-9)
    S, dS = G.jacobian(phi), G.jacobian_derivative(phi)
    close(hamel.boltzmann_hamel.potential(S, dU), force, 1e-9)
    I = hamel.inertia.matrix(hamel.inertia.from_com(mass, com, np.diag([0.2, 0.3, 0.4])))
    M = G.mass(I)
    tau = G.inverse_dynamics(M, v, vdot, force)
    close(tau, M @ vdot + G.coriolis(M, v) @ v + force, 1e-12)
    close(G.forward_dynamics(M, v, tau, force), vdot, 1e-12)
    close(hamel.boltzmann_hamel.inverse_dynamics(S, dS, M, v, vdot, dU), tau, 1e-9)
    close(hamel.boltzmann_hamel.forward_dynamics(S, dS, M, v, tau, dU), vdot, 1e-9)
