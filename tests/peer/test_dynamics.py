"""Equations of motion and linearization of real robots against Pinocchio (URDF) and MuJoCo (MJCF), through the command.

Needs numpy, pin and mujoco. The command is build/hamel, or what HAMEL_COMMAND says; HAMEL_STATES states are drawn for
each robot, 20 by default. Real robots come from ../shared/models beside the project; what is not there is skipped.

Tolerances. M, h, energies and momenta are sums of products of numbers near one: 1e-11 of the largest entry. What was
divided by M loses as many digits as M's condition number says, on their side as on ours: 1e-10, and 64 ε cond(M) where
that is more.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from test_load import without_geoms

PROJECT = pathlib.Path(__file__).resolve().parents[2]
HAMEL = os.environ.get("HAMEL_COMMAND", str(PROJECT / "build" / "hamel"))
MODELS = PROJECT.parent / "shared" / "models"
STATES = int(os.environ.get("HAMEL_STATES", "20"))
SINGULAR = {"romeo.urdf"}
EPS = np.finfo(float).eps


def hamel(folder, command, path, *options, state=None):
    """The result of a command as arrays, or what it said when it failed."""
    out = folder / f"{command}.json"
    arguments = [HAMEL, command, str(path), "--quiet", "--out", str(out), *options]
    if state is not None:
        (folder / "state.json").write_text(json.dumps(state))
        arguments += ["--state", str(folder / "state.json")]
    run = subprocess.run(arguments, capture_output=True, text=True)
    if run.returncode:
        return run.returncode, run.stderr
    return {key: np.array(x) if isinstance(x, list | float) else x for key, x in json.loads(out.read_text()).items()}


def joints_of(folder, path, *options):
    """The joints that have coordinates, and how many numbers they have."""
    joints = [j for j in hamel(folder, "info", path, *options)["joints"] if j["nv"]]
    return {"joints": joints, "nq": sum(j["nq"] for j in joints), "nv": sum(j["nv"] for j in joints)}


def random_state(info, rng, place=0.0):
    """Positions, velocities and forces by joint, and the same as vectors in Hamel's order."""
    q, v, tau, joints = np.zeros(info["nq"]), np.zeros(info["nv"]), np.zeros(info["nv"]), {}
    for joint in info["joints"]:
        own = rng.uniform(-1, 1, joint["nq"])
        if joint["type"] == "revolute":
            own *= 3
        if joint["type"] in ("spherical", "free"):
            turn = rng.normal(size=4)
            own[-4:] = turn / np.linalg.norm(turn)
            own[:-4] += place
        speed, force = rng.uniform(-1, 1, joint["nv"]), rng.uniform(-5, 5, joint["nv"])
        q[joint["q"] : joint["q"] + joint["nq"]] = own
        v[joint["v"] : joint["v"] + joint["nv"]] = speed
        tau[joint["v"] : joint["v"] + joint["nv"]] = force
        joints[joint["name"]] = {"position": list(own), "velocity": list(speed), "force": list(force)}
    return q, v, tau, {"joints": joints}


def off(ours, theirs, scale=0.0):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape
    return np.abs(ours - theirs).max(initial=0) / max(scale, np.abs(theirs).max(initial=0), 1e-300)


class Worst(dict):
    """The worst difference of each quantity, and an assertion about it."""

    def note(self, what, ours, theirs, tolerance, scale=0.0):
        difference = off(ours, theirs, scale)
        self[what] = max(self.get(what, 0.0), difference)
        assert difference <= tolerance, f"{what}: {difference:.1e} is more than {tolerance:.1e}"

    def report(self, name):
        print(f"\n{name}: " + ", ".join(f"{what} {x:.1e}" for what, x in self.items()))


# ---- Pinocchio ----


class Pinocchio:
    """A URDF in Pinocchio, spoken to in Hamel's order of joints."""

    def __init__(self, pin, path, info):
        free = info["joints"][0]["type"] == "free"
        self.pin = pin
        self.model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
        self.data = self.model.createData()
        self.joints = [
            (j, self.model.joints[self.model.getJointId("root_joint" if j["name"] == "base" else j["name"])])
            for j in info["joints"]
        ]
        # coordinate i of Hamel's is coordinate order[i] of Pinocchio's
        self.order = np.concatenate([np.arange(theirs.idx_v, theirs.idx_v + theirs.nv) for _, theirs in self.joints])

    def configuration(self, q):
        out = self.pin.neutral(self.model)
        for ours, theirs in self.joints:
            own = q[ours["q"] : ours["q"] + ours["nq"]]
            if ours["type"] == "free":
                own = [*own[:3], *own[4:], own[3]]
            elif theirs.nq == 2:  # continuous
                own = [np.cos(own[0]), np.sin(own[0])]
            out[theirs.idx_q : theirs.idx_q + theirs.nq] = own
        return out

    def velocity(self, v):
        out = np.zeros(self.model.nv)
        out[self.order] = v
        return out

    def ours(self, x):
        return x[self.order] if x.ndim == 1 else x[np.ix_(self.order, self.order)]


def urdf_files(singular):
    return [p for p in sorted(MODELS.glob("*.urdf")) if (p.name in SINGULAR) == singular]


OPTIONS = ("--mimic", "independent", "--passive", "off")


