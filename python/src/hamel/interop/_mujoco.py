"""MuJoCo: a compiled mjModel by its numbers, and its order of states."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy

from .. import quat
from .._core import Builder, Model
from .._errors import UnsupportedError
from ._layout import Layout, layout
from .._optional import need

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
KINDS = ("free", "spherical", "prismatic", "revolute")
NEUTRAL = ((0, 0, 0, 1, 0, 0, 0), (1, 0, 0, 0), (0,), (0,))
SHAPES = {2: ("sphere", 1), 3: ("capsule", 2), 5: ("cylinder", 2), 6: ("box", 3)}  # mjtGeom: kind, numbers


def from_mujoco(model: Any) -> Model:
    """A mujoco.MjModel as one of Hamel's: bodies, joints, armature, damping, springs, limits, sites, shapes, gravity,
    keyframes, and qpos0 as the keyframe "start".

    Inertias are the compiled ones, so meshes are no obstacle; spheres, capsules, cylinders and boxes that can collide
    become shapes. Tendons, equalities, actuators and friction losses stay behind. A body with several joints becomes a
    chain, with massless bodies "<body>/<joint>" before it. `mujoco_layout` translates the states.
    """
    mujoco = need("mujoco", "mujoco", "this translation")

    def name(kind: str, i: int) -> str:
        given = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), i)
        return str(given or f"{kind}{i}")

    builder = Builder(name_of(model), gravity=model.opt.gravity)
    bodies: List[Any] = [None]
    for i in range(1, model.nbody):
        body, parent = name("body", i), bodies[model.body_parentid[i]]
        first = int(model.body_jntadr[i])
        joints = range(first, first + int(model.body_jntnum[i]))
        place: Dict[str, Any] = {"position": model.body_pos[i], "rotation": quat.to_matrix(model.body_quat[i])}
        axes = quat.to_matrix(model.body_iquat[i])
        inertia = {
            "mass": float(model.body_mass[i]),
            "com": model.body_ipos[i],
            "moment": axes @ numpy.diag(model.body_inertia[i]) @ axes.T,
        }
        if not joints:
            builder.add_body(body, parent, "fixed", **place, **inertia)
        for j in joints:
            last = j == joints[-1]
            link = body if last else f"{body}/{name('joint', j)}"
            kind, fields = _joint(model, j, name("joint", j), place)
            builder.add_body(link, parent, kind, **fields, **(inertia if last else {}))
            parent, place = link, {}
        bodies.append(body)
    for i in range(model.nsite):
        owner = bodies[model.site_bodyid[i]]
        builder.add_frame(name("site", i), owner, model.site_pos[i], quat.to_matrix(model.site_quat[i]))
    contype, conaffinity = _touching(model)
    for i in range(model.ngeom):
        kind, count = SHAPES.get(int(model.geom_type[i]), ("", 0))
        if count and (contype[i] or conaffinity[i]):
            builder.add_shape(
                bodies[model.geom_bodyid[i]],
                kind,
                model.geom_size[i][:count],
                model.geom_pos[i],
                quat.to_matrix(model.geom_quat[i]),
                friction=float(model.geom_friction[i][0]),
                **_bits(contype[i], conaffinity[i]),
            )
    for i in range(model.nexclude):  # a signature is two numbers of bodies, of 16 bits each
        first, second = divmod(int(model.exclude_signature[i]), 1 << 16)
        builder.add_exclusion(bodies[first], bodies[second])
    states = {name("key", i): (model.key_qpos[i], model.key_qvel[i]) for i in range(model.nkey)}
    start = (model.qpos0, numpy.zeros(model.nv))
    if any(tuple(_key(model, j, *start)[0]) != NEUTRAL[int(model.jnt_type[j])] for j in range(model.njnt)):
        states.setdefault("start", start)
    for key, (q, v) in states.items():
        for j in range(model.njnt):
            builder.add_keyframe(key, name("joint", j), *_key(model, j, q, v))
    return builder.build()


def _bits(contype: int, conaffinity: int) -> Dict[str, int]:
    """What a shape can touch; 1 and 1 go without saying, as in files."""
    if contype == conaffinity == 1:
        return {}
    return {"contype": contype, "conaffinity": conaffinity}


def _touching(model: Any) -> Tuple[List[int], List[int]]:
    """contype and conaffinity of the geoms, with a bit of its own for what a <pair> lets touch. A geom that only pairs let
    touch gets a bit that nothing meets: planes touch every shape."""
    contype, conaffinity = ([int(x) & 0xFFFFFFFF for x in bits] for bits in (model.geom_contype, model.geom_conaffinity))
    pairs = [(int(a), int(b)) for a, b in zip(model.pair_geom1, model.pair_geom2)]
    used = 0
    for bits in contype + conaffinity:
        used |= bits
    free = [1 << k for k in range(32) if not used >> k & 1]
    if not pairs or not free:
        return contype, conaffinity
    alone, *free = free
    for a in {a for pair in pairs for a in pair}:
        if not (contype[a] or conaffinity[a]):
            contype[a] = alone
    own: Dict[int, int] = {}
    shapes = [all(int(model.geom_type[a]) in SHAPES for a in pair) for pair in pairs]
    for (a, b), both in zip(pairs, shapes):
        if not both or contype[a] & conaffinity[b] or contype[b] & conaffinity[a]:
            continue
        if a not in own and (b in own or sum(b in p for p in pairs) > sum(a in p for p in pairs)):
            a, b = b, a
        if a not in own:
            if not free:
                continue
            own[a] = free.pop(0)
        contype[a] |= own[a]
        conaffinity[b] |= own[a]
    return contype, conaffinity


def _key(model: Any, j: int, q: Any, v: Any) -> Tuple[Any, Any]:
    """Position and velocity of a joint in qpos and qvel, as Hamel has them."""
    kind, at, row = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    position = numpy.array(q[at : at + (7, 4, 1, 1)[kind]])
    velocity = numpy.array(v[row : row + (6, 3, 1, 1)[kind]])
    if kind in (FREE, BALL):
        position[-4:] /= numpy.linalg.norm(position[-4:])
    if kind == FREE:
        velocity[:3] = quat.to_matrix(position[3:]).T @ velocity[:3]
    return position, velocity


def name_of(model: Any) -> str:
    """The model's name, the first text of its names."""
    return bytes(model.names).split(b"\0", 1)[0].decode() or "robot"


