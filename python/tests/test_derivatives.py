"""Functions with Jacobians for torch, jax, casadi and control. What is not installed is skipped."""

import importlib

import numpy as np
import pytest
from conftest import state

import hamel
from hamel import interop

NAMES = ["forward_dynamics", "step", "integrate", "difference"]


def differences(f, x, step=1e-5):
    """Central differences along all numbers."""
    columns = []
    for i, piece in enumerate(x):
        for k in range(len(piece)):
            ends = []
            for sign in (1, -1):
                moved = [np.array(p) for p in x]
                moved[i][k] += sign * step
                ends.append(np.concatenate(f(*moved)))
            columns.append((ends[0] - ends[1]) / (2 * step))
    return np.array(columns).T


def inputs(f, model, n=None):
    q, v, tau, _ = state(model, 5, n)
    if f.name == "difference":
        return q, model.integrate(q, v)
    return (q, v, tau)[: len(f.inputs)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("robot", ["quadruped", "ship_crane", "humanoid"])
def test_jacobians(robot, name):
    model = hamel.load(robot)
    f = interop.function(model, name, h=0.02)
    x = inputs(f, model)
    J = f.jacobian(*x)
    assert J.shape == (sum(n for _, n in f.outputs), sum(n for _, n in f.inputs))
    D = differences(f, x)
    # second-order differences: 1e-10 f''' of the values, which are as large as the derivatives
    assert np.abs(J - D).max() < 1e-6 * max(1, np.abs(D).max())
    many = inputs(f, model, 4)
    assert np.array_equal(f.split(np.concatenate(f(*many), axis=-1))[0], f(*many)[0])
    for i, row in enumerate(f.jacobian(*many)):
        alone = f.jacobian(*(piece[i] for piece in many))
        assert np.abs(row - alone).max() < 1e-9 * max(1, np.abs(alone).max())  # a batch takes another kernel


@pytest.mark.parametrize("name", NAMES)
def test_quaternions_that_are_not_unit(name):
    """They stand for those of their direction; the Jacobian is that of this function, along the quaternion too."""
    model = hamel.load("ship_crane")
    f = interop.function(model, name, h=0.02)
    x = list(inputs(f, model))
    longer = [np.array(piece) for piece in x]
    stretched = range(2 if name == "difference" else 1)
    for i in stretched:
        for joint in model.joints:
            if joint.type in ("free", "spherical"):
                longer[i][joint.q + joint.nq - 4 : joint.q + joint.nq] *= 1.7 + i
    assert all(np.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(f(*longer), f(*x)))
    J = f.jacobian(*longer)
    assert np.abs(J - differences(f, longer)).max() < 1e-6 * max(1, np.abs(J).max())
    broken = [0 * longer[0], *longer[1:]]
    with pytest.raises(hamel.NotNormalizedError, match="quaternion is zero"):
        f(*broken)


def test_names():
    with pytest.raises(hamel.InvalidArgumentError, match="one of forward_dynamics, step, integrate.*did you mean 'step'"):
        interop.function(hamel.load("pendulum"), "stp")


@pytest.mark.parametrize("name", NAMES)
def test_torch(quadruped, name):
    torch = pytest.importorskip("torch")
    f, wrapped = interop.function(quadruped, name), interop.torch_function(quadruped, name)
    x = [torch.tensor(piece, requires_grad=True) for piece in inputs(f, quadruped, 2)]
    y = wrapped(*x)
    y = y if isinstance(y, tuple) else (y,)
    for piece, value in zip(y, f(*inputs(f, quadruped, 2))):
        assert np.array_equal(piece.detach().numpy(), value)
    weights = torch.arange(1.0, 1 + sum(n for _, n in f.outputs), dtype=torch.float64)
    (torch.cat(y, dim=-1) * weights).sum().backward()
    J = f.jacobian(*inputs(f, quadruped, 2))
    gradient = np.concatenate([piece.grad.numpy() for piece in x], axis=-1)
    wanted = np.einsum("i,nij->nj", weights.numpy(), J)
    assert np.abs(gradient - wanted).max() < 1e-12 * np.abs(wanted).max()


@pytest.mark.parametrize("name", NAMES)
def test_jax(quadruped, name):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, wrapped = interop.function(quadruped, name), interop.jax_function(quadruped, name)
    x = inputs(f, quadruped)
    J = f.jacobian(*x)

    def whole(*x):
        y = wrapped(*x)
        return jax.numpy.concatenate(y) if isinstance(y, tuple) else y

    numbers = tuple(range(len(x)))
    for jacobian in (jax.jacfwd(whole, numbers), jax.jit(jax.jacrev(whole, numbers))):
        found = np.concatenate(jacobian(*x), axis=-1)
        assert np.abs(found - J).max() < 1e-12 * np.abs(J).max()
    many = inputs(f, quadruped, 3)
    each = np.asarray(jax.vmap(whole)(*many))
    assert np.abs(each - np.concatenate(f(*many), axis=-1)).max() < 1e-12 * np.abs(each).max()


@pytest.mark.parametrize("name", NAMES)
def test_casadi(quadruped, name):
    casadi = pytest.importorskip("casadi")
    f, wrapped = interop.function(quadruped, name), interop.casadi_function(quadruped, name)
    x = inputs(f, quadruped)
    symbols = [casadi.MX.sym(word, n) for word, n in f.inputs]
    y = casadi.vertcat(*wrapped.call(symbols))
    values = casadi.Function("y", symbols, [y, casadi.jacobian(y, casadi.vertcat(*symbols))])(*x)
    assert np.array_equal(values[0].full()[:, 0], np.concatenate(f(*x)))
    J = f.jacobian(*x)
    assert np.abs(values[1].full() - J).max() < 1e-12 * np.abs(J).max()


@pytest.mark.parametrize("name", NAMES)
def test_casadi_hessians(name):
    """Of a weighted sum of the outputs, against differences of its gradient, which is exact; quaternions not unit."""
    casadi = pytest.importorskip("casadi")
    robot = hamel.load("drone_arm")
    f, wrapped = interop.function(robot, name, h=0.05), interop.casadi_function(robot, name, h=0.05)
    x = [1.1 * piece for piece in inputs(f, robot)]
    w = np.random.default_rng(2).uniform(-1, 1, sum(n for _, n in f.outputs))
    symbols = [casadi.MX.sym(word, n) for word, n in f.inputs]
    whole = casadi.vertcat(*symbols)
    value = casadi.dot(casadi.vertcat(*wrapped.call(symbols)), w)
    H, g = casadi.hessian(value, whole)
    call = casadi.Function("h", symbols, [H, g])
    found, gradient = (part.full() for part in call(*x))
    assert np.abs(gradient[:, 0] - w @ f.jacobian(*x)).max() < 1e-12 * np.abs(gradient).max()
    wanted = differences(lambda *at: (w @ f.jacobian(*at),), x)
    assert np.abs(found - wanted).max() < 2e-7 * np.abs(wanted).max()  # those of second order are the worse ones
    assert np.array_equal(found, found.T)


def test_casadi_hessian_of_a_pendulum():
    """In closed form: a = (τ − d ν − m g l sin q)/I, so ∂²a/∂q² = m g l sin q / I"""
    casadi = pytest.importorskip("casadi")
    robot = hamel.load("pendulum")
    a = interop.casadi_function(robot, "forward_dynamics")
    q = casadi.MX.sym("q")
    second = casadi.Function("s", [q], [casadi.hessian(a(q, 0.3, 0.2), q)[0]])
    level = robot.linearize([np.pi / 2], [0]).Dq[0, 0], robot.linearize([0], [0]).Dq[0, 0]
    assert abs(level[0]) < 1e-12  # q is measured from the vertical
    for angle in (0.0, 0.4, 2.0):
        assert abs(float(second(angle)) + level[1] * np.sin(angle)) < 1e-9 * abs(level[1])


def test_casadi_solves():
    """A pendulum is brought to rest upright in twenty steps: the optimizer gets exact first derivatives."""
    casadi = pytest.importorskip("casadi")
    robot = hamel.load("pendulum")
    step = interop.casadi_function(robot, "step", h=0.05)
    opti = casadi.Opti()
    q, v, tau = opti.variable(1, 21), opti.variable(1, 21), opti.variable(1, 20)
    opti.minimize(casadi.sumsqr(tau))
    for k in range(20):
        after = step(q[:, k], v[:, k], tau[:, k])
        opti.subject_to(q[:, k + 1] == after[0])
        opti.subject_to(v[:, k + 1] == after[1])
    opti.subject_to([q[0] == 0, v[0] == 0, q[20] == np.pi, v[20] == 0])
    opti.solver(
        "ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory"}
    )
    found = opti.solve()
    state = np.zeros(1), np.zeros(1)
    for force in found.value(tau):
        state = robot.step(*state, 0.05, [force])
    assert abs(state[0][0] - np.pi) < 1e-5 and abs(state[1][0]) < 1e-5  # what ipopt's 1e-8 becomes in twenty steps


