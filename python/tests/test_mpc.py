"""Predictive control: ticks, gaits, references that change, and what is refused."""

import numpy
import pytest

import hamel
from hamel import control

PAIRS = (["fl_foot", "hr_foot"], ["fr_foot", "hl_foot"])


def stance(robot):
    q = robot.neutral()
    q[2] = 0.35
    q[7:] = numpy.tile([0, 0.7, -1.4], 4)
    return q


def trot(robot, knots=20, step=0.02, threads=1):
    q = stance(robot)
    problem = control.Problem(robot, q, [control.Phase(knots, step)])
    problem.add("input", 1e-4).add("velocity", 1e-2, reference=numpy.zeros((knots + 1, robot.nv)))
    problem.add("configuration", 1.0, reference=q, knot_weights=numpy.ones(knots + 1))
    for pair in PAIRS:
        for foot in pair:
            problem.add("cone", 1e-2, role="constraint", frame=foot, friction=0.6)
    gait = [control.Slot(0.15, [hamel.Hold(foot, "point", damping=20.0) for foot in pair]) for pair in PAIRS]
    return control.MPC(problem, gait, threads=threads), q


def test_ticks_follow_the_gait():
    robot = hamel.load("quadruped")
    mpc, q = trot(robot)
    for i in range(20):
        tick = mpc.tick(0.02 * i, q)
        assert tick.slot == mpc.slot(0.02 * i + 0.01)[0]
        assert tick.u.shape == (12,) and tick.K.shape == (12, 36) and tick.force.shape == (6,)
    motion = mpc.solution(tick)
    assert motion.u.shape == (20, 12) and numpy.array_equal(motion.u[0], tick.u)
    assert 50 < motion.force[:, [2, 5]].sum(axis=1).mean() < 250  # of 14 kg
    numbers = mpc.statistics()
    assert numbers.ticks == 20 and numbers.failed == 0 and 0 < numbers.p50 <= numbers.p99 <= numbers.most
    mpc.reset()
    assert mpc.statistics().ticks == 0
    with pytest.raises(hamel.NotFiniteError):
        mpc.slot(float("nan"))


def test_time_goes_forward():
    mpc, q = trot(hamel.load("quadruped"))
    mpc.tick(0.5, q)
    mpc.tick(0.5, q)
    with pytest.raises(hamel.InvalidArgumentError, match=r"0.25 s comes after 0.5 s; reset\(\) begins anew"):
        mpc.tick(0.25, q)
    mpc.reset()
    mpc.tick(0.25, q)


def test_many_iterations_are_the_solver():
    robot = hamel.load("arm7")
    q = 0.3 - 0.1 * numpy.arange(7)
    problem = control.Problem(robot, q, [control.Phase(25, 0.02)], lower=-30, upper=30)
    problem.add("input", 1e-3).add("velocity", 1e-2).add("position", 50.0, frame="tool", reference=[0.4, 0.2, 0.5])
    plan = control.Solver(problem).solve()
    tick = control.MPC(problem).tick(7.0, q, iterations=200)
    assert plan.ok and tick.report.end == "converged"
    assert abs(plan.cost - tick.report.cost) <= 1e-9 * plan.cost
    assert numpy.allclose(plan.u[0], tick.u, atol=1e-5)


def test_the_gain_is_the_derivative_of_the_input():
    robot = hamel.load("arm7")
    q = 0.3 - 0.1 * numpy.arange(7)
    problem = control.Problem(robot, q, [control.Phase(20, 0.02)])
    problem.add("input", 1e-2).add("velocity", 1.0).add("configuration", 20.0, reference=q)
    mpc = control.MPC(problem)
    tick = mpc.tick(0.0, q, iterations=100)
    z = 1e-4 * numpy.random.default_rng(1).standard_normal(7)
    other = robot.integrate(q, z)
    expected = mpc.tick(0.0, other, iterations=100).u
    # K leaves the second derivatives of the motion out, after Gauss and Newton: a few per cent
    assert numpy.abs(tick.input(other, numpy.zeros(7)) - expected).max() < 0.1 * numpy.abs(expected - tick.u).max()


def test_references_that_change():
    robot = hamel.load("quadruped")
    mpc, q = trot(robot)
    slow = mpc.solution(mpc.tick(0.0, q, iterations=20)).v[:, 0].mean()
    fast = numpy.zeros((21, robot.nv))
    fast[:, 0] = 0.5
    mpc.set_reference(1, fast)
    after = mpc.tick(0.0, q, iterations=20)
    assert mpc.solution(after).v[:, 0].mean() > slow + 1e-3
    mpc.set_knot_weights(2, numpy.zeros(21))
    assert mpc.tick(0.0, q, iterations=20).report.cost < after.report.cost
    for term, values in ((1, numpy.zeros(3)), (0, [1.0]), (99, [1.0]), (1, numpy.full((21, 18), numpy.nan))):
        with pytest.raises(hamel.InvalidArgumentError):
            mpc.set_reference(term, values)


def test_threads_give_the_same_bits():
    robot = hamel.load("quadruped")
    (one, q), (three, _) = trot(robot), trot(robot, threads=3)
    for i in range(6):
        a, b = one.tick(0.03 * i, q), three.tick(0.03 * i, q)
        assert numpy.array_equal(a.u, b.u) and numpy.array_equal(a.K, b.K)


def test_what_is_refused():
    robot = hamel.load("quadruped")
    mpc, q = trot(robot)
    mpc.tick(1.0, q)
    with pytest.raises(hamel.InvalidArgumentError):
        mpc.tick(0.5, q)
    with pytest.raises(hamel.NotFiniteError):
        mpc.tick(1.5, q * numpy.nan)
    problem = control.Problem(robot, q, [control.Phase(5, 0.02)])
    with pytest.raises(hamel.InvalidArgumentError, match="/gait/0/seconds"):
        control.MPC(problem, [control.Slot(0.0)])
    with pytest.raises(hamel.InvalidArgumentError, match="/terms/0/frame"):
        problem.add("cone", role="barrier", frame="fl_foot")
        control.MPC(problem, [control.Slot(0.1)])
    other = control.Problem(robot, q, [control.Phase(5, 0.02)])
    other.add("force", frame="fl_foot", reference=[1.0, 2.0])
    with pytest.raises(hamel.InvalidArgumentError, match="/terms/0/reference: has 2 entries where 3"):
        control.MPC(other, [control.Slot(0.1, ["fl_foot"])])
    with pytest.raises(hamel.NotFoundError):
        control.MPC(control.Problem(robot, q, [control.Phase(5, 0.02)]), [control.Slot(0.1, ["nowhere"])])
