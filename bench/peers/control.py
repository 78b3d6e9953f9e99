"""The gaits of crocoddyl.utils.quadruped in Crocoddyl and in Hamel: the same knots, phases, costs and guess, one thread.

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
FILES = {
    "anymal_b": ("anymal_b_simple_description/robots/anymal.urdf", "anymal_b_simple_description/srdf/anymal.srdf"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "hyq_description/srdf/hyq.srdf"),
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
        urdf, srdf = (str(folder() / part) for part in FILES[name])
        self.theirs = pinocchio.buildModelFromUrdf(urdf, pinocchio.JointModelFreeFlyer())
        pinocchio.loadReferenceConfigurations(self.theirs, srdf, False)
        self.theirs.armature = numpy.zeros(self.theirs.nv)
        self.ours = hamel.load(urdf, base="free", passive=False)
        order = {joint.name: joint for joint in self.ours.joints}
        self.v = numpy.arange(self.ours.nv)
        for index, called in enumerate(self.theirs.names):
            if index > 1:
                self.v[order[called].v] = self.theirs.joints[index].idx_v
        q = self.theirs.referenceConfigurations["standing"]
        a, b = self.ours.mass_matrix(self.q(q)), pinocchio.crba(self.theirs, self.theirs.createData(), q)
        b = numpy.triu(b) + numpy.triu(b, 1).T
        assert numpy.allclose(a, b[numpy.ix_(self.v, self.v)], atol=1e-9), "the two models differ"

    def q(self, q: numpy.ndarray) -> numpy.ndarray:
        """(x, y, z), quaternion, joints; Pinocchio has the real part of the quaternion last"""
        return numpy.concatenate([q[:3], q[[6, 3, 4, 5]], q[7:][self.v[6:] - 6]])


def problem_of(robot: Robot, theirs: crocoddyl.ShootingProblem) -> control.Problem:
    """Crocoddyl's problem, written for Hamel"""
    nv, nq, model = robot.ours.nv, robot.theirs.nq, robot.theirs
    frames = [frame.name for frame in model.frames]
    phases, keys = [], []
    for m in theirs.runningModels:
        held = m.differential.contacts.contacts if hasattr(m, "differential") else m.impulses.impulses
        ids = [c.data().contact.id if hasattr(c.data(), "contact") else c.data().impulse.id for c in held]
        key = ([frames[i] for i in ids], not hasattr(m, "differential"), m.dt if hasattr(m, "dt") else 0.0)
        if keys and keys[-1] == key and not key[1]:
            phases[-1][0] += 1
        else:
            phases.append([1, key])
            keys.append(key)
    problem = control.Problem(
        robot.ours,
        robot.q(theirs.x0[:nq]),
        [
            control.Phase(n, key[2], [hamel.Hold(f, "point", damping=0.0 if key[1] else 50.0) for f in key[0]], key[1])
            for n, key in phases
        ],
    )
    for k, m in enumerate([*theirs.runningModels, theirs.terminalModel]):
        last, impact = k == len(theirs.runningModels), not hasattr(m, "differential")
        costs = m.costs.costs if impact else m.differential.costs.costs
        scale = 1.0 if impact or last else m.dt
        names = [] if impact else [c.key() for c in m.differential.contacts.contacts]
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


def compare(name: str, gait: str) -> dict:
    robot = Robot(name)
    gaits = SimpleQuadrupedalGaitProblem(robot.theirs, *FEET[name])
    x0 = robot.theirs.defaultState
    make = {"trot": gaits.createTrottingProblem, "walk": gaits.createWalkingProblem}[gait]
    theirs = make(x0, 0.15, 0.1, 1e-2, 25, 2)
    theirs.nthreads = 1
    N = theirs.T
    xs, us = [x0] * (N + 1), theirs.quasiStatic([x0] * N)
    solver = crocoddyl.SolverFDDP(theirs)
    solver.th_stop = 1e-12
    solver.solve(xs, us, 200, False)
    peer_cost = solver.cost
    solver.th_stop = 1e-9
    peer = []
    for _ in range(REPEATS):
        began = time.process_time()
        solver.solve(xs, us, 100, False)
        peer.append((time.process_time() - began) / (solver.iter + 1) / N)
    problem = problem_of(robot, theirs)
    guess = numpy.tile(robot.q(x0[: robot.theirs.nq]), (N + 1, 1))
    forces = numpy.zeros((N, problem.ninputs))
    order = robot.v[6:] - 6
    for k, u in enumerate(us):
        if len(u):
            forces[k] = numpy.array(u)[order]
    ours = control.Solver(problem)
    own = []
    for _ in range(REPEATS):
        ours.start(guess[0])
        ours.guess(guess, numpy.zeros((N + 1, robot.ours.nv)), forces)
        began = time.process_time()
        plan = ours.solve(100)
        # like Crocoddyl's: directions that were computed; the last one, which ends the solution, is not an iteration here
        own.append((time.process_time() - began) / (plan.iterations + 1) / N)
    assert plan.ok, plan.message
    row = dict(problem=f"{name} {gait}", nv=robot.ours.nv, knots=N)
    row.update(hamel_us=1e6 * statistics.median(own), peer_us=1e6 * statistics.median(peer))
    row.update(ratio=row["peer_us"] / row["hamel_us"], hamel_cost=plan.cost, peer_cost=peer_cost)
    row.update(peer=f"Crocoddyl {crocoddyl.__version__}", hamel_iterations=plan.iterations, peer_iterations=int(solver.iter) + 1)
    return row


def main() -> int:
    rows = [compare(name, gait) for name in FEET for gait in ("trot", "walk")]
    wrong = [r for r in rows if not abs(r["hamel_cost"] - r["peer_cost"]) <= 1e-5 * abs(r["peer_cost"])]
    for r in rows:
        print(
            f"{r['problem']:14} {r['knots']} knots: {r['hamel_us']:.1f} us, {r['peer']} {r['peer_us']:.1f} us per knot and iteration, "
            f"{r['ratio']:.1f} times; cost {r['hamel_cost']:.8g}, {r['peer_cost']:.8g}, iterations {r['hamel_iterations']}, {r['peer_iterations']}"
        )
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    for r in wrong:
        print(f"{r['problem']}: the optima differ", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
