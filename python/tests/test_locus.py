"""control.locus: against NumPy's eigenvalues, and robots whose border is known."""

import numpy as np
import pytest

import hamel
from hamel import control


def test_branches_are_eigenvalues():
    rng = np.random.default_rng(4)
    for _ in range(5):
        A, D = rng.normal(size=(2, 6, 6))
        x = control.locus((A, D), np.linspace(0, 1, 81))
        for value, row in zip(x.values[::8], x.eigenvalues[::8]):
            theirs = np.linalg.eigvals(A + value * D)
            assert max(np.abs(theirs - z).min() for z in row) < 1e-8
            assert max(np.abs(row - z).min() for z in theirs) < 1e-8
        for crossing in x.crossings:
            theirs = np.linalg.eigvals(A + crossing.value * D)
            assert np.abs(theirs - crossing.eigenvalue).min() < 1e-8 and abs(crossing.eigenvalue.real) < 1e-9
        ends = [(np.linalg.eigvals(A + v * D).real > 0).sum() for v in (0, 1)]
        moved = sum((1 if c.unstable else -1) * (2 if c.eigenvalue.imag > 1e-9 else 1) for c in x.crossings)
        assert ends[1] - ends[0] == moved


def test_a_spring_that_keeps_a_pendulum_upright():
    robot = hamel.load("pendulum")
    A, B = robot.linearize([np.pi], [0.0]).A, robot.linearize([np.pi], [0.0]).B
    x = control.locus(lambda k: A - B @ np.array([[k, 0.0]]), np.linspace(0, 10, 21))
    assert [c.unstable for c in x.crossings] == [False]
    assert abs(x.crossings[0].value - 0.6 * 9.81) < 1e-8  # m g l


def test_no_crossing_is_lost():
    x = control.locus(lambda v: [[np.sin(v)]], np.arange(0.5, 1200 * np.pi, 0.5))
    assert len(x.crossings) == 1199
    assert np.abs(np.array([c.value for c in x.crossings]) - np.pi * np.arange(1, 1200)).max() < 1e-9


def test_steps_and_what_it_refuses():
    x = control.locus(([[0.0]], [[1.0]]), [0.5, 1.5], discrete=True)
    assert abs(x.crossings[0].value - 1) < 1e-12 and x.crossings[0].unstable
    with pytest.raises(hamel.InvalidArgumentError, match="rise"):
        control.locus(([[0.0]], [[1.0]]), [0, 1, 0.5])
    with pytest.raises(hamel.InvalidArgumentError, match="two or more"):
        control.locus(([[0.0]], [[1.0]]), [0])
    with pytest.raises(hamel.NotFiniteError):
        control.locus(lambda v: [[np.nan]], [0, 1])
    with pytest.raises(hamel.NotFiniteError, match="values"):
        control.locus(([[0.0]], [[1.0]]), [0, np.nan])
    for odd in (0.0, [0.0, 1.0], np.zeros((2, 3)), np.zeros((0, 0))):
        with pytest.raises(hamel.InvalidArgumentError, match="square"):
            control.locus(lambda v: odd, [0, 1])
    with pytest.raises(ZeroDivisionError):
        control.locus(lambda v: [[1 / (v - 1)]], [0, 1])
