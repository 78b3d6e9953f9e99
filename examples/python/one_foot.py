"""A humanoid balances on its left foot: the posture nearest to upright, the torques, and what the sole carries."""

import hamel

robot = hamel.load("humanoid")
found = robot.trim(robot.neutral(), hold=[hamel.Hold("l_sole", "frame")])
print("left over:", abs(found.residual).max(), "N; largest torque:", abs(found.tau).max().round(1), "N m")
print("the sole carries", found.forces[2].round(2), "N of", round(9.81 * robot.mass, 2))
print("centre of mass:", robot.centroidal(found.q).com.round(3), "sole:", robot.frame("l_sole", found.q).pose[:3, 3].round(3))
robot.view(found.q).save("one_foot.html")
