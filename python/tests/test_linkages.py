"""The linkages of examples/linkages against their closed forms."""

import pathlib

import numpy as np
import pytest

import hamel

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "linkages"

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9


@pytest.fixture(scope="module")
def four_bar():
    return hamel.load(FOLDER / "four_bar.json")


@pytest.fixture(scope="module")
def stewart():
    return hamel.load(FOLDER / "stewart.json")


def solution(crank, side):
    """the angle of the coupler against the crank, and of the rocker: two circles meet at the pin"""
    pin = CRANK * np.array([np.cos(crank), np.sin(crank)])
    to = np.array([GROUND, 0.0]) - pin
    d = np.hypot(*to)
    along = (COUPLER**2 - ROCKER**2 + d**2) / (2 * d)
    end = along * to / d + side * np.sqrt(COUPLER**2 - along**2) * np.array([-to[1], to[0]]) / d
    return np.arctan2(end[1], end[0]) - crank, np.arctan2(end[1] - to[1], end[0] - to[0])


def near_angle(x, y, bound):
    assert abs(np.remainder(x - y + np.pi, 2 * np.pi) - np.pi) < bound


def test_four_bar_against_the_closed_form(four_bar):
    for crank in np.linspace(0, 2 * np.pi, 25):
        coupler, rocker = solution(crank, 1)
        closed = four_bar.close(four_bar.loops, [crank, coupler + 0.2, rocker - 0.2], locked=["crank_pin"])
        assert closed.ok and closed.q[0] == crank
        near_angle(closed.q[1], coupler, 1e-8)
        near_angle(closed.q[2], rocker, 1e-8)
        assert four_bar.constrained_freedom(four_bar.loops, closed.q) == 1


def test_velocities_of_the_four_bar(four_bar):
    """the motion that is left is the derivative of the closed form"""
    crank, h = 0.7, 1e-4
    q = np.array([crank, *solution(crank, 1)])
    rate = (np.array(solution(crank + h, 1)) - np.array(solution(crank - h, 1))) / (2 * h)
    a = four_bar.constrained_linearize(four_bar.loops, q, np.zeros(3), np.zeros(3))
    motion = a.Dtau @ [1, 0, 0]  # the acceleration that a torque of the crank makes, at rest along the motion
    assert np.abs(motion[1:] / motion[0] - rate).max() < 1e-6


def test_legs_of_the_platform_against_their_lengths(stewart):
    rng = np.random.default_rng(2)
    base = np.array([stewart.frame(f"cylinder_{i}", stewart.neutral()).pose[:3, 3] for i in range(1, 7)])
    for _ in range(5):
        guess = stewart.integrate(stewart.neutral(), np.r_[0.08 * rng.standard_normal(6), np.zeros(18)])
        closed = stewart.close(stewart.loops, guess, locked=["platform"])
        assert closed.ok, closed.message
        tops = np.array([stewart.frame(f"socket_{i}", guess).pose[:3, 3] for i in range(1, 7)])
        lengths = np.linalg.norm(tops - base, axis=1)
        slides = np.array([closed.q[j.q] for j in stewart.joints if j.name.startswith("slide")])
        assert np.abs(np.abs(1 + slides) - lengths).max() < 1e-8  # a leg may also point the other way
        assert stewart.constrained_freedom(stewart.loops, closed.q) == 6


def test_a_loop_that_cannot_close(four_bar):
    """a rod that is longer than crank, coupler, rocker and ground together"""
    far = hamel.Hold("coupler_end", "distance", other="rocker_end", distance=3.0)
    closed = four_bar.close([far], four_bar.neutral(), strict=False)
    assert not closed.ok and "0.4 m are left" in closed.message
    with pytest.raises(hamel.InconsistentError, match="cannot be closed"):
        four_bar.close([far], four_bar.neutral())
