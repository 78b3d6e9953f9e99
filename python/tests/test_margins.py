"""control.margins: against sweeps over many frequencies, and against closed loops with phases, delays and random disks."""

import numpy as np
import pytest

import hamel
from hamel import control

ROBOTS = ["arm7", "drone_arm", "quadruped", "satellite", "ship_crane"]


def loop(A, B, K, i, w, dt):
    """T of input i by itself, others closed"""
    s = 1j * w if dt is None else np.exp(1j * w * dt)
    return (K[i] @ np.linalg.solve(s * np.eye(len(A)) - A + B @ K, B[:, i])).item()


def transfer(A, B, K, w, dt):
    s = 1j * w if dt is None else np.exp(1j * w * dt)
    return K @ np.linalg.solve(s * np.eye(len(A)) - A + B @ K, B)


def sweep(A, B, K, dt):
    poles = np.abs(np.linalg.eigvals(A - B @ K) if dt is None else np.log(np.linalg.eigvals(A - B @ K) + 0j) / dt)
    top = 1e3 * poles.max() if dt is None else np.pi / dt
    return np.geomspace(1e-3 * poles.min(), top, 1200)


def stable(A, B, K, factors, dt):
    values = np.linalg.eigvals(A - B @ (np.asarray(factors)[:, None] * K))
    return (values.real.max() if dt is None else np.abs(values).max() - 1) < 0


