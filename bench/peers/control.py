"""Gaits of crocoddyl.utils.quadruped, a humanoid's squat and an arm's reach in Crocoddyl and in Hamel: the same knots,
phases, costs and guess, one thread.

Each problem of Crocoddyl is taken apart, knot by knot, and written for hamel.control. Both solve it; the program compares
the costs of the optima and the time per knot and iteration, and writes build/bench-control.json.

Usage: python control.py [OUT.json]    needs hamel, crocoddyl, pin and example-robot-data; scripts/bench-control.sh has versions
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import crocoddyl
import numpy
import pinocchio
from crocoddyl.utils.quadruped import SimpleQuadrupedalGaitProblem

import hamel
from hamel import control

REPEATS = 15
FEET = {
    "anymal_b": ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"],
    "hyq": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
}
SOLES = ["l_ankle", "r_ankle"]
FILES = {
    "anymal_b": ("anymal_b_simple_description/robots/anymal.urdf", "anymal_b_simple_description/srdf/anymal.srdf"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "hyq_description/srdf/hyq.srdf"),
    "simple_humanoid": (
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        "simple_humanoid_description/srdf/simple_humanoid.srdf",
    ),
    "talos_left_arm": ("talos_data/robots/talos_left_arm.urdf", None),
}


def folder() -> pathlib.Path:
    for path in map(pathlib.Path, sys.path):
        found = path / "cmeel.prefix/share/example-robot-data/robots"
        if found.is_dir():
            return found
    raise SystemExit("example-robot-data is not there")


class Robot:
    """A robot in both programs, and the way from Pinocchio's coordinates to Hamel's"""

    def __init__(self, name: str) -> None:
        file, postures = FILES[name]
        urdf, self.free = str(folder() / file), postures is not None
        if self.free:
            self.theirs = pinocchio.buildModelFromUrdf(urdf, pinocchio.JointModelFreeFlyer())
            pinocchio.loadReferenceConfigurations(self.theirs, str(folder() / postures), False)
        else:
            self.theirs = pinocchio.buildModelFromUrdf(urdf)
        self.theirs.armature = numpy.zeros(self.theirs.nv)
        self.ours = hamel.load(urdf, base="free" if self.free else "fixed", passive=False)
        order = {joint.name: joint for joint in self.ours.joints}
        self.v = numpy.arange(self.ours.nv)
        for index, called in enumerate(self.theirs.names):
            if index > self.free:
                self.v[order[called].v] = self.theirs.joints[index].idx_v
        postures = self.theirs.referenceConfigurations
        self.posture = next((postures[word] for word in ("standing", "half_sitting") if word in postures), None)
        if self.posture is None:
            self.posture = numpy.linspace(0.4, -0.4, self.theirs.nq)
        q = self.posture
        a, b = self.ours.mass_matrix(self.q(q)), pinocchio.crba(self.theirs, self.theirs.createData(), q)
        b = numpy.triu(b) + numpy.triu(b, 1).T
        assert numpy.allclose(a, b[numpy.ix_(self.v, self.v)], atol=1e-9), "the two models differ"

    def q(self, q: numpy.ndarray) -> numpy.ndarray:
        """(x, y, z), quaternion, joints; Pinocchio has the real part of the quaternion last"""
        if not self.free:
            return q[self.v]
        return numpy.concatenate([q[:3], q[[6, 3, 4, 5]], q[7:][self.v[6:] - 6]])


def contacts_of(m) -> list:
    return list(m.differential.contacts.contacts) if hasattr(m.differential, "contacts") else []


def problem_of(robot: Robot, theirs: crocoddyl.ShootingProblem) -> control.Problem:
    """Crocoddyl's problem, written for Hamel"""
    nv, nq, model = robot.ours.nv, robot.theirs.nq, robot.theirs
    frames = [frame.name for frame in model.frames]
    phases, keys = [], []
    for m in theirs.runningModels:
        held = contacts_of(m) if hasattr(m, "differential") else m.impulses.impulses
        items = [c.data().contact if hasattr(c.data(), "contact") else c.data().impulse for c in held]
        kinds = ["frame" if isinstance(c, crocoddyl.ContactModel6D) else "point" for c in items]
        key = ([(frames[c.id], kind) for c, kind in zip(items, kinds)], not hasattr(m, "differential"), m.dt if hasattr(m, "dt") else 0.0)
        if keys and keys[-1] == key and not key[1]:
            phases[-1][0] += 1
        else:
            phases.append([1, key])
            keys.append(key)
    problem = control.Problem(
        robot.ours,
        robot.q(theirs.x0[:nq]),
        [
            control.Phase(n, key[2], [hamel.Hold(f, kind, damping=0.0 if key[1] else 50.0) for f, kind in key[0]], key[1])
            for n, key in phases
        ],
    )
    for k, m in enumerate([*theirs.runningModels, theirs.terminalModel]):
        last, impact = k == len(theirs.runningModels), not hasattr(m, "differential")
        costs = m.costs.costs if impact else m.differential.costs.costs
        scale = 1.0 if impact or last else m.dt
        names = [] if impact else [c.key() for c in contacts_of(m)]
        for entry in costs:
            name, item = entry.key(), entry.data()
            add_cost(robot, problem, k, scale * item.weight, name, item.cost, names, last)
    return problem


