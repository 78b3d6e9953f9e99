"""The other tutorials run, and what they claim in their assertions holds."""

import pathlib

import pytest

import hamel

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


@pytest.mark.parametrize("name", ["a-and-b-of-your-robot", "stand-lqr-quadruped", "trot-mpc-quadruped", "flip-drone-window", "grasp-satellite", "place-load-crane", "from-pinocchio-to-hamel", "from-crocoddyl-to-hamel"])
def test_runs(name, monkeypatch):
    if name.startswith("from-"):
        pytest.importorskip("pinocchio")
        if "crocoddyl" in name:
            pytest.importorskip("crocoddyl")
        try:
            hamel.find("solo12")
        except hamel.NotFoundError:
            pytest.skip("example-robot-data is not there")
    monkeypatch.syspath_prepend(str(TOOLS))
    import tutorials

    assert tutorials.run(name)