def check(A, B, K, dt, rng, units=None):
    x, w, m = control.margins(A, B, K, dt=dt, scale=units), sweep(A, B, K, dt), B.shape[1]
    for i in range(m):
        T = np.array([loop(A, B, K, i, f, dt) for f in w[:: max(1, m // 2)]])
        L = T / (1 - T)
        # between two frequencies of the sweep on which the loop is beyond a border there would be a crossing
        real = np.flatnonzero(np.diff(np.sign(T.imag)) != 0)
        for k in real:
            g = sorted(1 - 1 / T.real[k : k + 2])
            if np.abs(T.real[k : k + 2]).min() < 1e-9 or g[0] < 1 < g[1]:
                continue
            slack = 1e-7 * (1 + abs(g[0])) + (g[1] - g[0])
            assert x.gain[i, 1] <= g[1] + slack if g[0] > 1 else x.gain[i, 0] >= g[0] - slack
        unit = np.flatnonzero(np.diff(np.sign(np.abs(L) - 1)) != 0)
        for k in unit:
            left = np.pi - np.abs(np.angle(L[k : k + 2]))
            assert x.phase[i] <= left.max() + np.ptp(left) + 1e-9
        if np.isfinite(x.phase[i]):
            T = loop(A, B, K, i, x.phase_frequency[i], dt)
            L = T / (1 - T)
            assert abs(abs(L) - 1) < 1e-7 and abs(np.pi - abs(np.angle(L)) - x.phase[i]) < 1e-7
            one = np.ones(m, dtype=complex)
            for sign in (1, -1):
                one[i] = np.exp(sign * 1j * x.phase[i] * 0.999)
                assert stable(A, B, K, one, dt)
            outside = []
            for sign in (1, -1):
                one[i] = np.exp(sign * 1j * x.phase[i] * 1.001)
                outside.append(stable(A, B, K, one, dt))
            assert not all(outside)
        if np.isfinite(x.delay[i]):
            f = x.delay_frequency[i]
            T = loop(A, B, K, i, f, dt)
            assert abs(T / (1 - T) * np.exp(-1j * f * x.delay[i]) + 1) < 1e-6  # −1 is reached
    scale = np.ones(m) if units is None else units
    for name, a, b in (("sensitivity", -1, 1), ("complementary", 1, 0), ("balanced", -1, 0.5)):
        disk, one = getattr(x, name), np.eye(m)
        sizes = [np.linalg.norm((a * transfer(A, B, K, f, dt) + b * one) * scale / scale[:, None], 2) for f in w[::5]]
        assert max(sizes) <= disk.peak * (1 + 1e-12)
        if np.isfinite(disk.frequency) and disk.frequency > 0:
            top = np.linalg.norm((a * transfer(A, B, K, disk.frequency, dt) + b * one) * scale / scale[:, None], 2)
            assert disk.peak * (1 - 3e-7) <= top * (1 + 1e-9)
        for _ in range(20):
            d = rng.uniform(0, 0.999 / disk.peak, m) * np.exp(2j * np.pi * rng.uniform(size=m))
            f = {"sensitivity": 1 / (1 - d), "complementary": 1 + d, "balanced": (1 + d / 2) / (1 - d / 2)}[name]
            assert stable(A, B, K, f, dt)
    return x


@pytest.mark.parametrize("dt", [None, 0.02])
def test_random_loops(dt):
    rng = np.random.default_rng(5)
    for _ in range(8):
        n, m = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        A, B = rng.normal(size=(n, n)), rng.normal(size=(n, m))
        if dt is not None:
            A, B = hamel.discretize(A, B, dt)
        x = (control.lqr if dt is None else control.dlqr)(A, B, 1, rng.uniform(0.5, 2, m))
        K = x.K * rng.uniform(0.9, 1.3)
        if stable(A, B, K, np.ones(m), dt):
            check(A, B, K, dt, rng)


@pytest.mark.parametrize("name", ROBOTS)
def test_robots(name):
    robot, rng = hamel.load(name), np.random.default_rng(1)
    q = robot.neutral()
    tau = robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    R = rng.uniform(0.01, 1, robot.nv)
    g = robot.lqr(q, tau=tau, R=R, actuated=np.ones(robot.nv, dtype=bool))
    x = g.margins()
    # R is diagonal: half or any times the gain, 60°, in the units 1/√R
    assert (x.gain[:, 0] <= 0.5 + 1e-6).all() and (x.gain[:, 1] > 1e5).all()
    assert (x.phase >= np.pi / 3 - 1e-6).all() and x.sensitivity.peak <= 1 + 3e-7
    assert "least gain" in str(x) and robot.velocity_names[-1] in str(x)
    if name in ("arm7", "drone_arm"):
        check(g.A, g.B, g.K, None, rng, 1 / np.sqrt(R))


def test_held_feet_and_steps():
    robot = hamel.load("quadruped")
    feet, q, still = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"], robot.neutral(), np.zeros(robot.nv)
    tau = robot.constrained_inverse_dynamics(feet, q, still, still).tau
    x = robot.lqr(q, tau=tau, hold=feet).margins()
    assert x.gain.shape == (12, 2) and (x.gain[:, 0] <= 0.5).all() and np.isinf(x.gain[:, 1]).all()
    y = robot.lqr(q, tau=tau, hold=feet, dt=0.01)
    z = y.margins()
    assert np.isfinite(z.gain[:, 1]).any() and z.sensitivity.peak > 1
    assert np.nanmax(z.gain_frequency) <= np.pi / 0.01 * (1 + 1e-12)


def test_what_it_refuses():
    with pytest.raises(hamel.NotStabilizableError, match="not stable"):
        control.margins([[0.0]], [[1.0]], [[-1.0]])
    with pytest.raises(hamel.InvalidArgumentError, match="positive time"):
        control.margins([[0.0]], [[1.0]], [[1.0]], dt=0)
    with pytest.raises(hamel.InvalidArgumentError, match="scale"):
        control.margins([[0.0]], [[1.0]], [[1.0]], scale=[-1.0])
    for n, m in ((0, 1), (2, 0)):
        with pytest.raises(hamel.InvalidArgumentError, match="an input at least"):
            control.margins(np.zeros((n, n)), np.zeros((n, m)), np.zeros((m, n)))
    with pytest.raises(hamel.InvalidArgumentError, match="one matrix"):
        control.margins([0.0], [[1.0]], [[1.0]])
    with pytest.raises(hamel.NotFiniteError):
        control.margins([[np.nan]], [[1.0]], [[1.0]])