def add_cost(robot, problem, k, weight, name, cost, contacts, last) -> None:
    nv, nq = robot.ours.nv, robot.theirs.nq
    r = cost.residual
    if isinstance(r, crocoddyl.ResidualModelCoMPosition):
        problem.add("com", weight, reference=r.reference, knots=k)
    elif isinstance(r, crocoddyl.ResidualModelFrameTranslation):
        problem.add("position", weight, frame=robot.theirs.frames[r.id].name, reference=r.reference, knots=k)
    elif isinstance(r, crocoddyl.ResidualModelFramePlacement):
        problem.add("pose", weight, frame=robot.theirs.frames[r.id].name, reference=r.reference.homogeneous, knots=k)
    elif isinstance(r, crocoddyl.ResidualModelControl):
        if not last:
            problem.add("input", weight, knots=k)
    elif isinstance(r, crocoddyl.ResidualModelContactFrictionCone):
        if not last:
            foot = robot.theirs.frames[r.id].name
            hold = [c.removesuffix("_contact") for c in contacts].index(foot)
            problem.add("cone", weight, role="barrier", hold=hold, friction=r.reference.mu, knots=k)
    elif isinstance(r, crocoddyl.ResidualModelState):
        x = r.reference
        q, v = robot.q(x[:nq]), x[nq:][robot.v]
        if isinstance(cost.activation, crocoddyl.ActivationModelQuadraticBarrier):
            bounds = cost.activation.bounds
            for kind, goal, part in (("configuration", q, slice(0, nv)), ("velocity", v, slice(nv, 2 * nv))):
                lower, upper = (numpy.array(b)[part][robot.v] for b in (bounds.lb, bounds.ub))
                lower[abs(lower) > 1e300], upper[abs(upper) > 1e300] = -numpy.inf, numpy.inf
                problem.add(kind, weight, role="barrier", reference=goal, lower=lower, upper=upper, knots=k)
        else:
            w = numpy.array(cost.activation.weights)
            problem.add("configuration", weight, reference=q, weights=w[:nv][robot.v], knots=k)
            problem.add("velocity", weight, reference=v, weights=w[nv:][robot.v], knots=k)
    else:
        raise SystemExit(f"{name}: {type(r).__name__} is unknown")


def gait(name: str, which: str) -> tuple:
    robot = Robot(name)
    gaits = SimpleQuadrupedalGaitProblem(robot.theirs, *FEET[name])
    make = {"trot": gaits.createTrottingProblem, "walk": gaits.createWalkingProblem}[which]
    return robot, make(robot.theirs.defaultState, 0.15, 0.1, 1e-2, 25, 2)


def costs_of(state, actuation, x0, weights, control, **others):
    """Of the state, of the inputs, and others: name = (residual, weight)"""
    nu, costs = actuation.nu, crocoddyl.CostModelSum(state, actuation.nu)
    activation = crocoddyl.ActivationModelWeightedQuad(numpy.asarray(weights))
    costs.addCost("state", crocoddyl.CostModelResidual(state, activation, crocoddyl.ResidualModelState(state, x0, nu)), 1.0)
    costs.addCost("input", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, nu)), control)
    for name, (residual, weight) in others.items():
        costs.addCost(name, crocoddyl.CostModelResidual(state, residual), weight)
    return costs


def squat(name: str) -> tuple:
    """A humanoid with both soles on the ground goes down by 10 cm and up again"""
    robot = Robot(name)
    model, nv = robot.theirs, robot.theirs.nv
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    x0, data, steps = numpy.r_[robot.posture, numpy.zeros(nv)], model.createData(), 60
    com = pinocchio.centerOfMass(model, data, robot.posture)
    pinocchio.framesForwardKinematics(model, data, robot.posture)
    contacts = crocoddyl.ContactModelMultiple(state, actuation.nu)
    for sole in SOLES:
        frame, gains = model.getFrameId(sole), numpy.array([0.0, 50.0])
        here = crocoddyl.ContactModel6D(state, frame, data.oMf[frame], pinocchio.LOCAL, actuation.nu, gains)
        contacts.addContact(sole + "_contact", here)
    weights = [0.0] * 3 + [50.0] * 3 + [1.0] * (nv - 6) + [1.0] * nv
    running = []
    for k in range(steps + 1):
        goal = com - [0, 0, 0.1 * numpy.sin(numpy.pi * k / steps)]
        there = crocoddyl.ResidualModelCoMPosition(state, goal, actuation.nu)
        costs = costs_of(state, actuation, x0, weights, 1e-3, com=(there, 1e4))
        dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, contacts, costs, 0.0, True)
        running.append(crocoddyl.IntegratedActionModelEuler(dynamics, 0.02 if k < steps else 0.0))
    return robot, crocoddyl.ShootingProblem(x0, running[:-1], running[-1])


