"""Motion and contact, by what must stay: energy, momentum, the ground."""

import signal
import threading
import time

import numpy as np
import pytest
from conftest import state

import hamel


def energy(model, q, v):
    d = model.dynamics(q, v)
    return d.kinetic_energy + d.potential_energy


def test_a_pendulum_swings():
    """Small swings of one body about an axis: T = 2π √(I/(m g l)), and energy stays."""
    robot = hamel.Builder().add_body("b", axis=[0, 1, 0], mass=2, com=[0, 0, -0.5], moment=0.1 * np.eye(3)).build()
    period = 2 * np.pi * np.sqrt((0.1 + 2 * 0.25) / (2 * 9.81 * 0.5))
    q, v = hamel.simulate(robot, [1e-4], None, [0, period / 2, period])
    assert np.allclose(
        q[:, 0], [1e-4, -1e-4, 1e-4], rtol=1e-6
    )  # 1 + θ²/16, and the local error over some hundred steps
    q, v = hamel.simulate(robot, [2.0], [0.5], np.linspace(0, 3, 7))
    assert np.ptp(energy(robot, q, v)) < 1e-9


@pytest.mark.parametrize("scheme", ["euler", "rk2", "rk4", "dopri5", "variational", "alpha", "momentum"])
def test_schemes(scheme):
    """A tumbling robot without gravity keeps its momentum, to the scheme's order."""
    robot = hamel.load("satellite").with_gravity([0, 0, 0])
    q, v, _, _ = state(robot, 3)
    motion = hamel.Motion(robot, q, 0.3 * v, scheme=scheme, step=1e-3)
    before = robot.dynamics(motion.q, motion.v).momentum
    motion.advance(0.2)
    after = robot.dynamics(motion.q, motion.v).momentum
    assert motion.time == 0.2 and motion.info.steps > 0
    slack = {"euler": 1e-1, "rk2": 1e-4, "alpha": 1e-3}.get(scheme, 1e-9)
    assert np.abs(after - before).max() <= slack * max(1, np.abs(before).max())


def test_forces_add_up():
    """Constant, sampled, as a function: the same force, the same motion."""
    robot = hamel.load("pendulum")
    tau = np.array([0.7])
    ends = [
        hamel.Motion(robot, [0.1], **push).advance(0.5).q
        for push in (
            {"tau": tau},
            {"samples": ([0, 1], [tau, tau])},
            {"force": lambda t, q, v: tau},
            {"force": lambda t, q, v: (tau / 2, np.zeros((robot.nbodies, 6))), "tau": tau / 2},
        )
    ]
    for end in ends[1:]:
        assert np.abs(end - ends[0]).max() < 1e-9  # local errors of 1e-12 over some steps
    held = hamel.Motion(robot, [0.0], scheme="euler", step=1e-2, target=[0.5], stiffness=[1e3], damping=[1e2]).advance(
        3
    )
    assert abs(held.q[0] - 0.5) < 2e-2


def test_a_function_that_raises():
    def bad(t, q, v):
        raise KeyError("no force today")

    motion = hamel.Motion(hamel.load("pendulum"), [0.1], force=bad)
    with pytest.raises(KeyError, match="no force today"):
        motion.advance(0.1)
    assert motion.time == 0


def test_events():
    """A ball falls: where is the ground?"""
    ball = hamel.Builder().add_body("ball", None, "translation3", mass=1, moment=np.eye(3)).build()
    motion = hamel.Motion(ball, [0, 0, 1], step=0.05)
    found = None
    while found is None:
        motion.step(10)
        found = motion.find(lambda t, q, v: q[2])
    assert np.isclose(found[0], np.sqrt(2 / 9.81), rtol=1e-9)
    motion.restart(found[0], found[1], -found[2])
    q, v = motion.q, motion.v
    assert np.isclose(v[2], np.sqrt(2 * 9.81)) and motion.step(10).at(motion.time)[0][2] > q[2]
    with pytest.raises(hamel.InvalidArgumentError):
        motion.at(-1)


@pytest.mark.parametrize(
    "words", [{"scheme": "magic"}, {"step": -1.0}, {"tau": [1, 2]}, {"samples": 3}, {"samples": ([1, 0], [[0], [0]])}]
)
def test_motion_complains(words):
    with pytest.raises((hamel.InvalidArgumentError, TypeError)):
        hamel.Motion(hamel.load("pendulum"), [0.1], **words)


def test_motions_run_side_by_side():
    robot = hamel.load("quadruped")
    q, v, _, _ = state(robot, 4)
    alone = hamel.Motion(robot, q, v).advance(0.05).q
    ends = [None] * 4

    def run(i):
        ends[i] = hamel.Motion(robot, q, v).advance(0.05).q

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(end, alone) for end in ends)


