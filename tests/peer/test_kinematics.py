"""Frames against Pinocchio on real robots: poses, Jacobians, their rates, derivatives, Hessians, com, centroidal momentum.

Needs numpy and pin. The programs are build/tests/dump_model and dump_kinematics, or what HAMEL_DUMP and
HAMEL_DUMP_KINEMATICS say. Robots come from ../shared/models beside the project; without them there is nothing to test.

Tolerance: 1e-12 of the largest entry of a matrix, and of 1 where that is smaller: both sides multiply some dozens of
rotations in double precision, over lengths of metres.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("HAMEL_DUMP", str(PROJECT / "build" / "tests" / "dump_model"))
KINEMATICS = os.environ.get("HAMEL_DUMP_KINEMATICS", str(pathlib.Path(DUMP).parent / "dump_kinematics"))
MODELS = PROJECT.parent / "shared" / "models"
TOLERANCE = 1e-12
REPRESENTATIONS = {"left": pin.LOCAL, "right": pin.WORLD, "mixed": pin.LOCAL_WORLD_ALIGNED}


class Numbers:
    """Raw doubles, taken piece by piece."""

    def __init__(self, raw):
        self.data, self.at = np.frombuffer(raw), 0

    def take(self, *shape):
        size = int(np.prod(shape))
        self.at += size
        return self.data[self.at - size : self.at].reshape(shape)


def skip_frame(numbers, nv):
    """A frame's numbers in all representations; returns dV/dq of the last one, mixed."""
    for hessians in (1, 1, 0):
        numbers.take(16), numbers.take(12, nv), numbers.take(12)
        Vq, _, _ = numbers.take(6, nv), numbers.take(6, nv), numbers.take(6, nv)
        numbers.take(hessians * 6 * nv * nv)
    return Vq


def assert_close(ours, theirs, what):
    size = max(1.0, np.abs(theirs).max(initial=0))
    worst = np.abs(np.asarray(ours) - np.asarray(theirs)).max(initial=0) / size
    assert worst <= TOLERANCE, f"{what}: {worst}"


class Robot:
    """A model in both programs, joints matched by name."""

    def __init__(self, path, base):
        options = ["--base", base, "--independent", str(path)]
        self.options = options
        self.ours = json.loads(subprocess.run([DUMP, *options], input="", capture_output=True, text=True).stdout)
        self.model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if base == "free" else []))
        self.data = self.model.createData()
        self.nq, self.nv = self.ours["nq"], self.ours["nv"]
        self.columns = np.zeros(self.nv, int)  # our column i is their column columns[i]
        for joint, theirs in self.joints():
            self.columns[joint["v"] : joint["v"] + joint["nv"]] = theirs.idx_v + np.arange(joint["nv"])

    def joints(self):
        for joint in self.ours["joints"]:
            name = "root_joint" if joint["name"] == "base" else joint["name"]
            yield joint, self.model.joints[self.model.getJointId(name)]

    def random_state(self, rng):
        """q in our order and in theirs; ν and ν̇ in ours."""
        q, theirs = np.zeros(self.nq), pin.neutral(self.model)
        for joint, j in self.joints():
            own = rng.uniform(-1, 1, joint["nq"])
            if joint["type"] == "revolute":
                own *= 3
            if joint["type"] == "free":
                own[3:] /= np.linalg.norm(own[3:])
            q[joint["q"] : joint["q"] + joint["nq"]] = own
            if joint["type"] == "free":
                own = np.array([*own[:3], *own[4:], own[3]])
            elif j.nq == 2:  # a continuous joint is (cos, sin) there
                own = np.array([np.cos(own[0]), np.sin(own[0])])
            theirs[j.idx_q : j.idx_q + j.nq] = own
        return q, theirs, rng.normal(size=self.nv), rng.normal(size=self.nv)

    def kinematics(self, q, v, a):
        text = " ".join(repr(float(x)) for x in (*q, *v, *a))
        run = subprocess.run([KINEMATICS, *self.options], input=text.encode(), capture_output=True, check=True)
        return Numbers(run.stdout)

    def to_pinocchio(self, x):
        out = np.zeros(self.nv)
        out[self.columns] = x
        return out


def robots():
    files = sorted(MODELS.glob("*.urdf"))
    return [pytest.param(f, base, id=f"{f.name}-{base}") for f in files for base in ("free", "fixed")]


