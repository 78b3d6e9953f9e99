"""A quadruped stands on its four feet: where, with which torques, with which feedback. Then somebody pushes it."""

import hamel

robot = hamel.load("quadruped")
feet = ["fl_foot", "fr_foot", "hl_foot", "hr_foot"]
ground = hamel.Contact(robot, [hamel.Plane(friction=0.8)])
crouch = ground.place([0, 0, 0, 1, 0, 0, 0] + [0, 0.8, -1.6] * 4)
stand = robot.trim(crouch, hold=feet, friction=[0.6] * 4)
regulator = robot.lqr(stand.q, tau=stand.tau, hold=feet, Q=[100] * 18 + [1] * 18)
push = [0, 0.3, 0] + [0] * 15  # sideways, in m/s
q, v = hamel.simulate(robot, stand.q, push, [0, 0.1, 0.2, 0.5, 1, 2, 3], contact=ground, controller=regulator, lift=True)
print("height and sway, in m:", q[:, [2, 1]].round(3).tolist())
