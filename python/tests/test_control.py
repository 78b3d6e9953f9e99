"""hamel.control and Model.lqr: against SciPy's Riccati and Lyapunov equations, which come from Schur's form."""

import numpy as np
import pytest

import hamel
from hamel import control

linalg = pytest.importorskip("scipy.linalg")


def scipy_gain(A, B, Q, R, N=None, discrete=False):
    n, m = B.shape
    Q, R = (np.eye(k) * w if np.ndim(w) == 0 else np.diag(w) if np.ndim(w) == 1 else w for w, k in ((Q, n), (R, m)))
    cross = 0 if N is None else N.T
    if discrete:
        P = linalg.solve_discrete_are(A, B, Q, R, s=N)
        return np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A + cross), P
    P = linalg.solve_continuous_are(A, B, Q, R, s=N)
    return np.linalg.solve(R, B.T @ P + cross), P


def refined_gain(A, B, Q, r, discrete):
    return refined_gain_of(A, B, np.diag(Q), r, discrete)


def refined_gain_of(A, B, Q, r, discrete):
    """SciPy's solution, refined by Newton's method with residuals in long double: stiff robots cost SciPy nine digits"""
    _, P = scipy_gain(A, B, Q, r, discrete=discrete)
    exact, (a, b) = np.longdouble, (M.astype(np.longdouble) for M in (A, B))
    P = P.astype(exact)
    for _ in range(6):
        S = b.T @ P @ b if discrete else 0
        right = b.T @ P @ a if discrete else b.T @ P
        S = S + exact(r) * np.eye(B.shape[1])
        K = np.linalg.solve(S.astype(float), right.astype(float)).astype(exact)
        K = K + np.linalg.solve(S.astype(float), (right - S @ K).astype(float))
        rest = Q - K.T @ S @ K + (a.T @ P @ a - P if discrete else a.T @ P + P @ a)
        turned = (a - b @ K).T.astype(float)
        rest = ((rest + rest.T) / 2).astype(float)
        step = linalg.solve_discrete_lyapunov(turned, rest) if discrete else linalg.solve_continuous_lyapunov(turned, -rest)
        P = P + (step + step.T) / 2
    return K.astype(float), P.astype(float)


def close(x, y, tolerance):
    assert np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), 1e-300)


def problem(rng, cross):
    """As many inputs as half the states, so that the gains are not worse conditioned than SciPy's digits"""
    n = int(rng.integers(2, 20))
    m = (n + 1) // 2
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, m))
    X = rng.normal(size=(n + m, n + m))
    W = X @ X.T + 0.1 * np.eye(n + m)
    return A, B, W[:n, :n], W[n:, n:], W[:n, n:] if cross else None


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("decades", [0, 4, 10])
def test_gains_are_those_of_scipy(discrete, cross, decades):
    rng = np.random.default_rng(decades)
    solve = control.dlqr if discrete else control.lqr
    for _ in range(12):
        A, B, Q, R, N = problem(rng, cross)
        K, P = scipy_gain(A, B, Q, R, N, discrete)  # in good units; Hamel solves it in bad ones
        unit = 10.0 ** rng.uniform(-decades / 2, decades / 2, len(A))
        bad = Q / np.outer(unit, unit)
        x = solve(A * unit[:, None] / unit, B * unit[:, None], (bad + bad.T) / 2, R, None if N is None else N / unit[:, None])
        close(x.K * unit, K, 1e-8)
        close(x.P * np.outer(unit, unit), P, 1e-8)
        assert x.residual < 1e-11
        mine, theirs = np.sort_complex(x.poles), np.sort_complex(np.linalg.eigvals(A - B @ K))
        assert max(min(abs(p - t)) for p, t in ((p, theirs) for p in mine)) < 1e-6 * abs(theirs).max()
        close(x.closed, A * unit[:, None] / unit - (B * unit[:, None]) @ x.K, 1e-12)


def settled(robot):
    """A configuration that is not special, at rest, and the forces that hold it where every coordinate has a motor"""
    q = robot.integrate(robot.neutral(), 0.1 * np.sin(1.0 + np.arange(robot.nv)))
    return q, robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))


@pytest.mark.parametrize("name", hamel.builtin_names())
@pytest.mark.parametrize("dt", [None, 0.01])
def test_every_robot_with_all_inputs(name, dt):
    robot = hamel.load(name)
    q, tau = settled(robot)
    v = np.zeros(robot.nv)
    every = np.ones(robot.nv, dtype=bool)
    Q = np.linspace(1, 3, 2 * robot.nv)
    x = robot.lqr(q, v, tau, Q=Q, R=0.5, actuated=every, dt=dt)
    lin = robot.linearize(q, v, tau, inputs="all")
    A, B = (lin.A, lin.B) if dt is None else lin.discretize(dt)
    K, P = refined_gain(A, B, Q, 0.5, dt is not None)
    close(x.K, K, 1e-8)
    close(x.P, P, 1e-8)
    assert x.residual < 1e-12 and x.K.shape == (robot.nv, 2 * robot.nv)
    assert (abs(x.poles) < 1).all() if dt else (x.poles.real < 0).all()


