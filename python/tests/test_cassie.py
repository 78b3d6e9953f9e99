"""Cassie, whose legs are closed loops: its linearization against differences of its own constrained dynamics.

The file comes from ../shared/models beside the project; without it there is nothing to test.
"""

import pathlib

import numpy as np
import pytest

import hamel

FILE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models" / "mjcf" / "agility_cassie.xml"

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="no model of Cassie beside the project"),
    pytest.mark.filterwarnings("ignore::hamel.ModelWarning"),
]

# of the eighth-order central difference, for steps 1 to 4; that of −k has the other sign
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


@pytest.fixture(scope="module")
def cassie():
    return hamel.load(FILE)


@pytest.fixture(scope="module")
def state(cassie):
    """near the posture of the file, with the loops closed, and velocities that keep them closed"""
    rng = np.random.default_rng(7)
    guess = cassie.integrate(cassie.keyframes["home"][0], 0.02 * rng.standard_normal(cassie.nv))
    closing = cassie.close(list(cassie.loops), guess)
    assert closing.ok, closing.message
    q = closing.q
    v = 0.5 * rng.standard_normal(cassie.nv)
    v = cassie.constrained_impulse(list(cassie.loops), q, v).v
    return q, v, rng.standard_normal(cassie.nv)


def difference(f, n, h):
    """∂f/∂z of f(z), z near 0 in n directions, all points in one call"""
    steps = [s * k for k in range(1, 5) for s in (1, -1)]
    values = f(np.concatenate([h * s * np.eye(n) for s in steps])).reshape(len(steps), n, -1)
    weights = [s * w / h for w in WEIGHTS for s in (1, -1)]
    return np.einsum("s,snm->mn", weights, values)


def test_loops_are_read_and_closed(cassie, state):
    q, _, _ = state
    assert len(cassie.loops) == 4 and all(loop.kind == "point" for loop in cassie.loops)
    for loop in cassie.loops:
        there = cassie.frame(loop.other, q).pose @ loop.pose
        assert np.abs(cassie.frame(loop.frame, q).pose[:3, 3] - there[:3, 3]).max() < 1e-9


def test_linearization_against_differences(cassie, state):
    q, v, tau = state
    loops = list(cassie.loops)
    x = cassie.constrained_linearize(loops, q, v, tau)

    def dynamics(q, v, tau):
        return cassie.constrained_forward_dynamics(loops, q, v, tau).acceleration

    n = cassie.nv
    for exact, f, h in (
        (x.Dq, lambda z: dynamics(cassie.integrate(q, z), v, tau), 2e-3),
        (x.Dv, lambda z: dynamics(q, v + z, tau), 1e-1),
        (x.Dtau, lambda z: dynamics(q, v, tau + z), 1.0),
    ):
        off = np.abs(difference(f, n, h) - exact).max() / np.abs(exact).max()
        assert off < 1e-8, off


def test_it_stands_on_the_ground(cassie):
    """servos hold its posture, loops carry the weight to the toes"""
    loops = list(cassie.loops)
    floor = hamel.Contact(cassie, [hamel.Plane(friction=0.8)])
    q = floor.place(cassie.close(loops, cassie.keyframes["home"][0]).q)
    v = np.zeros(cassie.nv)
    stiffness = np.r_[np.zeros(6), np.full(cassie.nv - 6, 2000.0)]
    floor.set_servo(q, stiffness, 0.05 * stiffness)
    up = []
    for _ in range(500):
        after = floor.step(q, v, 0.001)
        q, v = after.q, after.v
        up.append(sum(point.impulse[2] for point in floor.points()) / 0.001)
        assert not after.relaxed
    weight = 9.81 * sum(body.mass for body in cassie.bodies)
    assert np.mean(up) == pytest.approx(weight, rel=0.03)
    for loop in loops:
        there = cassie.frame(loop.other, q).pose @ loop.pose
        assert np.abs(cassie.frame(loop.frame, q).pose[:3, 3] - there[:3, 3]).max() < 1e-5
