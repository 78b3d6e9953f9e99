"""Pinocchio: models both ways, by their numbers."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy

from .._core import Builder, Joint, Model
from .._errors import UnsupportedError
from ._layout import Layout, layout
from .._optional import need

SCREWS = ("R", "P", "H")  # JointModelRX, JointModelPrismaticUnaligned, …
WHOLE = {"FreeFlyer": "free", "Spherical": "spherical", "Planar": "planar", "Translation": "translation3"}


def _pinocchio() -> Any:
    return need("pinocchio", "pin", "this translation")


def from_pinocchio(model: Any) -> Model:
    """A pinocchio.Model as one of Hamel's: bodies, joints, limits, armature, gravity and the frames of its bodies.

    Damping and friction stay behind: Pinocchio's dynamics do not have them. Joints that Hamel has not (composite,
    mimic, Euler angles, ellipsoid) raise UnsupportedError. `pinocchio_layout` translates the states.
    """
    pin = _pinocchio()
    builder = Builder(model.name or "robot", gravity=model.gravity.linear)
    neutral, bodies = pin.neutral(model), [None]
    taken: Dict[str, int] = {}
    for i in range(1, model.njoints):
        own = [f for f in model.frames if f.parentJoint == i and f.type == pin.FrameType.BODY]
        centred = [f for f in own if f.placement.isIdentity()]
        name = centred[0].name if centred else model.names[i]
        joint, place, inertia = model.joints[i], model.jointPlacements[i], model.inertias[i]
        rows = slice(joint.idx_v, joint.idx_v + joint.nv)
        kind, screw = _kind(joint, model.names[i], neutral)
        fields = dict(screw, armature=model.armature[rows], joint=model.names[i])
        if joint.nq == joint.nv == 1:
            at = joint.idx_q
            fields.update(lower=model.lowerPositionLimit[at : at + 1], upper=model.upperPositionLimit[at : at + 1])
        fields.update(
            velocity_limit=model.upperVelocityLimit[rows],
            effort_limit=model.upperEffortLimit[rows],
            actuated=kind != "free",
        )
        builder.add_body(
            name,
            bodies[model.parents[i]],
            kind,
            position=place.translation,
            rotation=place.rotation,
            mass=inertia.mass,
            com=inertia.lever,
            moment=inertia.inertia,
            **fields,
        )
        bodies.append(name)
        taken[name] = i
    for frame in model.frames:
        if frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME) and frame.name not in taken:
            taken[frame.name] = frame.parentJoint
            place = frame.placement
            builder.add_frame(frame.name, bodies[frame.parentJoint], place.translation, place.rotation)
    return builder.build()


def _kind(joint: Any, name: str, q: Any) -> Tuple[str, Dict[str, Any]]:
    """Hamel's type of a joint, and its axis: read from the columns of its motion subspace."""
    word = joint.shortname().replace("JointModel", "", 1)
    if word in WHOLE:
        return WHOLE[word], {}
    if joint.nv == 1 and word[0] in SCREWS and not word.startswith("Mimic"):
        data = joint.createData()
        joint.calc(data, q)
        S = numpy.asarray(data.S).reshape(6)
        if word[0] == "P":
            return "prismatic", {"axis": S[:3]}
        if word[0] == "R":
            return "revolute", {"axis": S[3:]}
        return "helical", {"axis": S[3:], "pitch": float(S[:3] @ S[3:])}
    raise UnsupportedError(f"joint {name!r} is a {word}, which Hamel does not have")