def ball(friction=0.5, restitution=0.0):
    builder = hamel.Builder().add_body("ball", None, "free", mass=2, moment=0.008 * np.eye(3))
    return builder.add_shape("ball", "sphere", 0.1, friction=friction, restitution=restitution).build()


def test_a_ball_rolls():
    """Slides, then rolls: v = 5/7 of the first speed for a full ball, whatever the friction."""
    robot = ball()
    assert robot.shapes[0].kind == "sphere" and robot.shapes[0].size[0] == 0.1
    contact = hamel.Contact(robot, [hamel.Plane(friction=0.5)])
    q, v = np.array([0, 0, 0.1, 1, 0, 0, 0]), np.array([1.0, 0, 0, 0, 0, 0])
    for _ in range(600):
        step = contact.step(q, v, 1e-3)
        q, v = step.q, step.v
    world = robot.velocity_to(q, v, "mixed")
    assert np.isclose(world[0], 5 / 7, rtol=1e-3) and np.isclose(world[4], world[0] / 0.1, rtol=1e-3)
    assert step.contacts == 1 and step.penetration < 2e-4
    point = contact.points()[0]
    assert np.allclose(point.normal, [0, 0, 1]) and np.isclose(point.impulse[2], 2 * 9.81 * 1e-3, rtol=1e-6)
    contact.forget()
    with pytest.raises(hamel.InvalidArgumentError):
        contact.step(q, v, -1.0)


def test_a_robot_is_put_on_the_ground(quadruped):
    """The lowest point against the poses of the feet, which are balls; a slope; what cannot be placed."""
    contact = hamel.Contact(quadruped, [hamel.Plane(), hamel.Plane(point=(0, 0, -1), normal=(1, 0, 1))])
    q = state(quadruped, 8)[0]
    heights = [quadruped.frame(s.frame, q).pose[2] @ np.append(s.position, 1) - s.size[0] for s in quadruped.shapes]
    low = contact.lowest(q)
    assert low.shape == int(np.argmin(heights)) and low.other == -1 and np.isclose(low.gap, min(heights), atol=1e-14)
    kept = q.copy()
    for height, plane in ((0, 0), (0.3, 0), (0.2, 1)):
        placed = contact.place(q, height, plane=plane)
        assert np.isclose(contact.lowest(placed, plane).gap, height, atol=1e-14)
        assert np.array_equal(placed[3:], q[3:]) and np.array_equal(q, kept)
    assert np.array_equal(contact.place(q)[:2], q[:2])
    with pytest.raises(hamel.InvalidArgumentError, match="plane"):
        contact.lowest(q, 2)
    with pytest.raises(hamel.NotFiniteError):
        contact.place(q, float("nan"))
    pendulum = hamel.load("pendulum")
    with pytest.raises(hamel.UnsupportedError, match="no joint"):
        hamel.Contact(pendulum, [hamel.Plane()]).place([0.0])
    assert hamel.Contact(pendulum, [hamel.Plane()]).lowest([0.0]).shape == -1


def test_simulate_on_the_ground(quadruped):
    """A ball falls from rest: by hand; a start inside the ground; a motion that cannot go on."""
    robot = ball(restitution=0.0)
    ground = hamel.Contact(robot, [hamel.Plane(friction=0.5)])
    q, v = hamel.simulate(robot, robot.neutral(), None, [0, 0.2, 1.0], contact=ground, height=1.0, step=2e-3)
    assert q[0, 2] == 1.1 and np.isclose(q[1, 2], 1.1 - 0.5 * 9.81 * 0.04, atol=1e-12)
    assert np.isclose(v[1, 2], -9.81 * 0.2) and np.isclose(q[2, 2], 0.1, atol=2e-4) and abs(v[2, 2]) < 1e-9
    with pytest.raises(hamel.InvalidArgumentError, match="'ball' is 0.1 m below it; use lift=True"):
        hamel.simulate(robot, robot.neutral(), None, [0, 0.1], contact=ground)
    q, _ = hamel.simulate(robot, robot.neutral(), None, [0, 0.1], contact=ground, lift=True)
    assert q[0, 2] == 0.1
    high = [0, 0, 5, 1, 0, 0, 0]
    assert np.array_equal(hamel.simulate(robot, high, None, [0, 0.1], contact=ground, lift=True)[0][0], high)
    with pytest.raises(hamel.NotFiniteError, match="ends at 0.5 s, ball.5 is fastest"):
        hamel.simulate(robot, high, [0, 0, 0, 0, 0, 1e200], [0.5, 1], contact=ground)
    for wrong in ({"height": 1.0}, {"lift": True}, {"contact": ground, "step": 0.0}):
        with pytest.raises(hamel.InvalidArgumentError):
            hamel.simulate(robot, high, None, [0, 1], **wrong)
    with pytest.raises(hamel.InvalidArgumentError, match="times grow"):
        hamel.simulate(robot, high, None, [0, 1, 1], contact=ground)


