"""A drone with an arm flies in a circle while its arm swings. One regulator, made at hover, follows the moving state."""

import numpy as np

import hamel

drone = hamel.load("drone_arm")
hover, still = drone.neutral(), np.zeros(drone.nv)
lift = drone.inverse_dynamics(hover, still, still)
motors = [False] * 2 + [True] * (drone.nv - 2)  # thrust along z, three moments, the arm: no force sideways
regulator = drone.lqr(hover, tau=lift, actuated=motors, Q=[100] * drone.nv + [10] * drone.nv)


def target(t):
    """The state at a time: a circle of 1 m in 8 s, the shoulder by 0.5 rad in 4 s"""
    angle, q, v = np.pi / 4 * t, hover.copy(), still.copy()
    q[:2], v[:2] = [1 - np.cos(angle), np.sin(angle)], [np.pi / 4 * np.sin(angle), np.pi / 4 * np.cos(angle)]
    q[8], v[7] = 0.5 * np.sin(2 * angle), np.pi / 4 * np.cos(2 * angle)
    return q, v


def follow(t, q, v):
    return regulator.about(*target(t))(t, q, v)


times = np.linspace(0, 8, 81)
q, v = hamel.simulate(drone, *target(0), times, controller=follow, tolerance=1e-6)
away = np.linalg.norm([drone.difference(target(t)[0], x)[:3] for t, x in zip(times, q)], axis=1)
print("farthest from the circle, in m:", away.max().round(3))