def _joint(model: Any, j: int, name: str, place: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The type of a joint and its numbers. qpos is measured from qpos0, where the body lies as it is given."""
    kind, at, row = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    count = (6, 3, 1, 1)[kind]
    stiffness = float(model.jnt_stiffness[j])
    rows = slice(row, row + count)
    for terms, at_terms in (("jnt_stiffnesspoly", j), ("dof_dampingpoly", rows)):  # older ones have none
        if numpy.any(getattr(model, terms, numpy.zeros(model.nv))[at_terms]):
            raise UnsupportedError(f"joint {name!r}: springs and damping of higher order are left to MuJoCo")
    fields: Dict[str, Any] = {
        "joint": name,
        "armature": model.dof_armature[rows],
        "damping": model.dof_damping[rows],
        "friction": model.dof_frictionloss[rows],
        "actuated": kind != FREE,
    }
    if kind == FREE:
        if stiffness:
            raise UnsupportedError(f"joint {name!r}: a spring on a free joint is left to MuJoCo")
        return KINDS[kind], fields  # qpos is the pose in the world, whatever the body's own place says
    start = float(model.qpos0[at]) if kind != BALL else 0.0
    fields.update(place, stiffness=numpy.full(count, stiffness))
    if kind == BALL:
        fields.update(point=model.jnt_pos[j], rest=model.qpos_spring[at : at + 4])
        return KINDS[kind], fields
    axis = numpy.asarray(model.jnt_axis[j])
    fields.update(axis=axis, rest=model.qpos_spring[at : at + 1])
    if model.jnt_limited[j]:
        fields.update(lower=model.jnt_range[j][:1], upper=model.jnt_range[j][1:])
    R, p = fields.get("rotation", numpy.eye(3)), fields.get("position", numpy.zeros(3))
    if kind == SLIDE:
        fields.update(position=p - R @ axis * start)
    else:
        centre = numpy.asarray(model.jnt_pos[j])
        back = quat.to_matrix([numpy.cos(start / 2), *(-numpy.sin(start / 2) * axis)])
        fields.update(point=centre, rotation=R @ back, position=p + R @ (centre - back @ centre))
    return KINDS[kind], fields


def mujoco_layout(model: Model, theirs: Any) -> Layout:
    """Translates states between a model and a mujoco.MjModel of the same robot; joints are matched by name.

    A free joint's velocity is split: linear in the world's axes, angular in the body's. data.qfrc_applied takes
    `force_to`; its mass matrix is `mass_to`.
    """
    mujoco = need("mujoco", "mujoco", "this translation")
    places: Dict[str, Tuple[int, int]] = {}
    for j in range(theirs.njnt):
        given = mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_JOINT, j)
        places[given or f"joint{j}"] = (int(theirs.jnt_qposadr[j]), int(theirs.jnt_dofadr[j]))
    return layout(model, "mujoco", places)