@pytest.mark.parametrize("name", hamel.builtin_names())
def test_every_robot_with_its_motors(name):
    """Either SciPy's gain, or a free base without a motor, which is named"""
    robot = hamel.load(name)
    q, tau = settled(robot)
    floats = [j for j in robot.joints if j.type == "free" and not robot.actuated[j.v : j.v + j.nv].all()]
    if floats:
        with pytest.raises(hamel.NotStabilizableError, match="momentum"):
            robot.lqr(q, tau=tau)
        with pytest.raises(hamel.NotStabilizableError, match="momentum"):
            robot.lqr(q, tau=tau, dt=0.001)
        return
    x = robot.lqr(q, tau=tau, R=0.1)
    K, _ = refined_gain(x.A, x.B, np.ones(2 * robot.nv), 0.1, False)
    close(x.K, K, 1e-8)
    assert len(x.input_names) == robot.actuated.sum() and (x.tau == tau).all()


def test_feedback_brings_a_robot_back():
    """The nonlinear robot under the gain's forces: the pendulum, held upright, returns"""
    robot = hamel.load("pendulum")
    q = np.full(robot.nq, np.pi)
    tau = robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    x = robot.lqr(q, tau=tau, actuated=np.ones(robot.nv, dtype=bool))
    now, v, h = q + 0.2, np.zeros(robot.nv), 1e-3
    for _ in range(8000):
        force = tau - x.K @ np.concatenate([robot.difference(q, now), v])
        v = v + h * robot.forward_dynamics(now, v, force)
        now = robot.integrate(now, h * v)
    assert np.abs(robot.difference(q, now)).max() < 1e-3


@pytest.mark.parametrize("dt", [None, 0.005])
def test_held_feet(dt):
    """In an orthonormal basis of the motions that the holds leave, SciPy finds the same; K acts on the full robot"""
    robot = hamel.load("quadruped")
    feet = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"]
    q = robot.integrate(robot.neutral(), np.r_[np.zeros(6), 0.3 * np.sin(np.arange(robot.nv - 6))])
    v = np.zeros(robot.nv)
    Q = np.linspace(1, 4, 2 * robot.nv)
    holds = [hamel.Hold(foot, "point") for foot in feet]
    tau = robot.constrained_inverse_dynamics(holds, q, v, v).tau  # stands still
    x = robot.lqr(q, tau=tau, hold=feet, Q=Q, R=0.2, dt=dt)
    full = robot.constrained_linearize(holds, q, v, tau)
    Z = np.linalg.qr(robot.constrained_reduce(holds, q, v).Z)[0]
    T = np.block([[Z, 0 * Z], [0 * Z, Z]])
    A, B = T.T @ full.A @ T, (T.T @ full.B)[:, robot.actuated]
    if dt:
        A, B = hamel.discretize(A, B, dt)
    K, P = refined_gain_of(A, B, T.T @ np.diag(Q) @ T, 0.2, dt is not None)
    close(x.K @ T, K, 1e-8)
    close(T.T @ x.P @ T, P, 1e-8)
    assert x.K.shape == (12, 36) and len(x.poles) == 12 and x.residual < 1e-12
    if dt is None:
        poles = np.linalg.eigvals(full.A - full.B[:, robot.actuated] @ x.K)
        assert max(abs(poles - p).min() for p in x.poles) < 1e-5 * abs(x.poles).max()
    same = robot.lqr(q, tau=tau, holds=holds, Q=Q, R=0.2, dt=dt)
    assert (same.K == x.K).all()


def test_names_of_joints_and_batches():
    robot = hamel.load("arm7") if "arm7" in hamel.builtin_names() else hamel.random_model(seed=3, base="fixed")
    q, tau = settled(robot)
    joints = [j.name for j in robot.joints if j.nv and j.leader < 0]
    one = robot.lqr(q, tau=tau, actuated=joints)
    assert one.input_names == robot.velocity_names and one.A.shape == (2 * robot.nv,) * 2
    many = robot.lqr(np.stack([q, q]), tau=tau, actuated=joints)
    assert many.K.shape == (2, *one.K.shape) and many.residual.shape == (2,)
    close(many.K[1], one.K, 1e-12)
    with pytest.raises(hamel.InvalidArgumentError, match="no joint 'nobody'"):
        robot.lqr(q, actuated=["nobody"])
    with pytest.raises(hamel.InvalidArgumentError, match="no coordinate has an input"):
        robot.lqr(q, actuated=np.zeros(robot.nv, dtype=bool))


