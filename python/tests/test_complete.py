"""What was last to come from C to Python, each against something that does not use it; and the script that looks for more."""

import json
import pathlib
import re

import numpy as np
import pytest
from conftest import state

import hamel

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


def test_inverse_mass_matrix(robot):
    q = robot.random(4, 7)
    M, Minv = robot.mass_matrix(q), robot.inverse_mass_matrix(q)
    for i in range(7):
        assert np.allclose(M[i] @ Minv[i], np.eye(robot.nv), rtol=0, atol=1e-15 * np.linalg.cond(M[i]) + 1e-13)
        assert np.allclose(robot.inverse_mass_matrix(q[i]), Minv[i], rtol=1e-9, atol=1e-12 * np.abs(Minv[i]).max())


def test_batches_of_dynamics(robot):
    """Batches go through packs: the rows are those of single calls, and forward dynamics undoes inverse dynamics."""
    q, v, tau, _ = state(robot, 3, 9)
    wrenches = np.random.default_rng(1).uniform(-1, 1, (9, robot.nbodies, 6))
    a = robot.forward_dynamics(q, v, tau, wrenches)
    back = robot.inverse_dynamics(q, v, a, wrenches)
    forces = np.abs(robot.mass_matrix(q)).max() * max(1, np.abs(a).max())  # what has to cancel, a ship's among them
    assert np.allclose(back, tau, rtol=0, atol=1e-12 * forces)
    assert np.allclose(robot.inverse_dynamics(q[2], v[2], a[2], wrenches[2]), back[2], rtol=0, atol=1e-13 * forces)
    assert np.allclose(robot.forward_dynamics(q[2], v[2], tau[2], wrenches[2]), a[2], rtol=0, atol=1e-9 * np.abs(a).max())


def test_constraint_reports():
    """A table: four points on the ground that touch, three would do."""
    builder = hamel.Builder()
    builder.add_body("top", None, "free", mass=2.0, moment=np.eye(3))
    for i, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        builder.add_frame(f"leg{i}", "top", position=[x, y, 0.0])
    table = builder.build()
    q, v = table.neutral(), np.zeros(6)
    held = [hamel.Hold(f"leg{i}", "plane") for i in range(4)]
    r = table.constrained_forward_report(held, q, v)
    assert (r.rows, r.rank, r.carrying, r.restitution) == (4, 3, 0, 1) and r.residual < 1e-12
    touching = [hamel.Hold(f"leg{i}", "touch") for i in range(4)]
    r = table.constrained_forward_report(touching, q, v)
    assert (r.rows, r.rank, r.carrying, r.grazing) == (4, 3, 4, 0)
    assert r.violation < 1e-12 and r.complementarity < 1e-12
    lift = np.array([[0, 0, 30.0, 0, 0, 0]])
    r = table.constrained_forward_report(touching, q, v, wrenches=lift)
    assert (r.rank, r.carrying) == (0, 0)
    r = table.constrained_impulse_report(touching, q, [0, 0, -1.0, 0, 0, 0], 0.5)
    assert r.carrying == 4 and r.restitution == 1
    # one leg is asked to rise, the plane it stands on with the others says no
    bent = [*held, hamel.Hold("leg0", "plane", stiffness=1.0, pose=hamel.se3.make(np.eye(3), [1, 1, 1.0]))]
    with pytest.raises(hamel.InconsistentError):
        table.constrained_forward_dynamics(bent, q, v)
    r = table.constrained_forward_report(bent, q, v)
    assert r.residual > 0.1 and r.rank == 3
    r = table.constrained_inverse_report(held, q, v, v)
    assert (r.rows, r.rank) == (4, 3) and r.residual < 1e-12


def test_pose_check():
    H = hamel.se3.exp(np.random.default_rng(0).uniform(-1, 1, (5, 6)))
    assert (hamel.se3.check(H) == 1).all()
    H[1, :3, 0] *= 1.01
    H[2, :3, :3] *= -1
    assert list(hamel.se3.check(H)) == [1, 0, 0, 1, 1] and hamel.se3.check(np.eye(4)) == 1


def test_observer_derivatives(robot):
    """Differences of the wrenches, projected with the Jacobians of the state itself."""
    q, v, _, _ = state(robot, 8)
    nv = robot.nv
    V, A = np.array([0.3, -0.2, 0.1, 0.5, -0.4, 0.2]), np.array([0.1, 0.4, -0.3, 0.2, 0.3, -0.6])

    def force(q1, v1):
        F = robot.observer_wrenches(q1, v1, V, A)
        return robot.inverse_dynamics(q, v, np.zeros(nv)) - robot.inverse_dynamics(q, v, np.zeros(nv), F)

    d, h = robot.observer_derivatives(q, v, V, A), 1e-5
    scale = max(np.abs(force(q, v)).max(), 1)
    for k, z in enumerate(np.eye(nv)):
        by_q = (force(robot.integrate(q, h * z), v) - force(robot.integrate(q, -h * z), v)) / (2 * h)
        by_v = (force(q, v + h * z) - force(q, v - h * z)) / (2 * h)
        assert np.abs(d.by_q[:, k] - by_q).max() < 1e-7 * max(scale, np.abs(d.by_q).max())  # h² and round-off over h
        assert np.abs(d.by_v[:, k] - by_v).max() < 1e-7 * max(scale, np.abs(d.by_v).max())


