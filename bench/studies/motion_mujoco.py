"""A Hamel model in MuJoCo without gravity: drift of momentum and energy of MuJoCo's integrators, for docs/motion.md.

usage: motion_mujoco.py HAMEL MODEL.json [STEP [SECONDS [SPEED]]]

The robot is read by the command (HAMEL info, passive parts off) and written as MJCF: free, ball, hinge and slide joints.
The state is that of bench/studies/motion.c: neutral, every velocity uniform within SPEED (0.3) from the same generator,
seed 1.
"""

import json
import subprocess
import sys
import time

import mujoco
import numpy as np

KINDS = {"free": "free", "spherical": "ball", "revolute": "hinge", "prismatic": "slide"}


def rng(seed):
    """hml_rng: xoshiro256++ seeded by splitmix64; doubles in [0, 1) from the upper 53 bits."""
    mask = (1 << 64) - 1

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        state.append(z ^ (z >> 31))
    while True:
        result = (rotl((state[0] + state[3]) & mask, 23) + state[0]) & mask
        t = (state[1] << 17) & mask
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= t
        state[3] = rotl(state[3], 45)
        yield (result >> 11) * 2.0**-53


def mjcf(info):
    joints = {j["name"]: j for j in info["joints"]}
    children = {}
    for body in info["bodies"]:
        children.setdefault(body["parent"], []).append(body)

    def numbers(values):
        return " ".join(repr(float(x)) for x in values)

    def write(body, pad):
        joint = joints[body["joint"]]
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.array(joint["rotation"], float).reshape(9))
        lines = [f'{pad}<body name="{body["name"]}" pos="{numbers(joint["position"])}" quat="{numbers(quat)}">']
        axis = f' axis="{numbers(joint["axis"])}"' if joint["type"] in ("revolute", "prismatic") else ""
        lines.append(f'{pad}  <joint name="{joint["name"]}" type="{KINDS[joint["type"]]}"{axis}/>')
        m = np.array(body["moment"], float)
        full = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]
        lines.append(f'{pad}  <inertial pos="{numbers(body["com"])}" mass="{body["mass"]}" fullinertia="{numbers(full)}"/>')
        for child in children.get(body["name"], []):
            lines += write(child, pad + "  ")
        return lines + [f"{pad}</body>"]

    lines = []
    for root in children.get(None, []) + children.get("world", []):
        lines += write(root, "    ")
    head = '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/><option gravity="0 0 0"><flag energy="enable"/>'
    return head + "</option><worldbody>\n" + "\n".join(lines) + "\n</worldbody></mujoco>"


def totals(model, data):
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    mass = model.body_subtreemass[0]
    p = mass * data.subtree_linvel[0]
    com = data.subtree_com[0]
    return data.energy.sum(), p.copy(), data.subtree_angmom[0] + np.cross(com, p)


def main():
    command, path = sys.argv[1:3]
    step = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-3
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 100.0
    speed = float(sys.argv[5]) if len(sys.argv) > 5 else 0.3
    out = subprocess.run([command, "info", path, "-q", "--passive", "off", "--out", "/dev/stdout"], check=True, capture_output=True)
    info = json.loads(out.stdout)
    model = mujoco.MjModel.from_xml_string(mjcf(info))
    uniform = rng(1)
    velocity = np.array([2 * speed * next(uniform) - speed for _ in range(info["nv"])])
    model.opt.timestep = step
    steps, looks = round(seconds / step), 1000
    print(f'{info["model"]}, nv {model.nv}, {steps} steps of {step} s, MuJoCo {mujoco.__version__}')
    print(f'{"":14} {"linear":>9}  {"angular":>9}  {"E, worst":>9}  {"E, first":>9}  {"E, last":>9}  {"us/step":>8}')
    for name in ("Euler", "implicitfast", "implicit", "RK4"):
        model.opt.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + name.upper())
        data = mujoco.MjData(model)
        for j in info["joints"]:  # both order joints depth first; by name all the same
            at = model.jnt_dofadr[model.joint(j["name"]).id] if j["nv"] else 0
            data.qvel[at : at + j["nv"]] = velocity[j["v"] : j["v"] + j["nv"]]
        e0, p0, l0 = totals(model, data)
        worst, first, last, took = [0.0, 0.0, 0.0], 0.0, 0.0, 0.0
        for k in range(1, looks + 1):
            began = time.process_time()
            for _ in range(steps // looks):
                mujoco.mj_step(model, data)
            took += time.process_time() - began
            e, p, l = totals(model, data)
            worst[0] = max(worst[0], np.linalg.norm(p - p0) / np.linalg.norm(p0))
            worst[1] = max(worst[1], np.linalg.norm(l - l0) / np.linalg.norm(l0))
            error = e / e0 - 1
            worst[2] = max(worst[2], abs(error))
            first += 10 * error / looks if 10 * k <= looks else 0
            last += 10 * error / looks if 10 * k > 9 * looks else 0
        print(f"{name:14} {worst[0]:9.2e}  {worst[1]:9.2e}  {worst[2]:9.2e}  {first:9.2e}  {last:9.2e}  {1e6 * took / steps:8.1f}", flush=True)


if __name__ == "__main__":
    main()
