"""Mistyped names get the nearest one, wrong types the name of their argument, and one thing may have two names."""

import numpy as np
import pytest

import hamel


def leg():
    builder = hamel.Builder().add_body("thigh", joint="hip", axis=[0, 1, 0], mass=1, moment=np.eye(3))
    return builder.add_frame("toe", "thigh")


def mistakes():
    robot = hamel.load("quadruped")
    q, v = robot.neutral(), np.zeros(robot.nv)
    kept = hamel.Builder(model=robot).add_keyframe("stand", "fl_knee", [0.3]).build()
    return {
        "frame": (lambda: robot.frame("fl_fot", q), "no frame, body or link is called 'fl_fot'; did you mean 'fl_foot'"),
        "joint": (lambda: robot.lock(["fl_kne"]), "no joint is called 'fl_kne'; did you mean 'fl_knee'"),
        "free joint": (lambda: robot.trim(q, free=["fl_kne"]), "no joint is called 'fl_kne'; did you mean 'fl_knee'"),
        "body": (lambda: robot.reroot("fl_shnk"), "no body is called 'fl_shnk'; did you mean 'fl_shank'"),
        "hold": (lambda: robot.constrained_linearize(["fl_fot"], q, v), "did you mean 'fl_foot'"),
        "keyframe": (lambda: kept.keyframes["stnd"], "no keyframe is called 'stnd'; did you mean 'stand'"),
        "no keyframe": (lambda: kept.keyframes["sit"], "no keyframe is called 'sit': there are stand"),
        "integrator": (lambda: hamel.Motion(robot, q, integrator="rk44"), "integrator is one of .*; did you mean 'rk4'"),
        "integrator of a step": (lambda: robot.step(q, v, 0.1, integrator="rk44"), "did you mean 'rk4'"),
        "choice": (lambda: robot.linearize(q, v, representation="mixd"), "did you mean 'mixed'"),
        "argument": (lambda: robot.linearize(q, v, wrench=3), r"linearize\(\) has no argument 'wrench'; did you mean 'wrenches'"),
        "option": (lambda: hamel.simulate(robot, q, v, [0, 1], tolerence=1), "no argument is called 'tolerence'; did you mean 'tolerance'"),
        "option of trim": (lambda: robot.trim(q, fricton=1), "did you mean 'friction'"),
        "joint type": (lambda: hamel.Builder().add_body("a", type="revolut"), "there is no joint type 'revolut'; did you mean 'revolute'"),
        "field": (lambda: hamel.Builder().add_body("a", damp=1), "did you mean 'damping'"),
        "parent": (lambda: leg().add_body("shin", "thig", axis=[0, 1, 0]).build(), "parent 'thig' does not exist; did you mean 'thigh'"),
        "parent is none": (lambda: leg().add_body("shin", "elbow", axis=[0, 1, 0]).build(), "parent 'elbow' does not exist$"),
        "body of a frame": (lambda: leg().add_frame("foot", "thgih").build(), "did you mean 'thigh'"),
        "body of a shape": (lambda: leg().add_shape("thigj", "sphere", [0.1]).build(), "did you mean 'thigh'"),
        "joint of an actuator": (lambda: leg().add_actuator("motor", "hp").build(), "there is no joint 'hp'; did you mean 'hip'"),
        "joint of a keyframe": (lambda: leg().add_keyframe("up", "hipp", [1]), "there is no joint 'hipp'; did you mean 'hip'"),
        "leader": (lambda: leg().add_body("shin", "thigh", axis=[0, 1, 0], mimic="hyp").build(), "did you mean 'hip'"),
        "frame of a loop": (lambda: leg().add_loop("tow", None).build(), "a loop ties 'tow', which does not exist; did you mean 'toe'"),
        "body of a model": (lambda: leg().add_model(robot, "thihg"), "did you mean 'thigh'"),
        "shape": (lambda: robot.add_shape("trunk", "bx", [1, 1, 1]), "there is no shape 'bx'; did you mean 'box'"),
        "robot": (lambda: hamel.load("quadrupd"), "perhaps 'quadruped'"),
        # types
        "one time": (lambda: hamel.simulate(robot, q, None, 1.0), r"times is a list of times such as \[0, 1\], not one time"),
        "numpy time": (lambda: hamel.simulate(robot, q, None, np.float32(1)), r"times is a list of times such as \[0, 1\]"),
        "no time": (lambda: hamel.simulate(robot, q, None, None), "times is a list of times, not None"),
        "no model": (lambda: hamel.simulate("quadruped", q, None, [0, 1]), "model is a hamel.Model"),
        "no model for a motion": (lambda: hamel.Motion("quadruped", q), "model must be hamel.Model, not str"),
        "number": (lambda: hamel.Motion(robot, q, v, "zero"), "t is a number, not"),
        "number by name": (lambda: hamel.Motion(robot, q, v, step="small"), "step is a number, not"),
        "integer": (lambda: hamel.Motion(robot, q, v, iterations=2.5), "iterations is an integer, not"),
        "threads": (lambda: robot.linearize(q, v, threads="2"), "threads is an integer, not"),
        "number of a frame": (lambda: robot.frame(1.5, q), "a frame is given by its name or index"),
        "not a hold": (lambda: robot.constrained_linearize([3.5], q, v), "holds has 3.5 in it"),
        "name of a body": (lambda: hamel.Builder().add_body(3), "name is a text, not"),
        "no name": (lambda: hamel.Builder().add_body(), "name is a text"),
        "parent by number": (lambda: hamel.Builder().add_body("a", 0), "parent is a text, not"),
        "type of a joint": (lambda: hamel.Builder().add_body("a", type=3), "type is a text, not"),
        "by place": (lambda: hamel.Builder().add_body("a", None, "free", 1.0), "takes its arguments by their names"),
        "text for a mass": (lambda: hamel.Builder().add_body("a", mass="heavy"), "mass must be made of numbers, not 'heavy'"),
        "text for an axis": (lambda: hamel.Builder().add_body("a", axis="y"), "axis must be made of numbers, not 'y'"),
        "ragged": (lambda: robot.linearize([[1, 2], [3]], v), "q: "),
    }