def test_what_is_refused():
    A, B = np.array([[0.0, 1], [0, 0]]), np.array([[0.0], [1]])
    with pytest.raises(hamel.InvalidArgumentError, match="positive definite"):
        control.lqr(A, B, 1, 0)
    with pytest.raises(hamel.InvalidArgumentError, match="symmetric"):
        control.dlqr(A, B, [[1, 1], [0, 1]], 1)
    with pytest.raises(hamel.InvalidArgumentError, match="3 entries"):
        control.lqr(A, B, [1, 1, 1], 1)
    with pytest.raises(hamel.NotFiniteError):
        control.lqr(A * np.nan, B, 1, 1)
    with pytest.raises(hamel.NotStabilizableError, match=r"no input moves the mode 2\+0j"):
        control.lqr([[2, 0], [0, -1]], B, 1, 1)
    with pytest.raises(hamel.NotStabilizableError, match="does not weigh"):
        control.lqr(A, B, [0, 1], 1)
    with pytest.raises(hamel.NotStabilizableError, match="no output shows"):
        control.kalman([[2, 0], [0, -1]], [[0, 1]], 1, 1)
    with pytest.raises(hamel.NotStabilizableError):
        control.lyap([[0, 1], [-1, 0]], 1)
    with pytest.raises(hamel.NotStabilizableError):
        control.dlyap([[1.0]], 1)
    with pytest.raises(hamel.InvalidArgumentError):
        control.lyap([[-1.0, 0], [0, -1]], [[1, 1], [0, 1]])


def test_lyapunov_equations():
    rng = np.random.default_rng(5)
    for n in (1, 2, 7, 20):
        A, X = rng.normal(size=(n, n)), rng.normal(size=(n, n))
        Q = X @ X.T
        stable = A - (np.linalg.eigvals(A).real.max() + 0.1) * np.eye(n)
        close(control.lyap(stable, Q), linalg.solve_continuous_lyapunov(stable, -Q), 1e-9)
        small = A * (0.95 / abs(np.linalg.eigvals(A)).max())
        close(control.dlyap(small, Q), linalg.solve_discrete_lyapunov(small, Q), 1e-9)
    assert control.lyap([[-2.0]], 3).item() == pytest.approx(0.75, abs=1e-15)


@pytest.mark.parametrize("discrete", [False, True])
def test_kalman_is_the_dual(discrete):
    rng = np.random.default_rng(6)
    A, C = rng.normal(size=(6, 6)), rng.normal(size=(3, 6))
    W, V = np.diag(rng.uniform(0.5, 2, 6)), np.diag(rng.uniform(0.5, 2, 3))
    x = control.kalman(A, C, W, V, discrete=discrete)
    K, P = scipy_gain(A.T, C.T, W, V, discrete=discrete)
    close(x.L, K.T, 1e-9)
    close(x.P, P, 1e-9)
    poles = np.linalg.eigvals(A - x.L @ C)
    assert (abs(poles) < 1).all() if discrete else (poles.real < 0).all()


def test_finite_horizon():
    """Against the textbook's recursion with explicit inverses, and against the steady regulator far from the end"""
    rng = np.random.default_rng(8)
    steps, n, m = 30, 5, 2
    A, B = rng.normal(size=(steps, n, n)) / 2, rng.normal(size=(steps, n, m))
    X = rng.normal(size=(steps, n + m, n + m))
    W = X @ np.swapaxes(X, 1, 2)
    Q, R, N = W[:, :n, :n], W[:, n:, n:], W[:, :n, n:]
    x = control.tvlqr(A, B, Q, R, np.arange(1.0, n + 1), N)
    P = np.diag(np.arange(1.0, n + 1))
    for k in reversed(range(steps)):
        close(x.P[k + 1], P, 1e-9)
        L = A[k].T @ P @ B[k] + N[k]
        K = np.linalg.inv(R[k] + B[k].T @ P @ B[k]) @ L.T
        close(x.K[k], K, 1e-8)
        P = Q[k] + A[k].T @ P @ A[k] - L @ K
    close(x.P[0], P, 1e-8)
    same = control.tvlqr(np.stack([A[0]] * 200), np.stack([B[0]] * 200), 1, 2)
    close(same.K[0], control.dlqr(A[0], B[0], 1, 2).K, 1e-10)
    assert same.P.shape == (201, n, n) and not same.P[-1].any()
    with pytest.raises(hamel.SingularError, match="step 29"):
        control.tvlqr(A, B, 1, 0)
    with pytest.raises(hamel.InvalidArgumentError, match="Q_end: a weight is not symmetric"):
        control.tvlqr(A, B, 1, 1, np.triu(np.ones((n, n))))
    with pytest.raises(hamel.InvalidArgumentError, match="three dimensions"):
        control.tvlqr(A[0], B[0], 1, 1)


