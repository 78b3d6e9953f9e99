"""How far can an arm be pushed away before its regulator loses it? 65,536 samples on a GPU, in lockstep.

An LQR holds the seven joints of `arm7` against gravity; its motors give so much torque and no more. Every sample starts at rest,
somewhere else, and moves for two seconds in steps of 2 ms. Needs torch and libhamel-cuda (docs/gpu.md).

    python3 monte_carlo.py RESULTS.npz            computes
    python3 monte_carlo.py RESULTS.npz PLOT.svg   draws what is there (matplotlib)
"""

import sys
import time

import numpy as np

import hamel
import hamel.control
import hamel.cuda

SAMPLES, SECONDS, H, CHECKED = 65536, 2.0, 0.002, 4


def regulator(robot, q):
    """gains of a regulator about q, and the torques that hold it there"""
    tau = robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    x = robot.step_linearize(q, np.zeros(robot.nv), H, tau)
    weights = np.diag([100.0] * robot.nv + [1.0] * robot.nv)
    return hamel.control.dlqr(x.Ad, x.Bd, weights, 0.01 * np.eye(robot.nv)).K, tau


def on_gpu(robot, goal, start, limits):
    """who is back at the goal after all steps, and states per second"""
    import torch

    batch = hamel.cuda.Batch(robot, dtype="float64")
    send = lambda x: torch.tensor(x, dtype=torch.float64, device="cuda")
    K, hold = map(send, regulator(robot, goal))
    q, target, limit = send(start), send(goal).expand(len(start), -1).contiguous(), send(limits)[:, None]
    v = torch.zeros_like(q)
    torch.cuda.synchronize()
    begin, steps = time.perf_counter(), round(SECONDS / H)
    for _ in range(steps):
        z = torch.cat([batch.difference(target, q), v], -1)
        tau = torch.maximum(torch.minimum(hold - z @ K.T, limit), -limit)
        after = batch.step(q, v, H, tau)
        q, v = after.q, after.v
    distance = torch.linalg.norm(batch.difference(target, q), dim=-1).cpu().numpy()
    return distance, q.cpu().numpy(), len(start) * steps / (time.perf_counter() - begin)


def on_cpu(robot, goal, q, limit):
    """one sample, step by step"""
    K, hold = regulator(robot, goal)
    v = np.zeros(robot.nv)
    for _ in range(round(SECONDS / H)):
        z = np.concatenate([robot.difference(goal, q), v])
        after = robot.step(q, v, H, np.clip(hold - K @ z, -limit, limit))
        q, v = after.q, after.v
    return q


def compute(path):
    robot, rng = hamel.load("arm7"), np.random.default_rng(1)
    goal = np.full(robot.nq, 0.4)
    need = abs(regulator(robot, goal)[1]).max()
    size = rng.uniform(0, 2.5, SAMPLES)
    direction = rng.normal(size=(SAMPLES, robot.nv))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    start, limits = robot.integrate(goal, size[:, None] * direction), need * rng.uniform(1.05, 3, SAMPLES)
    distance, q, rate = on_gpu(robot, goal, start, limits)
    worst = max(abs(on_cpu(robot, goal, start[k], limits[k]) - q[k]).max() for k in range(CHECKED))
    back = distance < 0.05
    print(f"{SAMPLES} samples, {1e-6 * rate:.1f} million steps per second, {100 * back.mean():.1f} % are back at the goal")
    print(f"{CHECKED} samples on the CPU differ by {worst:.1e} rad at most")
    np.savez(path, size=size, limit=limits / need, back=back)


def draw(path, plot):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with np.load(path) as x:
        bins = [np.linspace(0, 2.5, 26), np.linspace(1.05, 3, 26)]
        total = np.histogram2d(x["size"], x["limit"], bins)[0]
        back = np.histogram2d(x["size"][x["back"]], x["limit"][x["back"]], bins)[0]
    figure, axes = pyplot.subplots(figsize=(6, 4))
    image = axes.pcolormesh(bins[0], bins[1], 100 * (back / np.maximum(total, 1)).T, vmin=0, vmax=100, cmap="viridis")
    figure.colorbar(image, label="back at the goal after 2 s, %")
    axes.set_xlabel("distance from the goal at the start, rad")
    axes.set_ylabel("torque limit, in largest holding torques")
    figure.tight_layout()
    figure.savefig(plot)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        draw(*sys.argv[1:])
    elif not hamel.cuda.available():
        sys.exit("this example needs a GPU and libhamel-cuda: docs/gpu.md says how")
    else:
        compute(sys.argv[1] if len(sys.argv) > 1 else "monte_carlo.npz")