@pytest.mark.parametrize("name", mistakes())
def test_the_sentence(name):
    call, sentence = mistakes()[name]
    with pytest.raises((hamel.Error, TypeError, ValueError), match=sentence):
        call()


def test_a_keyframe_that_is_not_there_is_a_key_error(quadruped):
    assert quadruped.keyframes.get("stand") is None
    with pytest.raises(KeyError) as caught:
        quadruped.keyframes["stand"]
    assert isinstance(caught.value, hamel.NotFoundError)
    assert str(caught.value) == "no keyframe is called 'stand': there are none"


def test_names_for_the_same_thing(quadruped):
    q, v = quadruped.neutral(), np.zeros(18)
    a = quadruped.forward_dynamics(q, v)
    assert np.array_equal(quadruped.inverse_dynamics(q, v, acceleration=a), quadruped.inverse_dynamics(q, v, a=a))
    with pytest.raises(TypeError, match="two values for its argument 'acceleration'"):
        quadruped.inverse_dynamics(q, v, a, acceleration=a)
    held = quadruped.constrained_forward_dynamics("fl_foot", q, v)  # one hold needs no list
    assert held.a is held.acceleration is held[0]
    again = quadruped.constrained_forward_dynamics(hold=["fl_foot"], q=q, v=v)
    assert np.array_equal(again.force, held.force)
    steps = [quadruped.step(q, v, 0.01, **words).q for words in ({"scheme": "rk4"}, {"integrator": "munthe_kaas_4"})]
    motions = [
        hamel.Motion(quadruped, q, v, step=0.01, **words).advance(0.02).q
        for words in ({"scheme": "rk4"}, {"integrator": "rk4"}, {"integrator": "munthe_kaas_4"})
    ]
    assert np.array_equal(*steps) and np.array_equal(*motions[:2]) and np.array_equal(*motions[1:])
    with pytest.raises(TypeError, match="the same thing"):
        hamel.Motion(quadruped, q, v, scheme="rk4", integrator="rk4")


def test_frames_and_shapes_of_a_model(quadruped):
    """A copy with one more; everything else stays."""
    R = hamel.so3.exp([0.1, 0.2, 0.3])
    robot = quadruped.add_frame("tool", "trunk", [0.1, 0, 0.2], R)
    assert robot.nframes == quadruped.nframes + 1 and quadruped.nframes == len(quadruped.frames)
    q = quadruped.random(3)
    there = quadruped.frame("trunk", q).pose @ np.block([[R, np.array([[0.1], [0], [0.2]])], [np.zeros((1, 3)), 1]])
    assert np.allclose(robot.frame("tool", q).pose, there, atol=1e-14)
    assert np.array_equal(robot.mass_matrix(q), quadruped.mass_matrix(q))
    ball = robot.add_shape("fl_shank", "sphere", 0.05, position=[0, 0, -0.1])
    assert len(ball.shapes) == len(robot.shapes) + 1 and ball.shapes[-1].kind == "sphere"
    assert ball.frame_index("tool") >= 0 and robot.add_frame("mark").frame_index("mark") >= 0
    with pytest.raises(hamel.BadModelError, match="'trnk'"):
        quadruped.add_frame("tool", "trnk")
    fixed = hamel.Builder().add_body("a", type="revolute", axis=[0, 0, 1], mass=1, moment=np.eye(3)).add_body("b", "a", "fixed", mass=1, moment=np.eye(3))
    kept = fixed.build(keep_fixed=True)
    assert kept.nbodies == kept.add_frame("tip", "b").nbodies == 2


def test_a_body_may_be_named_by_keyword():
    model = hamel.Builder().add_body(name="thigh", joint="hip", axis=[0, 1, 0], mass=1, moment=np.eye(3)).build()
    assert [x.name for x in model.bodies] == ["thigh"] and [x.name for x in model.joints] == ["hip"]