def to_pinocchio(model: Model) -> Any:
    """A model as a pinocchio.Model: all joints, limits, armature, gravity, frames. Names and order of joints are kept.

    Joints that Pinocchio has not become composites of slides and turns, as `layout` has them. Raises UnsupportedError
    for mimic joints; springs stay behind, and damping is in model.damping, which its dynamics do not read.
    """
    pin = _pinocchio()
    theirs = pin.Model()
    theirs.name = model.name
    theirs.gravity = pin.Motion(model.gravity, numpy.zeros(3))
    origins = [pin.SE3.Identity()]  # of body frames in Pinocchio's joint frames, the world first
    ids = [0]
    for number, body in enumerate(model.bodies):
        joint = model.joints[body.joint]
        if _is_cross(model, number):
            ids.append(ids[body.parent + 1])
            origins.append(origins[body.parent + 1])
            continue
        if joint.leader >= 0:
            raise UnsupportedError(f"joint {joint.name!r} mimics another; load the model with mimic='independent'")
        centre = pin.SE3(numpy.eye(3), joint.point)
        place = origins[body.parent + 1] * pin.SE3(joint.rotation, joint.position) * centre
        i = theirs.addJoint(ids[body.parent + 1], _joint_model(pin, joint), place, joint.name)
        theirs.addJointFrame(i)
        inertia = pin.Inertia(body.mass, body.com, body.moment)
        theirs.appendBodyToJoint(i, inertia, centre.inverse())
        ids.append(i)
        origins.append(centre.inverse())
        made = theirs.joints[i]
        rows = slice(made.idx_v, made.idx_v + made.nv)
        for name, values in (
            ("armature", joint.armature),
            ("damping", joint.damping),
            ("friction", joint.friction),
            ("upperVelocityLimit", joint.velocity_limit),
            ("lowerVelocityLimit", -joint.velocity_limit),
            ("upperEffortLimit", joint.effort_limit),
            ("lowerEffortLimit", -joint.effort_limit),
        ):
            getattr(theirs, name)[rows] = values
        if joint.nq == joint.nv == made.nq:
            places = slice(made.idx_q, made.idx_q + made.nq)
            theirs.lowerPositionLimit[places], theirs.upperPositionLimit[places] = joint.lower, joint.upper
    for frame in model.frames:
        if frame.body >= 0 and _is_cross(model, frame.body):
            continue
        kind = pin.FrameType.OP_FRAME if frame.kind == "named" else pin.FrameType.BODY
        place = origins[frame.body + 1] * pin.SE3(frame.rotation, frame.position)
        theirs.addFrame(pin.Frame(frame.name, ids[frame.body + 1], place, kind), False)
    return theirs


def _is_cross(model: Model, body: int) -> bool:
    """The massless body between the two axes of a universal joint; in Pinocchio it is inside the joint."""
    return model.joints[model.bodies[body].joint].body != body


def _joint_model(pin: Any, joint: Joint) -> Any:
    x, y, z = numpy.eye(3)
    slides = {"translation2": (x, y), "schoenflies": (x, y, z), "cylindrical": (joint.axis,)}
    turns = {"schoenflies": (z,), "cylindrical": (joint.axis,)}
    if joint.type in slides:
        chain = pin.JointModelComposite(len(slides[joint.type]) + len(turns.get(joint.type, ())))
        for axis in slides[joint.type]:
            chain.addJoint(pin.JointModelPrismaticUnaligned(axis), pin.SE3.Identity())
        for axis in turns.get(joint.type, ()):
            chain.addJoint(pin.JointModelRevoluteUnaligned(axis), pin.SE3.Identity())
        return chain
    if joint.type == "universal":  # Pinocchio's own wants the two axes at right angles
        chain = pin.JointModelComposite(2)
        for axis in (joint.axis, joint.axis2):
            chain.addJoint(pin.JointModelRevoluteUnaligned(axis), pin.SE3.Identity())
        return chain
    if joint.type == "helical":
        return pin.JointModelHelicalUnaligned(joint.axis, joint.pitch)
    if joint.type in ("revolute", "prismatic"):
        name = joint.type.capitalize()
        return getattr(pin, f"JointModel{name}Unaligned")(joint.axis)
    for word, kind in WHOLE.items():
        if kind == joint.type:
            return getattr(pin, f"JointModel{word}")()
    raise UnsupportedError(f"Pinocchio has no {joint.type} joint, which {joint.name!r} is")


def pinocchio_layout(model: Model, theirs: Any) -> Layout:
    """Translates states between a model and a pinocchio.Model of the same robot; joints are matched by name.

    A joint of theirs that is missing here leaves a gap and raises InvalidArgumentError; one of ours, NotFoundError.
    """
    places: Dict[str, Tuple[int, int]] = {}
    circles: List[str] = []
    for i in range(1, theirs.njoints):
        joint = theirs.joints[i]
        places[theirs.names[i]] = (joint.idx_q, joint.idx_v)
        if joint.nv == 1 and joint.nq == 2:
            circles.append(theirs.names[i])
    free = [j.name for j in model.joints if j.type == "free" and j.name not in places]
    if len(free) == 1 and "root_joint" in places:  # what pin.buildModelFromUrdf calls it
        places[free[0]] = places["root_joint"]
    return layout(model, "pinocchio", places, circles=circles)