def test_state_from_text(quadruped, tmp_path):
    q, v, tau, _ = state(quadruped, 2)
    base, knee = quadruped.joints[0], quadruped.joints[3]
    joints = {
        base.name: {"position": q[base.q : base.q + 7].tolist(), "velocity": v[:6].tolist()},
        knee.name: {"position": q[knee.q], "velocity": v[knee.v], "force": tau[knee.v]},
    }
    text = json.dumps({"joints": joints})
    (tmp_path / "state.json").write_text(text)
    for a, b in zip(quadruped.loads_state(text), quadruped.load_state(tmp_path / "state.json")):
        assert np.array_equal(a, b)
    with pytest.warns(UserWarning, match="effort: the key is unknown and ignored"):
        quadruped.loads_state(text.replace("force", "effort"))
    with pytest.raises(hamel.BadFileError):
        quadruped.loads_state("{")


def test_schemes():
    assert hamel.Motion.schemes()["dopri5"] == 5 and hamel.Motion.schemes()["euler"] == 1
    robot = hamel.load("pendulum")
    for scheme in hamel.Motion.schemes():
        hamel.Motion(robot, [0.1], scheme=scheme, step=0.01).advance(0.02)


def test_reference_tables_and_why_not():
    arm = hamel.load("arm7")
    for call in (arm.reference_check, lambda: arm.reference_inverse_mass_matrix(arm.neutral())):
        with pytest.raises(hamel.UnsupportedError, match="'shoulder_yaw' on the world is revolute; the tables want a free base"):
            call()
    with pytest.raises(hamel.UnsupportedError, match="nothing with a mass is fixed to it"):
        arm.reference_model()
    free = arm.reference_model(5.0, moment=np.eye(3))
    assert free.reference_check() is None and free.nv == 13 and free.bodies[0].mass == 5.0
    crane = hamel.load("ship_crane")
    with pytest.raises(hamel.UnsupportedError, match="'base' has armature"):
        crane.reference_linearize(crane.neutral(), np.zeros(crane.nv))
    plain = crane.reference_model()
    q, v, tau, _ = state(plain, 1)
    assert plain.nv == crane.nv and {"swing.0", "swing.1", "swing"} <= {j.name for j in plain.joints}
    slow, fast = plain.reference_linearize(q, v, tau), plain.linearize(q, v, tau)
    assert np.abs(slow.A - fast.A).max() < 1e-8 * np.abs(fast.A).max()


def test_messages_speak_of_files_only_where_there_is_one():
    builder = hamel.Builder()
    builder.add_body("a", axis=[0, 0, 1.0], mass=1, moment=np.eye(3), joint="one")
    builder.add_body("b", "a", axis=[0, 0, 1.0], mass=1, moment=np.eye(3), mimic="one")
    robot = builder.build()
    with pytest.raises(hamel.UnsupportedError) as e:
        robot.rnea([0.1], [0.2], [0.3])
    assert not re.search(r"\bfiles?\b", str(e.value))


def test_the_script_notices(monkeypatch):
    """A function, a type and a field that the package does not have, and a line about nothing."""
    monkeypatch.syspath_prepend(str(TOOLS))
    import complete

    faults = []
    text = """HML_API hml_status hml_se3_juggle(double *x);
    HML_API hml_status hml_se3_exp(const double *x, double *H);
    typedef struct hml_ball { size_t struct_size; double *spin, bounce[3]; } hml_ball;
    typedef enum hml_trick { HML_CASCADE } hml_trick;"""
    table = {"hml_se3_drop": ("–", "why"), "hml_so3_log": ("so3.lug", "why")}
    used = complete.mentioned(complete.binding())
    assert complete.functions(text) == ["hml_se3_exp", "hml_se3_juggle"]
    assert complete.types(text) == {"hml_ball": ["spin", "bounce"], "hml_trick": []}
    count = complete.check_functions(complete.functions(text), table, used, faults.append)
    complete.check_types(complete.types(text), table, complete.binding(), faults.append)
    assert count["by the rule"] == 1 and len(faults) == 3
    assert "hml_se3_juggle: nothing in the package" in faults[0] and "hml_ball" in faults[1] and "hml_trick" in faults[2]
    assert complete.main() == 0
