"""Optimal control: the gains of a linear problem against NumPy's recursion, motions against Model.step, bounds, constraints,
own terms, threads, and what is refused."""

import numpy
import pytest

import hamel
from hamel import control

FEET = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"]


def standing(robot):
    q = robot.neutral()
    q[2] = 0.35
    for leg in range(4):
        q[7 + 3 * leg + 1], q[7 + 3 * leg + 2] = 0.7, -1.4
    return q


def reach(knots=30, weight=1e3):
    robot = hamel.load("arm7")
    q = 0.3 - 0.1 * numpy.arange(7)
    still = robot.inverse_dynamics(q, numpy.zeros(7), numpy.zeros(7))
    goal = robot.frame("tool", q).pose[:3, 3] + [0.1, 0.1, -0.15]
    problem = control.Problem(robot, q, [control.Phase(knots, 0.02)])
    problem.add("input", 1e-3, reference=still).add("velocity", 1e-2)
    return problem.add("velocity", 10, knots="end"), goal, weight


def simulate(robot, q, u, h):
    v = numpy.zeros(robot.nv)
    for x in u:
        q, v = robot.step(q, v, h, x)[:2]
    return q, v


def test_gains_are_those_of_a_dense_recursion():
    """At the solution, the feedback is the regulator of the linearized steps with the costs' second derivatives"""
    robot = hamel.load("arm7")
    q = 0.3 - 0.1 * numpy.arange(7)
    still = robot.inverse_dynamics(q, numpy.zeros(7), numpy.zeros(7))
    N, h = 15, 0.01
    problem = control.Problem(robot, q, [control.Phase(N, h)])
    problem.add("configuration", 5.0, reference=q).add("velocity", 0.3).add("input", 1e-2, reference=still)
    plan = control.Solver(problem).solve()
    assert plan.ok and plan.cost < 1e-20  # it is at rest there
    _, _, A, B = robot.step_linearize(q, numpy.zeros(7), h, still)
    P = numpy.diag([5.0] * 7 + [0.3] * 7)
    Q = P.copy()
    for k in reversed(range(N)):
        K = numpy.linalg.solve(1e-2 * numpy.eye(7) + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        numpy.testing.assert_allclose(plan.K[k], -K, rtol=0, atol=1e-9 * abs(K).max())


@pytest.mark.parametrize("scheme", ["rk2", "rk4"])
def test_schemes(scheme):
    """Free and under holds: the motion is that of Motion with the same scheme; others are refused"""
    robot = hamel.load("quadruped")
    q = standing(robot)
    holds = [hamel.Hold(foot, "point", damping=20.0) for foot in FEET]
    phases = [control.Phase(10, 0.02, holds, scheme=scheme), control.Phase(10, 0.02, scheme=scheme)]
    problem = control.Problem(robot, q, phases, lower=-60, upper=60)
    problem.add("input", 1e-3).add("velocity", 1e-2).add("velocity", 0.1, knots="end")
    problem.add("com", 1e3, reference=robot.centroidal(q).com + [0.02, 0.01, 0.05], knots=10)
    plan = control.Solver(problem).solve()
    assert plan.ok and abs(plan.force[:10]).max() > 10 and not plan.force[10:].any()
    for k in (0, 3, 9, 10, 19):
        options = dict(integrator=scheme, step=0.02, tau=numpy.r_[numpy.zeros(6), plan.u[k]])
        motion = hamel.Motion(robot, plan.q[k], plan.v[k], holds=holds if k < 10 else [], **options).advance(0.02)
        numpy.testing.assert_allclose(robot.difference(motion.q, plan.q[k + 1]), numpy.zeros(robot.nv), rtol=0, atol=1e-11)
        numpy.testing.assert_allclose(motion.v, plan.v[k + 1], rtol=0, atol=1e-10)
    for bad in ("dopri5", "rk3"):
        problem.phases = [control.Phase(20, 0.02, scheme=bad)]
        with pytest.raises(hamel.Error, match="/phases/0/scheme"):
            control.Solver(problem)


def test_a_motion_of_the_robot():
    problem, goal, weight = reach()
    problem.add("position", weight, frame="tool", reference=goal, knots="end", name="there")
    seen = []
    plan = control.Solver(problem).solve(progress=lambda r: seen.append(r.cost))
    assert plan.ok and plan.message == "converged" and len(seen) == plan.iterations
    assert all(b <= a * (1 + 1e-12) for a, b in zip(seen, seen[1:]))
    robot = problem.model
    q, v = simulate(robot, problem.q, plan.u, 0.02)
    numpy.testing.assert_allclose(q, plan.q[-1], rtol=0, atol=1e-10)
    numpy.testing.assert_allclose(v, plan.v[-1], rtol=0, atol=1e-10)
    assert numpy.linalg.norm(robot.frame("tool", q).pose[:3, 3] - goal) < 0.05


def test_bounds_and_constraints():
    problem, goal, _ = reach()
    still = problem.terms[0][8]
    problem.lower, problem.upper = still - 12, still + 12
    problem.add("position", role="constraint", frame="tool", reference=goal, knots="end")
    problem.add("limits", role="constraint")
    plan = control.Solver(problem).solve()
    assert plan.ok and plan.violation <= 1e-7
    assert (plan.u >= still - 12).all() and (plan.u <= still + 12).all()
    assert numpy.linalg.norm(problem.model.frame("tool", plan.q[-1]).pose[:3, 3] - goal) < 1e-6


def test_infeasible_says_where():
    problem, goal, _ = reach(10)
    problem.add("position", role="constraint", frame="tool", reference=goal + 30, knots="end", name="too far")
    plan = control.Solver(problem).solve()
    assert not plan.ok and plan.report.end == "infeasible"
    assert "too far" in plan.message and "knot 10" in plan.message
    assert numpy.isfinite(plan.u).all() and numpy.isfinite(plan.q).all()


def shifted_weight(threads=1, far=(0.0, 0.0, 0.0)):
    robot = hamel.load("quadruped")
    q = standing(robot)
    q[:3] += far
    goal = robot.centroidal(q).com + [0.03, 0.04, -0.02]
    holds = [hamel.Hold(foot, "point", damping=20) for foot in FEET]
    problem = control.Problem(robot, q, [control.Phase(25, 0.02, holds)], lower=-40, upper=40)
    problem.add("input", 1e-4).add("velocity", 1e-2).add("configuration", 0.1, reference=q)
    problem.add("com", role="constraint", reference=goal, knots="end")
    for i in range(4):
        problem.add("cone", 1e-2, role="constraint", hold=i, friction=0.4)
    return problem, control.Solver(problem, threads=threads).solve()


def test_held_feet_stay_and_push():
    problem, plan = shifted_weight()
    assert plan.ok and plan.violation <= 1e-7 and plan.force.shape == (25, 12)
    f = plan.force.reshape(25, 4, 3)
    assert (f[..., 2] > -1e-5).all() and (abs(f[..., :2]) <= 0.4 * f[..., 2:] + 2e-5).all()
    for foot in FEET:
        there = problem.model.frame(foot, problem.q).pose[:3, 3]
        assert numpy.linalg.norm(problem.model.frame(foot, plan.q[-1]).pose[:3, 3] - there) < 2e-3


def test_phases_may_have_loops_alone():
    robot = hamel.load("quadruped")
    q = standing(robot)
    ties = [hamel.Hold(foot, "distance", distance=0.4) for foot in FEET]  # from the world's origin
    problem = control.Problem(robot, q, [control.Phase(3, 0.02, ties)])
    problem.add("input", 1e-4)
    plan = control.Solver(problem).solve()
    assert plan.force.shape == (3, 4) and abs(plan.force).min() > 1e-2


def test_threads_and_places_do_not_matter():
    _, one = shifted_weight()
    _, three = shifted_weight(3)
    assert (one.u == three.u).all() and (one.K == three.K).all() and one.cost == three.cost
    _, far = shifted_weight(1, (1000.0, -2000.0, 0.0))
    numpy.testing.assert_allclose(far.u, one.u, rtol=0, atol=1e-4 * abs(one.u).max())
    assert abs(far.cost - one.cost) < 1e-6 * one.cost


def test_a_drone_turns_over():
    """Through 180°, with rotors: nothing special happens upside down"""
    robot = hamel.load("drone_arm")
    rotors = numpy.zeros((robot.nv, 4 + 5))
    for i in range(4):
        J = robot.frame(f"rotor{i + 1}", robot.neutral()).J
        rotors[:, i] = J.T[:, 2]
        rotors[5, i] += 0.02 * (1 if i < 2 else -1)
    rotors[6:, 4:] = numpy.eye(5)
    goal = robot.neutral()
    goal[:3], goal[3:7] = [0.0, 0.0, 0.3], [0, 1, 0, 0]  # half a turn about x
    N, h = 60, 0.015
    lower, upper = numpy.r_[numpy.full(4, -15.0), numpy.full(5, -2.0)], numpy.r_[numpy.full(4, 25.0), numpy.full(5, 2.0)]
    problem = control.Problem(robot, robot.neutral(), [control.Phase(N, h)], actuation=rotors, lower=lower, upper=upper)
    problem.add("input", 1e-3).add("velocity", 1e-3).add("configuration", 300, reference=goal, knots="end")
    problem.add("velocity", 1, knots="end")
    solver = control.Solver(problem)
    solver.guess(u=numpy.tile(numpy.r_[numpy.full(4, robot.mass * 9.81 / 4), numpy.zeros(5)], (N, 1)))
    plan = solver.solve(300)
    assert plan.ok, plan.message
    assert numpy.linalg.norm(robot.difference(goal, plan.q[-1])) < 0.1
    assert (plan.u >= lower).all() and (plan.u <= upper).all()


def test_own_terms_in_python():
    """The same problem twice: with the library's term, and with one in Python"""
    first, goal, weight = reach(10)
    first.add("position", weight, frame="tool", reference=goal, knots="end")
    second, _, _ = reach(10)
    robot = second.model

    def there(knot, q, v, u):
        x = robot.frame("tool", q, representation="mixed")
        assert knot == 10 and u is None
        return x.pose[:3, 3] - goal, numpy.hstack([x.J[:3], numpy.zeros((3, 7))]), None

    second.add("own", weight, function=there, rows=3, knots="end")
    a, b = control.Solver(first).solve(), control.Solver(second, threads=2).solve()
    assert a.ok and b.ok and abs(a.cost - b.cost) < 1e-9 * a.cost
    numpy.testing.assert_allclose(a.u, b.u, rtol=0, atol=1e-6)

    calls = []

    def everywhere(knots, q, v, u):
        calls.append(len(knots))
        assert q.shape == (len(knots), 7) and v.shape == q.shape and len(u) == len(knots) - (knots[-1] == 10)
        r_x = numpy.zeros((len(knots), 2, 14))
        r_x[:, 0, 0], r_x[:, 1, 8] = numpy.cos(q[:, 0]), 1
        r_u = numpy.zeros((len(u), 2, 7))
        return numpy.stack([numpy.sin(q[:, 0]), v[:, 1]], 1), r_x, r_u

    def one(knot, q, v, u):
        r, r_x, _ = everywhere(numpy.array([knot]), q[None], v[None], numpy.zeros((int(knot < 10), 7)))
        return r[0], r_x[0], numpy.zeros((2, 7))

    plans = []
    for function, vectorized in ((one, False), (everywhere, True)):
        del calls[:]
        same, _, _ = reach(10)
        same.add("own", 3, role="barrier", upper=0.1, function=function, rows=2, vectorized=vectorized)
        same.add("own", 1, role="constraint", lower=-2, upper=2, function=function, rows=2, vectorized=vectorized, knots=(3, 9))
        plans.append((control.Solver(same, threads=2).solve(), len(calls)))
    assert (plans[0][0].u == plans[1][0].u).all() and plans[0][0].cost == plans[1][0].cost and plans[1][0].ok
    assert 3 * plans[1][1] < plans[0][1] and max(calls) == 11
    with pytest.raises(hamel.InvalidArgumentError, match="r_x"):
        wrong, _, _ = reach(5)
        wrong.add("own", function=lambda k, q, v, u: (v[:, :1], v, None), rows=1, vectorized=True)
        control.Solver(wrong).solve()

    def broken(knot, q, v, u):
        raise KeyError("of the term")

    third, _, _ = reach(5)
    with pytest.raises(KeyError, match="of the term"):
        control.Solver(third.add("own", function=broken, rows=1)).solve()
    fourth, _, _ = reach(5)
    with pytest.raises(hamel.InvalidArgumentError, match="shape"):
        control.Solver(fourth.add("own", function=lambda *x: (numpy.zeros(2), None, None), rows=1)).solve()


def test_warm_start_and_limits():
    problem, goal, weight = reach()
    problem.add("position", weight, frame="tool", reference=goal, knots="end")
    solver = control.Solver(problem)
    assert solver.solve(1).report.end == "iterations"
    assert solver.solve(seconds=1e-9).report.end == "time"
    assert solver.solve(progress=lambda report: True).report.end == "stopped"
    assert solver.solve().ok and solver.solve().iterations <= 1
    before = solver.solve()
    solver.shift(1)
    for knots in (-5, 10**30):
        with pytest.raises(hamel.InvalidArgumentError, match="0 knots or more, not by"):
            solver.shift(knots)
    assert solver.solve(3).report.gap < 1e-6
    solver.start(problem.q)
    solver.guess(before.q, before.v, before.u)
    assert solver.solve().iterations <= 2
    with pytest.raises(hamel.InvalidArgumentError, match="shape"):
        solver.guess(u=numpy.zeros((3, 7)))
    with pytest.raises(hamel.NotFiniteError):
        solver.guess(u=numpy.full((30, 7), numpy.nan))


BAD = [
    (dict(kind="speed"), "kind is one of"),
    (dict(kind="com", role="wish"), "role is one of"),
    (dict(kind="com", weight=-1), "/terms/0/weight"),
    (dict(kind="com", weights=[1, 2]), "weights of a com"),
    (dict(kind="com", reference=[1, 2]), "reference of a com"),
    (dict(kind="com", knots=(3, 99)), "/terms/0/knots"),
    (dict(kind="com", knots="never"), "knots is"),
    (dict(kind="cone", role="barrier"), "/terms/0/hold"),
    (dict(kind="own"), "function="),
    (dict(kind="momentum", reference=[0.0] * 3), "reference of a momentum"),
    (dict(kind="distance", frame="tool", other="tool"), "/terms/0/other"),
    (dict(kind="distance", frame="tool", weights=[1, 2]), "weights of a distance"),
    (dict(kind="limits"), "/terms/0/role"),
]


@pytest.mark.parametrize("term, text", BAD)
def test_bad_terms_are_refused(term, text):
    robot = hamel.load("arm7")
    problem = control.Problem(robot, robot.neutral(), [control.Phase(5, 0.01)])
    with pytest.raises(hamel.InvalidArgumentError, match=text):
        problem.add(**term)
        control.Solver(problem)


SIZES = [
    (dict(kind="limits", role="barrier", weights=[1.0]), "/terms/0/weights: has 1 entries where 7"),
    (dict(kind="limits", role="constraint", lower=numpy.zeros(3)), "/terms/0/lower: has 3 entries where 7"),
    (dict(kind="force", reference=numpy.zeros(2)), "/terms/0/reference: has 2 entries where 3"),
    (dict(kind="force", reference=numpy.zeros((5, 2))), "/terms/0/reference: has 2 entries where 3"),
    (dict(kind="force", role="barrier", upper=numpy.zeros(1)), "/terms/0/upper: has 1 entries where 3"),
]


@pytest.mark.parametrize("term, text", SIZES)
def test_sizes_that_only_the_library_knows(term, text):
    robot = hamel.load("arm7")
    problem = control.Problem(robot, robot.neutral(), [control.Phase(5, 0.01, ["tool"])])
    with pytest.raises(hamel.InvalidArgumentError, match=text):
        control.Solver(problem.add(**term))


def test_a_problem_changed_after_its_terms():
    """The arrays of a term are compared with the problem as it is when it is solved"""
    robot = hamel.load("arm7")
    for change, text in (
        (lambda p: setattr(p, "inputs", "all"), "/terms/0/reference: has 1 entries where 7"),
        (lambda p: setattr(p, "actuation", numpy.ones((7, 3))), "/terms/0/reference: has 1 entries where 3"),
    ):
        problem = control.Problem(robot, robot.neutral(), [control.Phase(5, 0.01)], inputs=[robot.joints[0].name])
        problem.add("input", reference=[0.0])
        change(problem)
        with pytest.raises(hamel.InvalidArgumentError, match=text):
            control.Solver(problem)


def test_a_robot_without_joints():
    box = hamel.Builder().add_body("box", type="fixed").build()
    with pytest.raises(hamel.InvalidArgumentError, match="nothing of it can move"):
        control.Solver(control.Problem(box, [], [control.Phase(5, 0.01)], actuation=numpy.ones((0, 2))))


def test_bad_problems_are_refused():
    robot = hamel.load("arm7")
    q, phase = robot.neutral(), [control.Phase(5, 0.01)]
    for problem, text in (
        (control.Problem(robot, q[:3], phase), "the start has"),
        (control.Problem(robot, q, [control.Phase(0, 0.01)]), "/phases/0/knots"),
        (control.Problem(robot, q, [control.Phase(5, -1)]), "/phases/0/step"),
        (control.Problem(robot, q, phase, lower=1, upper=-1), "/bounds"),
        (control.Problem(robot, q, phase, lower=[1, 2]), "lower has shape"),
        (control.Problem(robot, q, phase, actuation=numpy.eye(3)), "actuation has shape"),
        (control.Problem(robot, q, phase, inputs="some"), "inputs is"),
    ):
        with pytest.raises(hamel.InvalidArgumentError, match=text):
            control.Solver(problem)
    with pytest.raises(hamel.NotFoundError):
        problem = control.Problem(robot, q, phase)
        control.Solver(problem.add("position", frame="nowhere"))
    with pytest.raises(hamel.NotFoundError):
        control.Solver(control.Problem(robot, q, [control.Phase(5, 0.01, ["nowhere"])]))


def test_problems_from_files(tmp_path):
    """The file of an arm, and the same problem written in Python"""
    text = """{"model": "arm7", "phases": [{"knots": 20, "step": 0.02}], "bounds": {"upper": 60},
        "start": {"joints": {"elbow": {"position": [0.5]}}}, "solver": {"tolerance": 1e-12}, "guess": {"input": 1},
        "terms": [{"kind": "input", "weight": 1e-3}, {"kind": "velocity", "weights": 0.1},
                  {"kind": "position", "weight": 100, "frame": "tool", "reference": [0.3, 0.2, 0.9], "knots": "end"}]}"""
    path = tmp_path / "reach.json"
    path.write_text(text)
    solver = control.Solver.load(path)
    plan = solver.solve()
    assert plan.ok and solver.model.nv == 7 and plan.u.shape == (20, 7)
    q = numpy.zeros(7)
    q[3] = 0.5
    problem = control.Problem(solver.model, q, [control.Phase(20, 0.02)], upper=60)
    problem.add("input", 1e-3).add("velocity", 0.1)
    problem.add("position", 100, frame="tool", reference=[0.3, 0.2, 0.9], knots="end")
    other = control.Solver(problem)
    other.guess(u=numpy.ones((20, 7)))
    same = other.solve(tolerance=1e-12)
    assert (same.u == plan.u).all() and same.cost == plan.cost
    path.write_text(text.replace("100", "-100"))
    with pytest.raises(hamel.BadFileError, match="/terms/2/weight: -100 is not a weight"):
        control.Solver.load(path)
    with pytest.raises(hamel.CannotReadError):
        control.Solver.load(tmp_path / "none.json")


def test_momentum_and_distance():
    """Both as constraints of the end, against the functions of the robot"""
    robot = hamel.load("arm7")
    q = numpy.array([0.3, 0.2, 0.1, -0.9, 0.1, 0.9, 0.0])
    apart = numpy.linalg.norm(robot.frame("tool", q).pose[:3, 3] - robot.frame("elbow_point", q).pose[:3, 3])
    still = robot.inverse_dynamics(q, numpy.zeros(7), numpy.zeros(7))
    problem = control.Problem(robot, q, [control.Phase(30, 0.02)])
    problem.add("input", 1e-3, reference=still)
    free = numpy.array([0, numpy.inf, numpy.inf, numpy.inf, 0, numpy.inf])
    problem.add("momentum", role="constraint", knots="end", reference=[0.3, 0, 0, 0, 0.1, 0], lower=-free, upper=free)
    problem.add("distance", role="constraint", knots="end", frame="tool", other="elbow_point", reference=[apart - 0.02])
    plan = control.Solver(problem).solve()
    assert plan.ok and plan.violation < 1e-6
    momentum = robot.centroidal(plan.q[-1], plan.v[-1]).momentum
    assert abs(momentum[[0, 4]] - [0.3, 0.1]).max() < 1e-6
    end = robot.frame("tool", plan.q[-1]).pose[:3, 3] - robot.frame("elbow_point", plan.q[-1]).pose[:3, 3]
    assert abs(numpy.linalg.norm(end) - (apart - 0.02)) < 1e-6


def test_momentum_and_distance_in_a_file(tmp_path):
    text = """{"model": "arm7", "phases": [{"knots": 20, "step": 0.02}], "start": {"joints": {"elbow": {"position": [0.5]}}},
        "terms": [{"kind": "input", "weight": 1e-3}, {"kind": "momentum", "weight": 10, "weights": [1, 1, 1, 0, 0, 0]},
                  {"kind": "distance", "frame": "tool", "other": "elbow_point", "reference": [0.35], "knots": "end"}]}"""
    (tmp_path / "plan.json").write_text(text)
    plan = control.Solver.load(tmp_path / "plan.json").solve()
    assert plan.ok
    for wrong, sentence in (
        (text.replace('"other": "elbow_point", ', ""), "/terms/2: other is missing"),
        (text.replace('"other": "elbow_point"', '"other": "tool"'), "/terms/2/other: a distance needs two frames"),
        (text.replace('"kind": "momentum"', '"kind": "momentum", "frame": "tool"'), "/terms/1/frame: a momentum has no frame"),
        (text.replace('"kind": "momentum"', '"kind": "momentum", "other": "tool"'), "/terms/1/other: belongs to a distance"),
    ):
        (tmp_path / "plan.json").write_text(wrong)
        with pytest.raises(hamel.Error, match=sentence):
            control.Solver.load(tmp_path / "plan.json")
