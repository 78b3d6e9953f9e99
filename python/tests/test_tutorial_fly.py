"""The tutorial's drone is caught from 150° of tilt by feedback on the group, and lost by the same gains on Euler angles."""

import pathlib

import numpy as np
import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture(scope="module")
def page():
    """What the page defines up to the flights: the robot, the gains, the two errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        import tutorials

        names = {}
        for code, _ in tutorials.cells("fly-upside-down-drone"):
            if "thrown([" in code:
                break
            exec(code, names)
        return names


def test_both_errors_agree_to_first_order(page):
    """They differ by the square of the distance: the gains are those of the same LQR for both."""
    rng = np.random.default_rng(3)
    q = page["drone"].integrate(page["hover"], 1e-4 * rng.uniform(-1, 1, (10, page["nv"])))
    v = 1e-4 * rng.uniform(-1, 1, q.shape[:1] + (page["nv"],))
    gap = page["on_group"](q, v, None) - page["in_angles"](q, v, None)
    assert 0 < abs(gap).max() < 4e-8  # up to four products of 1e-4 in a row


def test_the_group_catches_what_angles_lose(page):
    start = page["thrown"](np.array([135.0, 135.0, -180.0, 90.0]), np.array([0.0, 30.0, 150.0, 60.0]))
    assert np.allclose(page["tilt"](start), 150)
    group = page["fly"](page["on_group"], start, 8)
    assert page["caught"](group).all()
    assert page["tilt"](group[-1]).max() < 0.1  # it has settled: 8 s are five of its slowest time constants
    assert group[..., 2].min() > -3  # metres it falls on the way
    angles = page["fly"](page["in_angles"], start, 8)
    assert not page["caught"](angles).any()
    assert angles[..., 2].min(axis=0).max() < -20  # it tumbles, and falls like a stone
