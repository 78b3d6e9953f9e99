"""A drone with an arm goes around a corner: nonlinear MPC with casadi. The numbers of its quaternion are variables."""

import casadi
import numpy as np

import hamel
from hamel import interop

drone, h, knots = hamel.load("drone_arm"), 0.1, 8
step = interop.casadi_function(drone, "step", h=h)
away = interop.casadi_function(drone, "difference")
hover, still = drone.neutral(), np.zeros(drone.nv)
lift = drone.inverse_dynamics(hover, still, still)
goal = drone.integrate(hover, [0.5, 0.3, 0.2, 0, 0, 0, 0.4, 0.3, -0.3, 0, 0])
goal[3:7] = hamel.rotvec.to_quat([0, 0, 1.5])  # almost a quarter turn

opti = casadi.Opti()
q, v = opti.variable(drone.nq, knots + 1), opti.variable(drone.nv, knots + 1)
u, start = opti.variable(drone.nv, knots), opti.parameter(drone.nq + drone.nv)
opti.subject_to(casadi.vertcat(q[:, 0], v[:, 0]) == start)
cost = 0
for k in range(knots):
    q_next, v_next = step(q[:, k], v[:, k], lift + u[:, k])
    opti.subject_to(casadi.vertcat(q[:, k + 1] - q_next, v[:, k + 1] - v_next) == 0)
    cost += casadi.sumsqr(away(goal, q[:, k + 1])) + 0.1 * casadi.sumsqr(v[:, k + 1]) + 0.01 * casadi.sumsqr(u[:, k])
opti.minimize(cost + 10 * casadi.sumsqr(away(goal, q[:, knots])))
opti.subject_to(opti.bounded(-20, casadi.vec(u), 20))
opti.set_initial(q, np.tile(hover, (knots + 1, 1)).T)
opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-6})

state, path, iterations = [hover, still], [hover], []
for _ in range(12):
    opti.set_value(start, np.concatenate(state))
    found = opti.solve()
    iterations.append(found.stats()["iter_count"])
    state = list(drone.step(*state, h, lift + found.value(u)[:, 0]))
    path.append(state[0])
    opti.set_initial(found.value_variables())
print("from the goal, in m and rad:", np.abs(drone.difference(goal, state[0])).max().round(4), "iterations:", iterations)