def test_time_goes_forward():
    """Times that go back, or are none, are refused; a motion does not stay where it is without a word."""
    robot = hamel.load("pendulum")
    ground = hamel.Contact(robot, [])
    for extra in ({}, {"contact": ground}):
        with pytest.raises(hamel.InvalidArgumentError, match="times do not go back: 0.5 comes after 1$"):
            hamel.simulate(robot, [0.1], None, [0, 1, 0.5, 2], **extra)
        with pytest.raises(hamel.InvalidArgumentError, match=r"times\[1\] is nan"):
            hamel.simulate(robot, [0.1], None, [0, np.nan, 2], **extra)
    q, _ = hamel.simulate(robot, [0.1], None, [0, 1, 1])
    assert np.array_equal(q[1], q[2])
    motion = hamel.Motion(robot, [0.1], None)
    motion.advance(1).advance(1)
    with pytest.raises(hamel.InvalidArgumentError, match="at 1 s and cannot go to 0.5 s: a motion goes forward only"):
        motion.advance(0.5)
    with pytest.raises(hamel.InvalidArgumentError, match="cannot go to nan s"):
        motion.advance(np.nan)
    with pytest.raises(hamel.InvalidArgumentError, match="goes forward only"):
        motion.step(1)
    assert motion.time == 1


def test_constraints_hold(quadruped):
    """Two feet held: J ν̇ + J̇ ν = 0, and A against differences of the constrained dynamics."""
    q, v, _, tau = state(quadruped, 5)
    holds = [hamel.Hold("fl_foot", "point"), hamel.Hold("hr_foot", "point")]
    d = quadruped.constrained_forward_dynamics(holds, q, v, tau)
    for foot in ("fl_foot", "hr_foot"):
        m = quadruped.frame(foot, q, v, d.a, representation="mixed")
        assert np.abs(m.acceleration[:3]).max() < 1e-9 * max(1, np.abs(d.a).max())
    x = quadruped.constrained_linearize(holds, q, v, tau)
    h = 1e-5
    for k in range(quadruped.nv):
        z = h * np.eye(quadruped.nv)[k]
        ends = [quadruped.constrained_forward_dynamics(holds, quadruped.integrate(q, s * z), v, tau).a for s in (1, -1)]
        assert np.allclose((ends[0] - ends[1]) / (2 * h), x.Dq[:, k], atol=1e-6 * np.abs(x.Dq).max())
    after = quadruped.constrained_impulse(holds, q, v)
    assert np.abs(quadruped.frame("fl_foot", q, after.v, representation="mixed").twist[:3]).max() < 1e-10
    with pytest.raises(hamel.NotFoundError):
        quadruped.constrained_impulse([hamel.Hold("tail")], q, v)
    with pytest.raises(hamel.InvalidArgumentError, match="kind is one of"):
        quadruped.constrained_impulse([hamel.Hold(0, "rope")], q, v)
    with pytest.raises(TypeError, match="holds has 3 in it"):
        quadruped.constrained_impulse([3], q, v)


def test_armature_and_limits(quadruped):
    more = quadruped.with_armature(np.full(18, 0.1))
    q = quadruped.random(6)
    assert np.allclose(more.mass_matrix(q) - quadruped.mass_matrix(q), 0.1 * np.eye(18), atol=1e-12)
    margin, coordinate = quadruped.limit_margin(q)
    assert margin >= 0 and quadruped.velocity_names[coordinate] if coordinate >= 0 else margin == np.inf


@pytest.mark.parametrize("start", [0.0, 1.7e9, 1e12, 1e15])
def test_the_date_does_not_matter(start):
    """A second of free fall is a second, though numbers lie 0.125 s apart at 1e15 s."""
    ball = hamel.Builder().add_body("ball", None, "translation3", mass=1, moment=np.eye(3)).build()
    q, v = hamel.simulate(ball, [0, 0, 0], None, [start, start + 0.5, start + 1])
    assert np.allclose(q[:, 2], [0, -9.81 / 8, -9.81 / 2], rtol=0, atol=1e-11)
    assert np.allclose(v[:, 2], [0, -9.81 / 2, -9.81], rtol=0, atol=1e-11)



