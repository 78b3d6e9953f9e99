#!/usr/bin/env python3
"""Drops one robot in MuJoCo, as tests/tools/drop_contact.c does with this library. drop.py runs it.

drop_mujoco.py FILE STEP SECONDS HEIGHT SEED:limp|SEED:held|SEED:walk… [pairs]

Prints a line of JSON per drop. The base is free, actuators and equalities of the file are off, the integrator is implicitfast.
Shapes touch the floor, and with `pairs` each other as MuJoCo's rules and the file say. "held" adds springs and dampers
of the same size to every hinge and slide; "walk" swings the goals of the
springs too. A drop has failed if MuJoCo warns of an unstable simulation. The exit status
is 3 if MuJoCo does not load the file or nothing of it moves.
"""

import json
import math
import re
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

NOT_A_ROBOT = 3
HINGE, SLIDE, FREE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("HINGE", "SLIDE", "FREE"))


def find_mesh(name, file):
    """The path of a mesh; package://p/x is looked for under the folders above the file."""
    path = re.sub(r"^(package|model|file)://", "", name)
    for folder in [file.parent, *file.parents]:
        for tail in (path, path.partition("/")[2]):
            if tail and (folder / tail).exists():
                return str(folder / tail)
    return None


def read_urdf(file):
    """The text of a URDF file with the paths of its meshes, and without the collisions that MuJoCo cannot read."""
    text = Path(file).read_text()
    text = re.sub(r"<visual\b.*?</visual>", "", text, flags=re.S)

    def collision(match):
        mesh = re.search(r"<mesh[^>]*filename\s*=\s*[\"']([^\"']*)", match.group(0))
        if not mesh:
            return match.group(0)
        path = find_mesh(mesh.group(1), Path(file).resolve())
        readable = path and path.lower().endswith((".stl", ".obj"))
        return match.group(0).replace(mesh.group(1), path) if readable else ""

    text = re.sub(r"<collision\b.*?</collision>", collision, text, flags=re.S)
    flags = '<mujoco><compiler strippath="false" fusestatic="false" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/></mujoco>'
    return re.sub(r"(<robot\b[^>]*>)", lambda m: m.group(1) + flags, text, count=1)


