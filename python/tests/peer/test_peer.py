"""The same call in Hamel, Pinocchio and MuJoCo on real robots, from Python.

Needs pin, mujoco and, for more robots, example-robot-data; robots come from ../shared/models beside the project too.
What is not there is skipped. The tolerances, and the translation between the programs, are those of tests/peer.
"""

import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import hamel

PROJECT = pathlib.Path(__file__).resolve().parents[3]
OTHERS = PROJECT / "tests" / "peer"


def peer_module(name):
    """A module of tests/peer under a name of its own: tests here are called the same."""
    sys.path.append(str(OTHERS))
    spec = importlib.util.spec_from_file_location(f"peer_{name}", OTHERS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


loading, others = peer_module("test_load"), peer_module("test_dynamics")
EPS, Worst, random_state = others.EPS, others.Worst, others.random_state


def info_of(model):
    joints = [dict(zip(FIELDS, j)) for j in model.joints if j.nv]
    return {"joints": joints, "nq": model.nq, "nv": model.nv}


FIELDS = "name type body q nq v nv".split()


def files():
    seen = {}
    for path in loading.urdf_files():
        seen.setdefault(path.name, path)
    return list(seen.values())


@pytest.mark.parametrize("path", files(), ids=lambda p: p.name)
def test_pinocchio(path):
    pin = pytest.importorskip("pinocchio")
    try:
        model = hamel.load(path, mimic="independent", passive=False)
    except hamel.Error as complaint:  # falcon names a link that is not there, ur3 has none
        with pytest.raises(ValueError):
            pin.buildModelFromUrdf(str(path))
        assert complaint.file == str(path)
        return
    if not model.nv:
        pytest.skip("nothing moves")
    info, rng, worst, n = info_of(model), np.random.default_rng(3), Worst(), 3
    theirs = others.Pinocchio(pin, path, info)
    q, v, tau = (np.stack(x) for x in zip(*(random_state(info, rng)[:3] for _ in range(n))))
    singular = model.singular_coordinates(q[0]).any()
    x = None if singular else model.linearize(q, v, tau)
    h, M, motions = model.bias(q, v), model.mass_matrix(q), model.centroidal(q, v)
    if singular:
        with pytest.raises(hamel.SingularError, match=" any inertia"):
            model.linearize(q, v, tau)
    for i in range(n):
        data = theirs.data
        pq, pv, ptau = theirs.configuration(q[i]), theirs.velocity(v[i]), theirs.velocity(tau[i])
        pM = pin.crba(theirs.model, data, pq)
        pM = np.triu(pM) + np.triu(pM, 1).T
        worst.note("M", M[i], theirs.ours(pM), 1e-11)
        worst.note("h", h[i], theirs.ours(pin.nonLinearEffects(theirs.model, data, pq, pv)), 1e-11)
        worst.note("com", motions.com[i], pin.centerOfMass(theirs.model, data, pq), 1e-11)
        compare_frames(pin, model, theirs, worst, q[i], v[i], pq, pv)
        if singular:
            continue
        loss = max(1e-10, 64 * EPS * np.linalg.cond(pM))
        pin.computeABADerivatives(theirs.model, data, pq, pv, ptau)
        Minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        worst.note("acceleration", x.acceleration[i], theirs.ours(data.ddq), loss)
        worst.note("D_q", x.Dq[i], theirs.ours(data.ddq_dq), loss)
        worst.note("D_v", x.Dv[i], theirs.ours(data.ddq_dv), loss)
        worst.note("M^-1", x.Minv[i], theirs.ours(Minv), loss)
    worst.report(path.name)


def compare_frames(pin, model, theirs, worst, q, v, pq, pv):
    pin.computeJointJacobiansTimeVariation(theirs.model, theirs.data, pq, pv)
    pin.forwardKinematics(theirs.model, theirs.data, pq, pv)
    pin.updateFramePlacements(theirs.model, theirs.data)
    aligned = {"left": pin.LOCAL, "right": pin.WORLD, "mixed": pin.LOCAL_WORLD_ALIGNED}
    for frame in model.frames[:: max(1, model.nframes // 5)]:
        index = theirs.model.getFrameId(frame.name, pin.FrameType.BODY)
        if index == theirs.model.nframes:  # of a collision shape: they have none
            continue
        for representation, axes in aligned.items():
            m = model.frame(frame.name, q, v, representation=representation)
            J = pin.getFrameJacobian(theirs.model, theirs.data, index, axes)[:, theirs.order]
            twist = pin.getFrameVelocity(theirs.model, theirs.data, index, axes).vector
            worst.note("pose", m.pose, theirs.data.oMf[index].homogeneous, 1e-12, scale=1)
            worst.note("J", m.J, J, 1e-12, scale=1)
            worst.note("twist", m.twist, twist, 1e-12, scale=1)


@pytest.mark.parametrize("path", sorted((others.MODELS / "mjcf").glob("*.xml")), ids=lambda p: p.name)
def test_mujoco(path, tmp_path):
    """MuJoCo's free joint is the split representation."""
    mujoco = pytest.importorskip("mujoco")
    bare = loading.without_geoms(path, tmp_path)
    theirs = mujoco.MjModel.from_xml_path(str(bare))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data, model = mujoco.MjData(theirs), hamel.load(bare, mimic="independent")
    assert (model.nq, model.nv) == (theirs.nq, theirs.nv)
    info, rng, worst = info_of(model), np.random.default_rng(4), Worst()
    for _ in range(3):
        q, split, force, _ = random_state(info, rng)
        v, tau = model.velocity_from(q, split, "split"), model.force_from(q, force, "split")
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, split, force
        mujoco.mj_forward(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        ours = model.dynamics_to(q, v, model.mass_matrix(q), model.bias(q, v), "split")
        worst.note("M", ours.M, M, 1e-11)
        worst.note("h", ours.h, data.qfrc_bias - data.qfrc_passive, 1e-11)
        a = model.acceleration_to(q, v, model.forward_dynamics(q, v, tau), "split")
        worst.note("acceleration", a, data.qacc, max(1e-10, 64 * EPS * np.linalg.cond(M)))
    worst.report(path.name)