def test_periodic_steps():
    """Against SciPy's solution for a whole period at once: its state is that of the first step, its inputs are all of them"""
    rng = np.random.default_rng(9)
    steps, n, m = 4, 3, 2
    A, B = 1.5 * rng.normal(size=(steps, n, n)), rng.normal(size=(steps, n, m))
    X = rng.normal(size=(steps, n + m, n + m))
    W = X @ np.swapaxes(X, 1, 2)
    Q, R, N = W[:, :n, :n], W[:, n:, n:], W[:, :n, n:]
    x = control.tvlqr(A, B, Q, R, N=N, periodic=True)
    to_x = np.hstack([np.eye(n), np.zeros((n, steps * m))])  # x_k from (x_0, u_0 …)
    cost = 0
    for k in range(steps):
        to_u = np.zeros((m, n + steps * m))
        to_u[:, n + k * m : n + (k + 1) * m] = np.eye(m)
        both = np.vstack([to_x, to_u])
        cost = cost + both.T @ W[k] @ both
        to_x = A[k] @ to_x + B[k] @ to_u
    P = linalg.solve_discrete_are(to_x[:, :n], to_x[:, n:], cost[:n, :n], cost[n:, n:], s=cost[:n, n:])
    close(x.P[0], P, 1e-9)
    close(x.P[-1], x.P[0], 1e-14)
    loop = np.eye(n)
    for k in range(steps):
        loop = (A[k] - B[k] @ x.K[k]) @ loop
    close(np.sort_complex(x.multipliers), np.sort_complex(np.linalg.eigvals(loop)), 1e-8)
    assert x.residual < 1e-13 and abs(x.multipliers).max() < 1
    B[:, 2], A[:, 2, :2], A[:, 2, 2] = 0, 0, 1.1
    with pytest.raises(hamel.NotStabilizableError, match="1.4641.*multiplier of the period"):
        control.tvlqr(A, B, 1, 1, periodic=True)
    with pytest.raises(hamel.InvalidArgumentError, match="step 0.*positive definite"):
        control.tvlqr(A, B, 1, -1, periodic=True)
    with pytest.raises(hamel.InvalidArgumentError, match="leave Q_end out"):
        control.tvlqr(A, B, 1, 1, 2, periodic=True)


def test_feedback_along_a_trajectory():
    """The gain of each step, from the linearized steps of a swinging arm, holds it to its motion"""
    robot = hamel.load("arm7")
    h, steps = 0.01, 150
    q, v = [robot.neutral()], [np.zeros(robot.nv)]
    forces = 5 * np.sin(np.outer(np.arange(steps) * h * 3, np.ones(robot.nv)) + np.arange(robot.nv))
    forces += robot.inverse_dynamics(q[0], v[0], v[0])

    def step(q, v, tau):
        return robot.step_linearize(q, v, h, tau)

    A, B = [], []
    for tau in forces:
        q1, v1, a, b = step(q[-1], v[-1], tau)
        q.append(q1), v.append(v1), A.append(a), B.append(b)
    x = control.tvlqr(A, B, [100.0] * robot.nv + [1.0] * robot.nv, 1e-3, 100)

    def distance(feedback):
        now, w = robot.integrate(q[0], np.full(robot.nv, 0.02)), v[0]
        for k, tau in enumerate(forces):
            z = np.concatenate([robot.difference(q[k], now), w - v[k]])
            now, w, _, _ = step(now, w, tau - feedback * x.K[k] @ z)
        return np.abs(robot.difference(q[-1], now)).max()

    assert distance(1) < 1e-4 < 1e-2 < distance(0)


def test_no_random_robot_in_free_flight_gets_a_gain():
    for seed in range(1, 41):
        robot = hamel.random_model(seed=seed, nbodies=2 + seed % 12)
        q, tau = settled(robot)
        for dt in (None, 0.01):
            with pytest.raises(hamel.NotStabilizableError, match="momentum"):
                robot.lqr(q, tau=tau, dt=dt)
            assert robot.lqr(q, tau=tau, dt=dt, actuated=np.ones(robot.nv, dtype=bool)).residual < 1e-11


def test_no_gain_without_digits():
    """One input for ten unstable modes: P is 1e11 times Q, and a gain that comes back still solves its equation"""
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        n = int(rng.integers(18, 25))
        A, B, X = rng.normal(size=(n, n)), rng.normal(size=(n, 1)), rng.normal(size=(n, n))
        try:
            x = control.lqr(A, B, X @ X.T, 1)
        except (hamel.NotConvergedError, hamel.NotStabilizableError):
            refused += 1
        else:
            assert x.residual <= 2.0**-13 and (x.poles.real < 0).all()
    assert refused < 60