def reach(name: str) -> tuple:
    """An arm moves its last frame by a given pose"""
    robot = Robot(name)
    model, nv = robot.theirs, robot.theirs.nv
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)
    x0, data, steps = numpy.r_[robot.posture, numpy.zeros(nv)], model.createData(), 100
    frame = model.nframes - 1
    pinocchio.framesForwardKinematics(model, data, robot.posture)
    goal = data.oMf[frame] * pinocchio.exp6(numpy.array([0.15, -0.1, 0.1, 0.4, -0.3, 0.2]))
    there = crocoddyl.ResidualModelFramePlacement(state, frame, goal, actuation.nu)
    running = []
    for k in range(steps + 1):
        costs = costs_of(state, actuation, x0, [1e-2] * nv + [1e-1] * nv, 1e-4, there=(there, 1e3 if k == steps else 1e-1))
        dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        running.append(crocoddyl.IntegratedActionModelEuler(dynamics, 0.01 if k < steps else 0.0))
    return robot, crocoddyl.ShootingProblem(x0, running[:-1], running[-1])


def compare(label: str, robot: Robot, theirs: crocoddyl.ShootingProblem) -> dict:
    x0 = theirs.x0
    theirs.nthreads = 1
    N = theirs.T
    xs, us = [x0] * (N + 1), theirs.quasiStatic([x0] * N)
    solver = crocoddyl.SolverFDDP(theirs)
    solver.th_stop = 1e-12
    solver.solve(xs, us, 200, False)
    peer_cost, best = solver.cost, [numpy.array(x) for x in solver.xs]
    solver.th_stop = 1e-9
    problem = problem_of(robot, theirs)
    guess = numpy.tile(robot.q(x0[: robot.theirs.nq]), (N + 1, 1))
    forces = numpy.zeros((N, problem.ninputs))
    order = robot.v[6:] - 6 if robot.free else robot.v
    for k, u in enumerate(us):
        if len(u):
            forces[k] = numpy.array(u)[order]
    ours = control.Solver(problem)
    peer, own = [], []
    for _ in range(REPEATS):  # in turns: whatever else the machine does slows both
        began = time.process_time()
        solver.solve(xs, us, 100, False)
        peer.append((time.process_time() - began) / (solver.iter + 1) / N)
        ours.start(guess[0])
        ours.guess(guess, numpy.zeros((N + 1, robot.ours.nv)), forces)
        began = time.process_time()
        plan = ours.solve(100)
        # like Crocoddyl's: directions that were computed; the last one, which ends the solution, is not an iteration here
        own.append((time.process_time() - began) / (plan.iterations + 1) / N)
    assert plan.ok, plan.message
    apart = numpy.array([numpy.r_[robot.ours.difference(robot.q(x[: robot.theirs.nq]), q)] for x, q in zip(best, plan.q)])
    row = dict(problem=label, nv=robot.ours.nv, knots=N)
    row.update(hamel_us=1e6 * statistics.median(own), peer_us=1e6 * statistics.median(peer))
    row.update(ratio=row["peer_us"] / row["hamel_us"], hamel_cost=plan.cost, peer_cost=peer_cost)
    row.update(peer=f"Crocoddyl {crocoddyl.__version__}", hamel_iterations=plan.iterations, peer_iterations=int(solver.iter) + 1)
    row["apart"] = float(abs(apart).max())
    return row


def main() -> int:
    rows = [compare(f"{name} {which}", *gait(name, which)) for name in FEET for which in ("trot", "walk")]
    rows.append(compare("simple_humanoid squat", *squat("simple_humanoid")))
    rows.append(compare("talos_left_arm reach", *reach("talos_left_arm")))
    wrong = [r for r in rows if not abs(r["hamel_cost"] - r["peer_cost"]) <= 1e-5 * abs(r["peer_cost"])]
    for r in rows:
        print(
            f"{r['problem']:21} {r['knots']} knots: {r['hamel_us']:.1f} us, {r['peer']} {r['peer_us']:.1f} us per knot and iteration, "
            f"{r['ratio']:.1f} times; cost {r['hamel_cost']:.8g}, {r['peer_cost']:.8g}, iterations {r['hamel_iterations']}, {r['peer_iterations']}, motions {r['apart']:.0e} apart"
        )
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    for r in wrong:
        print(f"{r['problem']}: the optima differ", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
