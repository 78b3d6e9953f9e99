"""A held robot in minimal coordinates against the flow of the held robot itself, and against the full A and B."""

import numpy as np
import pytest

import hamel

FEET = [hamel.Hold(foot, "point") for foot in ("fl_foot", "fr_foot", "hl_foot", "hr_foot")]
MIXED = [hamel.Hold("fl_foot", "point"), hamel.Hold("hr_foot", "plane", normal=(0.2, 0.1, 1.0))]
TORSO = [hamel.Hold("fl_foot", "frame")]


@pytest.fixture(scope="module")
def dog():
    return hamel.load("quadruped")


def moving_state(dog, holds, seed):
    rng = np.random.default_rng(seed)
    q = dog.neutral()
    q[7:] = np.tile([0.1, 0.8, -1.4], 4) + 0.2 * rng.standard_normal(12)
    return q, dog.constrained_impulse(holds, q, rng.standard_normal(dog.nv)).v, rng.standard_normal(dog.nv)


def flow(dog, holds, q, v, tau, t, steps):
    """The held motion: Runge, Kutta, Munthe-Kaas of order 4, with the bracket's terms"""
    h = t / steps

    def ad(x, y):  # of the base; the joints commute
        out = np.zeros_like(y)
        out[:3] = np.cross(x[3:6], y[:3]) + np.cross(x[:3], y[3:6])
        out[3:6] = np.cross(x[3:6], y[3:6])
        return out

    def rate(z, u):
        a = dog.constrained_forward_dynamics(holds, dog.integrate(q, z), u, tau).a
        return u + ad(z, u) / 2 + ad(z, ad(z, u)) / 12, a  # dexp⁻¹ of q ⊕ z, right Jacobian

    for _ in range(steps):
        k1 = rate(np.zeros_like(v), v)
        k2 = rate(h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = rate(h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = rate(h * k3[0], v + h * k3[1])
        z, w = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4))
        q, v = dog.integrate(q, z), v + w
    return q, v


def blocks(x):
    """Φ, 2nv × 2r, and its left inverse"""
    zero = np.zeros_like(x.Z)
    return np.block([[x.Z, zero], [x.X, x.Z]]), np.block([[x.P, zero.T], [zero.T, x.P]])


@pytest.mark.parametrize("holds", [FEET, MIXED, TORSO])
def test_flow(dog, holds):
    """y and u of perturbed motions, seen in the projected basis, over ±h and ±2h: their rate at 0 is A_r, up to how much
    the two bases turn against each other."""
    q, v, tau = moving_state(dog, holds, 1)
    x = dog.constrained_reduce(holds, q, v, tau)
    r, n = x.A.shape[0] // 2, dog.nv
    assert r == dog.constrained_freedom(holds, q)
    phi, _ = blocks(x)
    eps, h = 1e-4, 2e-3

    def seen(t):
        """Φ̃(t)⁺ Ψ(t) Φ(0), and P(0) Z̃(t)"""
        q_t, v_t = flow(dog, holds, q, v, tau, t, 2)
        there = dog.constrained_reduce(holds, q_t, v_t, tau)
        R = there.P @ x.Z  # Z̃ = Z R, and Φ̃⁺ with R⁻¹
        columns = []
        for k in range(2 * r):
            d = np.zeros((2, 2 * n))
            for i, s in enumerate((eps, -eps)):
                dz, dv = s * phi[:n, k], s * phi[n:, k]
                a, b = flow(dog, holds, dog.integrate(q, dz), v + dv, tau, t, 2)
                d[i] = np.concatenate([dog.difference(q_t, a), b - v_t])
            columns.append((d[0] - d[1]) / (2 * eps))
        psi = np.array(columns).T
        left = np.kron(np.eye(2), np.linalg.inv(R)) @ blocks(there)[1]
        # what has left the constraints is of second order in eps
        assert np.abs(psi - blocks(there)[0] @ blocks(there)[1] @ psi).max() < 1e-5 * np.abs(psi).max()
        return left @ psi, x.P @ there.Z @ R

    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
    rate = turn = 0
    for s, w in weights.items():
        psi, projected = seen(s * h)
        rate, turn = rate + w / h * psi, turn + w / h * projected
    ad = -dog.constrained_linearize(holds, q, v, tau).A[:n, :n]
    omega = -x.P @ ad @ x.Z - turn
    want = rate - np.kron(np.eye(2), omega)
    assert np.abs(x.A - want).max() < 1e-6 * np.abs(want).max()
    assert np.abs(x.X).max() > 1e-3  # the state does move
    assert np.allclose(x.B, np.vstack([np.zeros((r, n)), x.Z.T]), atol=0)


def test_eigenvalues(dog):
    """A dog that stands: the eigenvalues of the full A are those of A_r, and two zeros for each row."""
    q, still = dog.neutral(), np.zeros(dog.nv)
    q[7:] = [0, 0.8, -1.6] * 4
    tau = dog.constrained_inverse_dynamics(FEET, q, still, still).tau
    x, full = dog.constrained_reduce(FEET, q, still, tau), dog.constrained_linearize(FEET, q, still, tau)
    phi, left = blocks(x)
    assert np.abs(full.A @ phi - phi @ x.A).max() < 1e-9 * np.abs(full.A).max()
    assert np.allclose(left @ full.B, x.B, atol=1e-10)
    assert np.all(x.X == 0)
    small = np.sort_complex(np.linalg.eigvals(x.A))
    large = np.linalg.eigvals(full.A)
    zero = np.abs(large) < 1e-4  # double zeros split by the square root of round-off
    assert zero.sum() == 24
    assert np.allclose(np.sort_complex(large[~zero]), small, atol=1e-6)


def test_batches_and_refusals(dog):
    states = [moving_state(dog, MIXED, seed) for seed in range(3)]
    q, v, tau = (np.array(part) for part in zip(*states))
    x = dog.constrained_reduce(MIXED, q, v, tau)
    assert x.A.shape == (3, 28, 28) and np.all(dog.constrained_freedom(MIXED, q) == 14)
    for i in range(3):
        one = dog.constrained_reduce(MIXED, q[i], v[i], tau[i])
        assert all(np.array_equal(a[i], b) for a, b in zip(x, one))
    twice = dog.constrained_reduce(MIXED + MIXED[:1], q[0], v[0], tau[0])  # redundant: the same system
    assert np.allclose(np.sort_complex(np.linalg.eigvals(twice.A)), np.sort_complex(np.linalg.eigvals(x.A[0])), atol=1e-8)
    with pytest.raises(hamel.InconsistentError):
        dog.constrained_reduce(MIXED, q[0], np.ones(dog.nv))
    with pytest.raises(hamel.UnsupportedError):
        dog.constrained_reduce([hamel.Hold("fl_foot", "touch")], q[0], v[0])
    free = dog.constrained_reduce([], q[0], v[0], tau[0])
    assert free.A.shape == (36, 36) and np.all(free.X == 0)
