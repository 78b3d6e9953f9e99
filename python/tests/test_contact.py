"""Which shapes of a robot touch each other, and motions that are saved and gone on with."""

import numpy as np
import pytest

import hamel


def two_balls(**bits):
    builder = hamel.Builder("balls", gravity=[0, 0, 0])
    for name in ("a", "b"):
        builder.add_body(name, None, "translation3", mass=1.0)
        builder.add_shape(name, "sphere", [0.1], **bits)
    return builder


def test_exclusions():
    q = np.array([0.15, 0.0, 0.0, 0.0, 0.0, 0.0])
    v = np.zeros(6)
    plain = two_balls().build()
    assert plain.exclusions == () and plain.shapes[0].contype == 0
    touching = hamel.Contact(plain, [], pairs=True)
    assert touching.step(q, v, 1e-3).contacts == 1
    assert touching.exclude(q) == 1
    assert touching.step(q, v, 1e-3).contacts == 0
    apart = two_balls().add_exclusion("a", "b").add_exclusion("a", None).build()
    assert apart.exclusions == (("a", "b"), ("a", None))
    assert hamel.Contact(apart, [], pairs=True).step(q, v, 1e-3).contacts == 0
    bits = two_balls(contype=1, conaffinity=2).build()
    assert (bits.shapes[1].contype, bits.shapes[1].conaffinity) == (1, 2)
    assert hamel.Contact(bits, [], pairs=True).step(q, v, 1e-3).contacts == 0
    with pytest.raises(hamel.InvalidArgumentError, match="4294967295"):
        two_balls(contype=-1)


def test_memory_goes_on_with_the_same_bits():
    robot = two_balls().build()
    q, v = np.array([0.15, 0.0, 0.0, 0.0, 0.01, 0.0]), np.array([-1.0, 0.2, 0, 0, 0, 0.3])
    first, second = (hamel.Contact(robot, [hamel.Plane(friction=0.5)], pairs=True) for _ in range(2))
    for _ in range(5):
        q, v, *_ = first.step(q, v, 1e-3)
    second.memory = first.memory
    one, other = first.step(q, v, 1e-3), second.step(q, v, 1e-3)
    assert np.array_equal(one.q, other.q) and np.array_equal(one.v, other.v)
    with pytest.raises(hamel.InvalidArgumentError):
        second.memory = -np.ones_like(first.memory)
    with pytest.raises(hamel.InvalidArgumentError):
        second.memory = np.zeros(1)


def standing(quadruped):
    """The quadruped, held on its feet by a servo until it rests"""
    contact = hamel.Contact(quadruped, [hamel.Plane(friction=0.8)])
    gains = np.r_[np.zeros(6), np.ones(12)]
    q, v = contact.place(np.r_[quadruped.neutral()[:7], 4 * [0, 0.6, -1.2]]), np.zeros(18)
    contact.set_servo(q, 200 * gains, 5 * gains)
    for _ in range(400):
        step = contact.step(q, v, 2e-3)
        q, v = step.q, step.v
    return contact, q, v


def test_the_derivatives_of_a_step_of_a_robot_that_stands(quadruped):
    """Where a step ends when its start is moved a little, against Ad and Bd"""
    contact, q, v = standing(quadruped)
    memory, n, eps = contact.memory, 18, 1e-7
    z, w = np.random.default_rng(8).standard_normal((2, 2 * n))

    def end(t):
        contact.memory = memory
        at = quadruped.integrate(q, t * z[:n]), v + t * z[n:]
        step = contact.step(*at, 2e-3, t * w[:n])
        assert step.contacts == 4
        return step

    end(0)
    A, B = contact.linearize()
    assert A.shape == (36, 36) and B.shape == (36, 18)
    ahead, behind = end(eps), end(-eps)
    found = np.concatenate([quadruped.difference(behind.q, ahead.q), ahead.v - behind.v]) / (2 * eps)
    assert np.allclose(A @ z + B @ w[:n], found, atol=1e-6 * np.abs(found).max())


def test_steps_without_a_derivative(quadruped):
    contact = hamel.Contact(quadruped, [hamel.Plane()])
    with pytest.raises(hamel.InvalidArgumentError, match="no step"):
        contact.linearize()
    contact.step(np.r_[0, 0, 1, 1, 0, 0, 0, 4 * [0, 0.6, -1.2]], np.zeros(18), 1e-3)
    assert contact.linearize()[0].shape == (36, 36)
    contact.forget()
    with pytest.raises(hamel.InvalidArgumentError, match="no step"):
        contact.linearize()
    balls = two_balls().build()
    touching = hamel.Contact(balls, [], pairs=True)
    touching.step([0.15, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0], 1e-3)
    with pytest.raises(hamel.UnsupportedError):
        touching.linearize()