@pytest.mark.parametrize("path, base", robots())
def test_against_pinocchio(path, base):
    robot = Robot(path, base)
    rng = np.random.default_rng(7)
    if robot.nv == 0:
        pytest.skip("nothing moves")
    model, data, nv, columns = robot.model, robot.data, robot.nv, robot.columns
    for _ in range(2):
        q, q_pin, v, a = robot.random_state(rng)
        v_pin, a_pin = robot.to_pinocchio(v), robot.to_pinocchio(a)
        numbers = robot.kinematics(q, v, a)
        pin.computeForwardKinematicsDerivatives(model, data, q_pin, v_pin, a_pin)
        pin.computeJointJacobiansTimeVariation(model, data, q_pin, v_pin)
        pin.computeJointKinematicHessians(model, data, q_pin)
        pin.forwardKinematics(model, data, q_pin, v_pin, a_pin)
        pin.updateFramePlacements(model, data)
        for name in robot.ours["frames"]:
            frame = model.getFrameId(name, pin.FrameType.BODY)
            if frame == model.nframes:  # of a collision shape: they have none
                skip_frame(numbers, nv)
                continue
            for representation, rf in REPRESENTATIONS.items():
                what = f"{name}, {representation}"
                mixed = representation == "mixed"
                assert_close(numbers.take(4, 4), data.oMf[frame].homogeneous, what)
                J, Jdot = numbers.take(6, nv), numbers.take(6, nv)
                assert_close(J, pin.getFrameJacobian(model, data, frame, rf)[:, columns], f"J of {what}")
                theirs = pin.getFrameJacobianTimeVariation(model, data, frame, rf)[:, columns]
                assert_close(Jdot, theirs, f"Jdot of {what}")
                twist, acceleration = numbers.take(6), numbers.take(6)
                assert_close(twist, pin.getFrameVelocity(model, data, frame, rf).vector, f"twist of {what}")
                theirs = pin.getFrameClassicalAcceleration if mixed else pin.getFrameAcceleration
                assert_close(acceleration, theirs(model, data, frame, rf).vector, f"acceleration of {what}")
                Vq, Aq, Av = numbers.take(6, nv), numbers.take(6, nv), numbers.take(6, nv)
                if not mixed:  # their aligned derivatives are not those of the aligned numbers, see below
                    theirs = pin.getFrameVelocityDerivatives(model, data, frame, rf)[0]
                    assert_close(Vq, theirs[:, columns], f"dV/dq of {what}")
                    theirs = pin.getFrameAccelerationDerivatives(model, data, frame, rf)
                    assert_close(Aq, theirs[1][:, columns], f"dA/dq of {what}")
                    assert_close(Av, theirs[2][:, columns], f"dA/dv of {what}")
                    compare_hessian(robot, frame, representation, rf, numbers.take(nv, 6, nv))
        compare_centroidal(robot, numbers, q_pin, v_pin, a_pin)
        assert numbers.at == len(numbers.data)


def compare_hessian(robot, frame, representation, rf, hessian):
    """Theirs is of joints; a frame that coincides with its joint has the same."""
    model, columns = robot.model, robot.columns
    if not model.frames[frame].placement.isIdentity():
        return
    joint = model.frames[frame].parentJoint
    if joint == 0:
        return
    theirs = pin.getJointKinematicHessian(model, robot.data, joint, rf)
    theirs = theirs.ravel().reshape(theirs.shape, order="F")  # the binding gives columns first away as rows first
    theirs = theirs[:, columns][:, :, columns].transpose(2, 0, 1)
    assert_close(hessian, theirs, f"Hessian, {representation}")


def compare_centroidal(robot, numbers, q, v, a):
    model, data, nv, columns = robot.model, robot.data, robot.nv, robot.columns
    com, J, Jdot = numbers.take(3), numbers.take(3, nv), numbers.take(3, nv)
    velocity, acceleration = numbers.take(3), numbers.take(3)
    A, Adot, h, hdot = numbers.take(6, nv), numbers.take(6, nv), numbers.take(6), numbers.take(6)
    assert_close(J, pin.jacobianCenterOfMass(model, data, q)[:, columns], "J of the com")
    pin.centerOfMass(model, data, q, v, a)
    assert_close(com, data.com[0], "com")
    assert_close(velocity, data.vcom[0], "velocity of the com")
    assert_close(acceleration, data.acom[0], "acceleration of the com")
    pin.dccrba(model, data, q, v)
    assert_close(A, data.Ag[:, columns], "centroidal momentum matrix")
    assert_close(Adot, data.dAg[:, columns], "its rate")
    assert_close(Jdot, data.dAg[:3, columns] / data.mass[0], "Jdot of the com")
    pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
    assert_close(h, data.hg.vector, "centroidal momentum")
    assert_close(hdot, data.dhg.vector, "its rate")
    by_q, rate_by_q, rate_by_v, _ = pin.computeCentroidalDynamicsDerivatives(model, data, q, v, a)
    assert_close(numbers.take(6, nv), by_q[:, columns], "centroidal momentum by q")
    assert_close(numbers.take(6, nv), rate_by_q[:, columns], "its rate by q")
    assert_close(numbers.take(6, nv), rate_by_v[:, columns], "its rate by v")


def test_mixed_derivatives_against_differences_of_pinocchio():
    """∂V/∂q, mixed: ours is the derivative of Pinocchio's aligned velocity, whose own is not (version 4.1)."""
    path = MODELS / "solo12.urdf"
    if not path.exists():
        pytest.skip("no robot")
    robot = Robot(path, "free")
    model, data, nv = robot.model, robot.data, robot.nv
    q, q_pin, v, a = robot.random_state(np.random.default_rng(3))
    v_pin = robot.to_pinocchio(v)
    numbers = robot.kinematics(q, v, a)
    frames = robot.ours["frames"]
    for name in frames:
        frame = model.getFrameId(name, pin.FrameType.BODY)
        Vq = skip_frame(numbers, nv)

        def velocity(step):
            pin.forwardKinematics(model, data, pin.integrate(model, q_pin, robot.to_pinocchio(step)), v_pin)
            pin.updateFramePlacement(model, data, frame)
            return pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector.copy()

        h = 1e-5
        for k, step in enumerate(h * np.eye(nv)):
            difference = (velocity(step) - velocity(-step)) / (2 * h)
            assert np.abs(Vq[:, k] - difference).max() < 1e-8, name  # h² times third derivatives near 1e2
