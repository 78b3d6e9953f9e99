"""Robots for the tests. Random numbers have fixed seeds; a failing case prints its arguments."""

import numpy as np
import pytest

import hamel


@pytest.fixture(scope="session")
def quadruped():
    return hamel.load("quadruped")


@pytest.fixture(scope="session", params=[*hamel.builtin_names(), "random"])
def robot(request):
    """Every robot of the library, and one with every kind of joint."""
    if request.param != "random":
        return hamel.load(request.param)
    joints = (
        "revolute prismatic helical cylindrical universal planar spherical translation2 translation3 schoenflies free"
    )
    return hamel.random_model(6, nbodies=14, joints=joints.split(), passive=0.5, nframes=2)


def state(model, seed=0, n=None):
    """A configuration, two velocities and a force."""
    rng = np.random.default_rng(seed)
    shape = (model.nv,) if n is None else (n, model.nv)
    return (model.random(seed, n), *(rng.uniform(-1, 1, shape) for _ in range(3)))