def load(file, pairs):
    """The compiled model on a free base with a floor."""
    if file.endswith(".urdf"):
        spec = mujoco.MjSpec.from_string(read_urdf(file))
    else:
        spec = mujoco.MjSpec.from_file(file)
    for body in spec.worldbody.bodies:
        if not body.joints:
            body.add_freejoint()
    for geom in spec.geoms:
        if geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = (geom.contype, geom.conaffinity) if pairs else (0, 1)
    floor = spec.worldbody.add_geom(name="the_floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.contype, floor.conaffinity = 0x7FFFFFFF, 0x7FFFFFFF
    floor.pos = [0, 0, -1]  # elsewhere than its body: only then MuJoCo reads geom_pos again
    floor.friction = [0.8, 0.005, 0.0001]
    model = spec.compile()
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.gravity = [0, 0, -9.81]
    return model


def posture(model, data, seed):
    """Neutral, or random within the limits."""
    rng = np.random.default_rng(seed)
    for j in range(model.njnt):
        at, kind, limited = model.jnt_qposadr[j], model.jnt_type[j], model.jnt_limited[j]
        low, high = model.jnt_range[j] if limited else (-math.pi, math.pi)
        low, high = max(low, -100.0), min(high, 100.0)  # some files write 1e16 for no limit
        if kind in (HINGE, SLIDE):
            start = rng.uniform(low, high) if seed and (limited or kind == HINGE) else 0.0
            data.qpos[at] = min(max(start, low), high) if limited else start
        elif seed:
            quaternion = rng.normal(size=4)
            start = at + 3 if kind == FREE else at
            data.qpos[start : start + 4] = quaternion / np.linalg.norm(quaternion)


def hold(model, data, weight):
    """A spring to where the joint is and a damper, on top of those of the file."""
    for j in range(model.njnt):
        if model.jnt_type[j] not in (HINGE, SLIDE):
            continue
        at, dof, k = model.jnt_qposadr[j], model.jnt_dofadr[j], np.atleast_1d(model.jnt_stiffness[j]).flat[0]
        stiff = 3 * weight
        model.qpos_spring[at] = (k * model.qpos_spring[at] + stiff * data.qpos[at]) / (k + stiff)
        model.jnt_stiffness[j] = k + stiff
        model.dof_damping[dof] += 0.3 * weight


def lowest_point(model, data, g):
    """The height of the lowest point of a geom."""
    down, size = data.geom_xmat[g].reshape(3, 3)[2], model.geom_size[g]
    kind, below = model.geom_type[g], 0.0
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        below = size[0]
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        below = size[0] + abs(down[2]) * size[1]
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        below = abs(down[2]) * size[1] + math.hypot(down[0], down[1]) * size[0]
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        below = float(np.abs(down) @ size)
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        below = float(np.linalg.norm(down * size))
    elif kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[g]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        below = -float(np.min(model.mesh_vert[first : first + count] @ down))
    else:
        return math.inf
    return data.geom_xpos[g][2] - below


def lower_floor(model, data, height):
    """The floor lies `height` below the lowest point of all shapes."""
    mujoco.mj_forward(model, data)
    floor = model.geom("the_floor").id
    solid = [g for g in range(model.ngeom) if g != floor and (model.geom_contype[g] or model.geom_conaffinity[g])]
    lowest = min((lowest_point(model, data, g) for g in solid), default=0.0)
    model.geom_pos[floor] = [0, 0, (lowest if math.isfinite(lowest) else 0.0) - height]


def fall(model, data, step, seconds, scale, walk):
    """Steps to the end, or to the first warning."""
    swinging = [j for j in range(model.njnt) if walk and model.jnt_type[j] in (HINGE, SLIDE)]
    places = model.jnt_qposadr[swinging]
    rest = model.qpos_spring[places].copy()
    watched = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]
    mujoco.mj_forward(model, data)
    first, gain, deepest, most, spent, done, end = sum(data.energy), 0.0, 0.0, 0, 0.0, 0, "ok"
    for done in range(1, round(seconds / step) + 1):
        if walk:
            model.qpos_spring[places] = rest + 0.2 * np.sin(4 * math.pi * (done - 1) * step + np.array(swinging))
        began = time.process_time()
        mujoco.mj_step(model, data)
        spent += time.process_time() - began
        if any(data.warning[int(w)].number for w in watched) or not np.all(np.isfinite(data.qvel)):
            end = f"unstable at {done * step:.4g} s"
            break
        gain = max(gain, (sum(data.energy) - first) / scale)
        most = max(most, data.ncon)
        if data.ncon:
            deepest = max(deepest, -float(np.min(data.contact.dist)))
    return {"steps": done, "gain": gain, "deepest": deepest, "contacts": most, "us": 1e6 * spent / done, "end": end}


def main():
    file, step, seconds, height = sys.argv[1:5]
    words = sys.argv[5:]
    for word in words:
        if word == "pairs":
            continue
        try:
            model = load(file, "pairs" in words)
        except Exception as error:  # what MuJoCo cannot read, for whatever reason
            print(error, file=sys.stderr)
            return NOT_A_ROBOT
        if not model.nv:
            return NOT_A_ROBOT
        seed, how = word.split(":")
        model.opt.timestep = float(step)
        if not float(height):  # nothing falls: the time per step is what counts
            model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        data = mujoco.MjData(model)
        weight = 9.81 * float(np.sum(model.body_mass))
        posture(model, data, int(seed))
        if how != "limp":
            hold(model, data, weight)
        lower_floor(model, data, float(height))
        print(json.dumps(fall(model, data, float(step), float(seconds), weight * max(float(height), 1e-3), how == "walk")), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