def test_control(quadruped):
    control = pytest.importorskip("control")
    x = quadruped.linearize(quadruped.neutral(), np.zeros(18), inputs="actuated")
    system = interop.to_control(x)
    assert np.array_equal(system.A, x.A) and np.array_equal(system.B, x.B)
    assert system.input_labels[0] == "fl_hip_roll" and system.state_labels[-1] == "v hr_knee"
    assert system.isctime() and isinstance(system, control.StateSpace)
    held = interop.to_control(x, 0.01)
    assert held.dt == 0.01 and np.array_equal(held.A, x.discretize(0.01).Ad)
    with pytest.raises(hamel.InvalidArgumentError, match="one state"):
        interop.to_control(quadruped.linearize([quadruped.neutral()] * 2, np.zeros((2, 18))))


@pytest.mark.parametrize(
    "call, package",
    [
        (lambda m: interop.torch_function(m, "step"), "torch"),
        (lambda m: interop.jax_function(m, "step"), "jax"),
        (lambda m: interop.casadi_function(m, "step"), "casadi"),
        (lambda m: interop.to_control(m.linearize(m.neutral(), np.zeros(m.nv))), "control"),
        (lambda m: interop.to_pinocchio(m), "pin"),
        (lambda m: interop.from_mujoco(m), "mujoco"),
    ],
)
def test_a_missing_package_is_named(quadruped, monkeypatch, call, package):
    def missing(name, *rest):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=f"pip install {package}$"):
        call(quadruped)