def test_contact_servo_of_any_gain():
    """A pendulum held level by a servo so stiff that an explicit step of it would explode at once."""
    builder = hamel.Builder()
    builder.add_body("arm", type="revolute", name="hinge", axis=[0, 1, 0], mass=1, com=[0.5, 0, 0], moment=0.1 * np.eye(3))
    robot = builder.build()
    contact = hamel.Contact(robot, [])
    contact.set_servo([0.0], stiffness=[1e6], damping=[1e4])
    q, v = np.zeros(1), np.ones(1)
    for _ in range(500):
        q, v = contact.step(q, v, 2e-3)[:2]
    assert np.isclose(q[0], 0.5 * 9.81 / 1e6, rtol=1e-3) and abs(v[0]) < 1e-6
    contact.set_servo()
    assert contact.step(q, v, 2e-3).v[0] > 0.02  # it falls
    with pytest.raises(hamel.InvalidArgumentError):
        contact.set_servo(q, stiffness=[-1.0])
    with pytest.raises(ValueError):
        contact.set_servo([0.0, 0.0])


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("with_force", [False, True])
def test_a_signal_stops_a_motion(with_force):
    """What Ctrl-C does: the handler runs while the motion moves, and the motion stands at its last good step."""
    robot = hamel.load("quadruped")
    force = {"force": lambda t, q, v: np.zeros(robot.nv)} if with_force else {}
    motion = hamel.Motion(robot, robot.neutral(), scheme="rk4", step=1e-5, max_steps=10**12, **force)

    def handler(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    begin = time.monotonic()
    try:
        with pytest.raises(Interrupted):
            motion.advance(1e6)  # 1e11 steps
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begin < 10  # at once, on a machine as busy as may be
    assert 0 < motion.time < 1e6 and np.isfinite(motion.q).all()
    reached = motion.time
    assert motion.advance(reached + 1e-4).time == reached + 1e-4


def test_constrained_batches(quadruped):
    """A batch is its states, in any representation; a bad one is NaN if that is asked for."""
    holds = [hamel.Hold("fl_foot", "point"), hamel.Hold("hr_foot", "point")]
    states = [state(quadruped, seed) for seed in range(5)]
    q, v, tau = (np.array([s[i] for s in states]) for i in (0, 1, 3))
    for choices in ({}, {"representation": "mixed"}, {"side": "global"}):
        x = quadruped.constrained_linearize(holds, q, v, tau, **choices)
        assert x.A.shape == (5, 36, 36) and x.force_q.shape == (5, 6, 18)
        for i in range(5):
            one = quadruped.constrained_linearize(holds, q[i], v[i], tau[i], **choices)
            for a, b in zip(x, one):  # in lanes of other widths: the same up to rounding
                np.testing.assert_allclose(a[i], b, rtol=0, atol=1e-12 * (1 + np.abs(b).max()))
    broken = v.copy()
    broken[2, 4] = 1e200
    with pytest.raises(hamel.NotFiniteError, match="row 2"):
        quadruped.constrained_linearize(holds, q, broken, tau)
    y = quadruped.constrained_linearize(holds, q, broken, tau, errors="nan", side="global")
    for one, other in zip(x, y):
        assert np.isnan(other[2]).all() and np.array_equal(np.delete(one, 2, 0), np.delete(other, 2, 0))


@pytest.mark.parametrize("integrator", ["euler", "rk2", "rk4", "alpha", "variational"])
def test_the_derivatives_of_a_step(integrator):
    """Where a step ends when its start is moved a little, against Ad and Bd."""
    robot = hamel.load("quadruped")
    q, v, tau, _ = state(robot, 6)
    n, eps = robot.nv, 1e-5
    z, w = np.random.default_rng(5).standard_normal((2, 2 * n))

    def end(t):
        at = robot.integrate(q, t * z[:n]), v + t * z[n:]
        return hamel.Motion(robot, *at, integrator=integrator, step=1e-2, tau=tau + t * w[:n]).step(1)

    middle, ahead, behind = end(0), end(eps), end(-eps)
    A, B = middle.linearize()
    moved = A[: 2 * n, : 2 * n] @ z + B[: 2 * n] @ w[:n]
    if integrator == "alpha":  # its auxiliary acceleration begins as the acceleration
        x = robot.linearize(q, v, tau)
        start = x.Dq @ z[:n] + x.Dv @ z[n:] + x.Minv @ w[:n]
        moved += A[: 2 * n, 2 * n :] @ start
    found = np.concatenate([robot.difference(behind.q, ahead.q), ahead.v - behind.v]) / (2 * eps)
    assert np.allclose(moved, found, atol=1e-6 * np.abs(found).max())


def test_balance_of_a_motion():
    robot = hamel.load("quadruped")
    q = robot.neutral()
    gains = {"target": q, "stiffness": np.full(18, 2.0), "damping": np.full(18, 0.3)}
    motion = hamel.Motion(robot, q, 0.1 * np.arange(18), balance=True, tau=np.linspace(0, 1, 18), **gains)
    torque = motion.torque(0.0, q, np.zeros(18))
    np.testing.assert_allclose(torque, np.linspace(0, 1, 18), atol=1e-15)
    start, before = energy(robot, motion.q, motion.v), robot.dynamics(motion.q, motion.v).momentum
    motion.advance(0.5)
    done = motion.balance
    assert abs(done.servos) > 0.1 and abs(done.forces) > 0.1 and done.contacts == 0
    assert abs(energy(robot, motion.q, motion.v) - start - sum(done[:10])) < 1e-10
    change = robot.dynamics(motion.q, motion.v).momentum - before
    np.testing.assert_allclose(change, done.gravity_impulse + done.wrench_impulse, atol=1e-9)
    with pytest.raises(hamel.InvalidArgumentError, match="balance=True"):
        hamel.Motion(robot, q).balance


def test_balance_of_contact():
    robot = hamel.load("quadruped")
    ground = hamel.Contact(robot, [hamel.Plane(friction=0.8)], balance=True)
    q, v = ground.place(robot.neutral(), 0.05), np.zeros(18)
    start = energy(robot, q, v)
    for _ in range(300):
        done = ground.step(q, v, 1e-3)
        q, v = done.q, done.v
    assert abs(energy(robot, q, v) - start - sum(ground.balance[:10])) < 1e-3 * abs(start)
    assert ground.balance.contacts < -1 and ground.balance.contact_impulse[2] > 10
    np.testing.assert_array_equal(done.torque, np.zeros(18))
    with pytest.raises(hamel.InvalidArgumentError, match="balance=True"):
        hamel.Contact(robot, []).balance


def test_a_motion_has_a_bound_of_steps():
    """A stiff robot ends dopri5's way with a sentence; calling again goes on, and what the sentence advises works."""
    robot = hamel.Builder().add_body("b", axis=[0, 0, 1], mass=1, moment=np.eye(3)).build()
    stiff = {"target": [0.0], "stiffness": [0.0], "damping": [1e6]}
    motion = hamel.Motion(robot, [0.0], [1.0], max_steps=2000, step=0, **stiff)
    for call in (1, 2):
        with pytest.raises(hamel.TooManyStepsError, match=r"at 0\.0[0-9]+ s, the last step was .*alpha"):
            motion.advance(100)
        assert motion.info.steps + motion.info.rejected == 2000 * call
    assert motion.advance(motion.time + 1e-4).time < 0.1
    q, v = hamel.simulate(robot, [0.0], [1.0], [0, 1], integrator="alpha", step=1e-3, max_steps=2000, **stiff)
    assert abs(v[-1, 0]) < 1
    with pytest.raises(RuntimeError, match="max_steps"):
        hamel.simulate(robot, [0.0], [1.0], [0, 100], step=0, max_steps=2000, **stiff)


def test_a_way_too_long_for_its_steps_is_refused_at_once():
    robot = hamel.load("pendulum")
    for integrator in hamel.Motion.schemes():
        motion = hamel.Motion(robot, [0.1], integrator=integrator)
        with pytest.raises(hamel.TooManyStepsError, match=r"1e\+12 steps, more than max_steps allows"):
            motion.advance(1e9)
        assert motion.info.steps == 0 and motion.time == 0
        assert motion.step(1e9).info.steps == 1
        assert hamel.Motion(robot, [0.1], integrator=integrator, step=0.01, max_steps=2000).advance(1).time == 1
    with pytest.raises(ValueError, match="max_steps is negative"):
        hamel.Motion(robot, [0.1], max_steps=-1)


def test_a_step_that_is_no_time():
    """Sentences, not a status alone; dopri5 takes 0 for "as long as the error allows"."""
    robot = hamel.load("pendulum")
    contact = hamel.Contact(robot, [])
    for integrator in hamel.Motion.schemes():
        for step in (0.0, -1e-3, np.nan):
            if integrator == "dopri5" and step == 0:
                continue
            with pytest.raises(ValueError, match="step is not a positive time"):
                hamel.Motion(robot, [0.1], integrator=integrator, step=step)
    for step in (0.0, -1e-3, np.nan):
        with pytest.raises(ValueError, match="the step h is not a positive time"):
            contact.step([0.1], [0.0], step)