@pytest.mark.parametrize("path", urdf_files(False), ids=lambda p: p.name)
def test_urdf(path, tmp_path):
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(2)
    info = joints_of(tmp_path, path, *OPTIONS)
    theirs = Pinocchio(pin, path, info)
    model, data = theirs.model, theirs.data
    worst = Worst()
    for _ in range(STATES):
        q, v, tau, state = random_state(info, rng)
        d = hamel(tmp_path, "dynamics", path, *OPTIONS, state=state)
        x = hamel(tmp_path, "linearize", path, *OPTIONS, "--inputs", "all", state=state)
        pq, pv, ptau = theirs.configuration(q), theirs.velocity(v), theirs.velocity(tau)
        nv = info["nv"]

        M = pin.crba(model, data, pq)
        M = np.triu(M) + np.triu(M, 1).T
        loss = max(1e-10, 64 * EPS * np.linalg.cond(M))
        h = pin.nonLinearEffects(model, data, pq, pv)
        worst.note("M", d["M"], theirs.ours(M), 1e-11)
        worst.note("h", d["h"], theirs.ours(h), 1e-11)
        gravity = pin.computeGeneralizedGravity(model, data, pq)
        worst.note("gravity", d["gravity"], theirs.ours(gravity), 1e-11)
        worst.note("kinetic energy", d["kinetic_energy"], pin.computeKineticEnergy(model, data, pq, pv), 1e-11)
        weight = 9.81 * sum(i.mass for i in model.inertias)
        potential = pin.computePotentialEnergy(model, data, pq)
        worst.note("potential energy", d["potential_energy"], potential, 1e-11, scale=weight)
        worst.note("com", d["com"], pin.centerOfMass(model, data, pq), 1e-11)
        pin.computeCentroidalMomentum(model, data, pq, pv)
        worst.note("momentum", d["centroidal_momentum"], data.hg.vector, 1e-11)

        pin.computeABADerivatives(model, data, pq, pv, ptau)
        Minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        worst.note("acceleration", x["acceleration"], theirs.ours(data.ddq), loss)
        worst.note("D_q", x["A"][nv:, :nv], theirs.ours(data.ddq_dq), loss)
        worst.note("D_v", x["A"][nv:, nv:], theirs.ours(data.ddq_dv), loss)
        worst.note("M^-1", x["B"][nv:], theirs.ours(Minv), loss)
        # the upper half is known: [-ad 1; 0 1]
        ad = np.zeros((nv, nv))
        if info["joints"][0]["type"] == "free":
            ad[:6, :6] = pin.Motion(v[:6]).action
        worst.note("upper half of A", x["A"][:nv], np.hstack([-ad, np.eye(nv)]), 0)
    worst.report(path.name)


@pytest.mark.parametrize("path", urdf_files(True), ids=lambda p: p.name)
def test_singular(path, tmp_path):
    """Romeo's hands have joints that move nothing with inertia: the error names them."""
    code, said = hamel(tmp_path, "linearize", path)
    assert code == 3
    assert "singular" in said and "LHand" in said and "RHand" in said
    assert not (tmp_path / "linearize.json").exists()


def test_far_away(tmp_path):
    """A thousand kilometres from the origin Hamel finds the same A. Pinocchio, in the world's frame, does not."""
    pin = pytest.importorskip("pinocchio")
    path = MODELS / "solo12.urdf"
    if not path.exists():
        pytest.skip("no robots")
    info = joints_of(tmp_path, path)
    theirs = Pinocchio(pin, path, info)
    A, D = {}, {}
    for place in (0.0, 1e6):
        q, v, tau, state = random_state(info, np.random.default_rng(3), place)
        x = hamel(tmp_path, "linearize", path, *OPTIONS, state=state)
        A[place] = x["A"]
        pin.computeABADerivatives(
            theirs.model, theirs.data, theirs.configuration(q), theirs.velocity(v), theirs.velocity(tau)
        )
        D[place] = theirs.ours(np.array(theirs.data.ddq_dq))
    print(f"\nat 1e6 m: A differs by {off(A[1e6], A[0.0]):.1e}, Pinocchio's ddq_dq by {off(D[1e6], D[0.0]):.1e}")
    assert off(A[1e6], A[0.0]) <= 1e-12


# ---- MuJoCo ----


@pytest.mark.parametrize("path", sorted((MODELS / "mjcf").glob("*.xml")), ids=lambda p: p.name)
def test_mjcf(path, tmp_path):
    """MuJoCo's free joint is the split representation: linear velocity in the world, angular in the body."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(4)
    bare = without_geoms(path, tmp_path)
    model = mujoco.MjModel.from_xml_path(str(bare))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data = mujoco.MjData(model)
    info = joints_of(tmp_path, bare, "--mimic", "independent")
    assert (info["nq"], info["nv"]) == (model.nq, model.nv)
    worst = Worst()
    for _ in range(STATES):
        q, v, tau, state = random_state(info, rng)
        state["representation"] = "split"
        options = ("--mimic", "independent", "--representation", "split")
        d = hamel(tmp_path, "dynamics", bare, *options, state=state)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        worst.note("M", d["M"], M, 1e-11)
        worst.note("h", d["h"], data.qfrc_bias - data.qfrc_passive, 1e-11)
        loss = max(1e-10, 64 * EPS * np.linalg.cond(M))
        worst.note("acceleration", d["acceleration"], data.qacc, loss)
    worst.report(path.name)
