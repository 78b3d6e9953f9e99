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
