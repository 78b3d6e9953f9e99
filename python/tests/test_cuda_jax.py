"""hamel.cuda's functions for JAX, which XLA calls: on the emulated device, whose arrays are those of the host."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import hamel
import hamel.interop
from conftest import ROOT

jax = pytest.importorskip("jax")
jnp = jax.numpy
H = 0.01


@pytest.fixture(autouse=True)
def doubles():
    """float64, on the host"""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices("cpu")[0]):
        yield
    jax.config.update("jax_enable_x64", before)


def states(robot, *lead):
    rng = np.random.default_rng(4)
    n = int(np.prod(lead))
    shape = (*lead, robot.nv)
    q = jnp.asarray(robot.random(2, n).reshape(*lead, robot.nq))
    return q, jnp.asarray(rng.normal(size=shape)), jnp.asarray(rng.normal(size=shape))


def agree(a, b, tolerance=1e-9):
    """Trees of arrays, relative to the largest entry of each"""
    a, b = jax.tree.leaves(a), jax.tree.leaves(b)
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert x.shape == y.shape and abs(x - y).max() <= tolerance * abs(y).max()


def both(emulated, robot, name):
    return emulated.Batch(robot).jax_function(name, h=H), hamel.interop.jax_function(robot, name, h=H)


def rollout_loss(step, weights):
    def loss(q, v, taus):
        (q, v), _ = jax.lax.scan(lambda x, tau: (step(*x, tau), None), (q, v), taus)
        return (q * weights[0]).sum() + (v * weights[1]).sum()

    return loss


@pytest.mark.parametrize("name", ["quadruped", "arm7", "satellite", "drone_arm"])
def test_gradients_of_a_rollout_are_the_cpus(emulated, name):
    robot = hamel.load(name)
    q, v, _ = states(robot, 3)
    rng = np.random.default_rng(5)
    taus = jnp.asarray(rng.normal(size=(4, 3, robot.nv)))
    weights = [jnp.asarray(rng.normal(size=x.shape)) for x in (q, v)]
    ours, theirs = (
        jax.jit(jax.value_and_grad(rollout_loss(step, weights), (0, 1, 2)))(q, v, taus)
        for step in both(emulated, robot, "step")
    )
    agree(ours, theirs)
    assert all(abs(g).max() > 1e-3 for g in ours[1])


@pytest.mark.parametrize("name", ["forward_dynamics", "step"])
def test_derivatives_of_both_kinds(emulated, name):
    robot = hamel.load("quadruped")
    q, v, tau = (x[0] for x in states(robot, 1))
    for scale in (1.0, 1.3):  # a quaternion stands for the unit one of its direction
        for kind in (jax.jacfwd, jax.jacrev):
            ours, theirs = (jax.jit(kind(f, (0, 1, 2)))(q * scale, v, tau) for f in both(emulated, robot, name))
            agree(ours, theirs)


def test_all_joint_types(emulated):
    joints = "revolute prismatic helical cylindrical universal planar spherical translation2 translation3 schoenflies free"
    robot = hamel.random_model(6, nbodies=14, joints=joints.split())
    x = states(robot, 2)
    rng = np.random.default_rng(6)
    dx = tuple(jnp.asarray(rng.normal(size=piece.shape)) for piece in x)
    ours, theirs = (jax.jvp(jax.jit(f), x, dx) for f in both(emulated, robot, "step"))
    agree(ours, theirs)


def test_inverse_dynamics(emulated):
    robot = hamel.load("quadruped")
    q, v, a = states(robot, 2)
    f = emulated.Batch(robot).jax_function("inverse_dynamics")
    agree(jax.jit(f)(q, v, a), jnp.asarray(robot.inverse_dynamics(np.asarray(q), np.asarray(v), np.asarray(a))), 1e-12)
    forward = hamel.interop.jax_function(robot, "forward_dynamics")
    eye = jnp.broadcast_to(jnp.eye(robot.nv), (2, robot.nv, robot.nv))
    # forward dynamics of inverse dynamics is the identity in a, and constant in q and v
    whole = jax.jit(jax.vmap(jax.jacfwd(lambda q, v, a: forward(q, v, f(q, v, a)), (0, 1, 2))))(q, v, a)
    assert abs(whole[2] - eye).max() < 1e-9
    assert abs(whole[0]).max() < 1e-8 and abs(whole[1]).max() < 1e-8


def test_vmap_and_leading_dimensions(emulated):
    robot = hamel.load("arm7")
    q, v, tau = states(robot, 2, 5)
    f = emulated.Batch(robot).jax_function("forward_dynamics")
    want = jnp.asarray(robot.forward_dynamics(*map(np.asarray, (q, v, tau))))
    agree(f(q, v, tau), want, 1e-12)
    agree(jax.jit(jax.vmap(jax.vmap(f)))(q, v, tau), want, 1e-12)
    agree(jax.vmap(f, in_axes=1, out_axes=1)(q, v, tau), want, 1e-12)
    one = jnp.asarray(robot.forward_dynamics(*map(np.asarray, (q, v, tau[0, 0]))))
    agree(f(q, v, tau[0, 0]), one, 1e-12)  # the same forces for all
    agree(jax.vmap(f, in_axes=(0, 0, None))(q, v, tau[0, 0]), one, 1e-12)


@pytest.mark.parametrize("n", [0, 1, 13])
def test_sizes(emulated, n):
    robot = hamel.load("pendulum")
    q, v, tau = states(robot, n)
    f = jax.jit(emulated.Batch(robot).jax_function("linearize"))
    x, want = f(q, v, tau), robot.linearize(*map(np.asarray, states(robot, n or 1)))
    assert x[0].shape == (n, robot.nv) and x[1].shape == (n, robot.nv, robot.nv)
    if n:
        agree(x, [getattr(want, name) for name in ("acceleration", "Dq", "Dv", "Minv")], 1e-12)


def test_float32(emulated):
    robot = hamel.load("quadruped")
    jax.config.update("jax_enable_x64", False)
    f = emulated.Batch(robot, dtype="float32").jax_function("forward_dynamics")
    x = [jnp.asarray(piece, jnp.float32) for piece in states(robot, 3)]
    y, change = jax.jvp(jax.jit(f), x, [jnp.ones_like(piece) for piece in x])
    assert y.dtype == change.dtype == jnp.float32
    want = robot.forward_dynamics(*(np.asarray(piece, float) for piece in x))
    assert abs(y - want).max() < 1e-3 * abs(want).max()
    double = emulated.Batch(robot).jax_function("forward_dynamics")
    with pytest.raises(hamel.InvalidArgumentError, match="jax_enable_x64"):
        double(*x)
    with jax.enable_x64(True):  # for a while
        assert double(*(np.asarray(piece, float) for piece in x)).dtype == np.float64


def test_a_state_that_fails(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    f = jax.jit(emulated.Batch(robot).jax_function("forward_dynamics"))
    good, bad = f(q, v, tau), f(q.at[1, 9].set(jnp.nan), v, tau)
    assert jnp.isnan(bad[1]).all() and (bad[0] == good[0]).all() and (bad[2] == good[2]).all()


def test_sentences(emulated):
    robot = hamel.load("quadruped")
    q, v, tau = states(robot, 3)
    batch = emulated.Batch(robot)
    step = batch.jax_function("step", h=H)
    with pytest.raises(hamel.InvalidArgumentError, match="q has the shape"):
        jax.jit(step)(q[:, :-1], v, tau)
    with pytest.raises(hamel.InvalidArgumentError, match="tau has the shape"):
        step(q, v, tau[:, :2])
    with pytest.raises(hamel.InvalidArgumentError, match="do not go together"):
        step(q, v[:2], tau)
    with pytest.raises(hamel.InvalidArgumentError, match="v is float32, and the batch float64"):
        step(q, v.astype("float32"), tau)
    with pytest.raises(hamel.InvalidArgumentError, match="did you mean 'step'"):
        batch.jax_function("stop")
    with pytest.raises(hamel.InvalidArgumentError, match="not finite"):
        batch.jax_function("step", h=np.inf)
    with pytest.raises(hamel.UnsupportedError, match="first derivatives"):
        jax.jacfwd(jax.jacrev(lambda tau: step(q[0], v[0], tau)[1].sum()))(tau[0])
    stiff = hamel.random_model(3, nbodies=4, joints=["spherical"], passive=1.0)
    with pytest.raises(hamel.UnsupportedError, match="springs"):
        emulated.Batch(stiff).jax_function("step")


def test_what_the_handler_refuses(emulated):
    """calls that jax_function does not make, and programs of other processes may"""
    robot = hamel.load("pendulum")
    x = states(robot, 3)
    from hamel import _cuda_jax

    target, key = _cuda_jax._key(jax, emulated.Batch(robot))

    def call(x, **given):
        made = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct((3, robot.nv), x[0].dtype))
        attributes = {"function": "forward_dynamics", "key": np.int64(key), "h": np.float64(0), **given}
        return jax.block_until_ready(made(*x, **attributes))

    assert call(x).shape == (3, robot.nv)
    for given, why in (
        ({"key": np.int64(key + 1)}, "not on the GPU"),
        ({"function": "fly"}, "function, key or h is missing"),
        ({"h": np.float32(0.5)}, "function, key or h is missing"),
        ({"function": "step"}, "another shape or type"),
    ):
        with pytest.raises(Exception, match=f"hamel: .*{why}"):
            call(x, **given)
    with pytest.raises(Exception, match="another shape or type"):
        call([piece.astype("float32") for piece in x])
    with pytest.raises(Exception, match="another shape or type"):
        call(x[:2])


def test_one_robot_is_kept_once(emulated):
    from hamel import _cuda_jax

    batch = emulated.Batch(hamel.load("arm7"))
    batch.jax_function("step")
    before = len(_cuda_jax._kept)
    for _ in range(3):
        emulated.Batch(hamel.load("arm7")).jax_function("step", h=0.002)
    assert len(_cuda_jax._kept) == before
    emulated.Batch(hamel.load("arm7"), dtype="float32").jax_function("step")
    assert len(_cuda_jax._kept) == before + 1


@pytest.mark.parametrize("name", ["quadruped", "ship_crane", "satellite", "nine"])
def test_coordinates(name):
    """numbers of configurations and motions, beside Model.rate_matrix and Model.velocity"""
    from hamel._cuda_coordinates import Coordinates

    robot = hamel.load(name)
    own, rng = Coordinates(jnp, robot), np.random.default_rng(1)
    q, x, v = robot.random(1, 3), rng.normal(size=(3, robot.nq)), rng.normal(size=(3, robot.nv))
    F = robot.rate_matrix(q)
    G = np.swapaxes(robot.velocity(q[:, None, :], np.eye(robot.nq)), -1, -2)
    assert np.allclose(own.rates(q, v), (F @ v[..., None])[..., 0], atol=1e-12)
    assert np.allclose(own.motions(q, x), (G @ x[..., None])[..., 0], atol=1e-12)
    assert np.allclose(own.to_motions(q, x), (x[:, None] @ F)[:, 0], atol=1e-12)
    assert np.allclose(own.to_numbers(q, v), (v[:, None] @ G)[:, 0], atol=1e-12)
    assert np.allclose(own.unit(jnp.asarray(q)), q, atol=1e-15)


KEPT = """
import logging, sys, jax, numpy as np, hamel, hamel.cuda
for name, value in (("enable_x64", True), ("compilation_cache_dir", sys.argv[1]),
                    ("persistent_cache_min_compile_time_secs", 0), ("persistent_cache_min_entry_size_bytes", -1)):
    jax.config.update("jax_" + name, value)
logging.basicConfig(stream=sys.stdout)
logging.getLogger("jax._src.compiler").setLevel(logging.DEBUG)
hamel.cuda.Batch(hamel.load("pendulum")).jax_function("step")  # the other comes second: keys do not depend on the order
robot = hamel.load("arm7")
f = hamel.cuda.Batch(robot).jax_function("forward_dynamics")
q, v = robot.random(1, 3), np.ones((3, robot.nv))

def two_calls(q, v):
    return f(q, v, v) + f(q, 2 * v, 0 * v)

got = jax.jit(two_calls)(q, v)
print("differs by", float(abs(got - robot.forward_dynamics(q, v, v) - robot.forward_dynamics(q, 2 * v)).max()))
"""


def test_programs_of_another_process(emulated, tmp_path):
    """a program that XLA keeps in a file finds its robot in the next process"""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    out = []
    for source in (KEPT, KEPT.replace('hamel.load("pendulum")', 'hamel.load("nine")')):
        command = [sys.executable, "-c", source, str(tmp_path)]
        out.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert "MISS for 'jit_two_calls'" in out[0] and "hit for 'jit_two_calls'" in out[1]
    assert all(float(text.rsplit("differs by", 1)[1]) < 1e-10 for text in out)


# what src/cuda/xla.h declares, and XLA's names for it, member by member
MEMBERS = """
xla_extension XLA_FFI_Extension_Base struct_size kind=type next
xla_version XLA_FFI_Api_Version struct_size major=major_version minor=minor_version
xla_metadata XLA_FFI_Metadata struct_size version=api_version traits
xla_metadata_question XLA_FFI_Metadata_Extension base=extension_base metadata
xla_buffer XLA_FFI_Buffer type=dtype data rank dims
xla_span XLA_FFI_ByteSpan data=ptr length=len
xla_scalar XLA_FFI_Scalar type=dtype value
xla_buffers XLA_FFI_Args count=size kinds=types at=args
xla_buffers XLA_FFI_Rets count=size kinds=types at=rets
xla_attributes XLA_FFI_Attrs count=size kinds=types names at=attrs
xla_error_arguments XLA_FFI_Error_Create_Args struct_size message code=errc
xla_destroy_arguments XLA_FFI_Error_Destroy_Args struct_size error
xla_stream_arguments XLA_FFI_Stream_Get_Args struct_size context=ctx stream
xla_ordinal_arguments XLA_FFI_DeviceOrdinal_Get_Args struct_size context=ctx ordinal=device_ordinal
xla_api XLA_FFI_Api struct_size version=api_version error_create=XLA_FFI_Error_Create error_destroy=XLA_FFI_Error_Destroy
xla_api XLA_FFI_Api stream_get=XLA_FFI_Stream_Get ordinal_get=XLA_FFI_DeviceOrdinal_Get
xla_frame XLA_FFI_CallFrame struct_size extensions=extension_start api context=ctx stage arguments=args results=rets
xla_frame XLA_FFI_CallFrame attributes=attrs
"""
VALUES = """
XLA_MAJOR XLA_FFI_API_MAJOR
XLA_EXECUTE XLA_FFI_ExecutionStage_EXECUTE
XLA_SCALAR XLA_FFI_AttrType_SCALAR
XLA_STRING XLA_FFI_AttrType_STRING
XLA_S64 XLA_FFI_DataType_S64
XLA_F32 XLA_FFI_DataType_F32
XLA_F64 XLA_FFI_DataType_F64
XLA_METADATA XLA_FFI_Extension_Metadata
XLA_INVALID_ARGUMENT XLA_FFI_Error_Code_INVALID_ARGUMENT
XLA_NOT_FOUND XLA_FFI_Error_Code_NOT_FOUND
XLA_RESOURCE_EXHAUSTED XLA_FFI_Error_Code_RESOURCE_EXHAUSTED
XLA_UNIMPLEMENTED XLA_FFI_Error_Code_UNIMPLEMENTED
XLA_INTERNAL XLA_FFI_Error_Code_INTERNAL
"""


def test_the_declaration_is_xlas(tmp_path):
    """src/cuda/xla.h beside the header that jaxlib carries"""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("needs a C compiler")
    lines = ['#include "cuda/xla.h"', '#include "xla/ffi/api/c_api.h"', "#include <stddef.h>"]
    for ours, theirs, *members in map(str.split, MEMBERS.strip().splitlines()):
        for own, other in (re.fullmatch(r"(\w+)(?:=(\w+))?", member).groups() for member in members):
            at, size = f"offsetof({ours}, {own})", f"sizeof((({ours} *)0)->{own})"
            lines.append(f'_Static_assert({at} == offsetof({theirs}, {other or own}), "{ours}.{own}");')
            if own not in ("version", "arguments", "results", "base"):  # those may grow
                lines.append(f'_Static_assert({size} == sizeof((({theirs} *)0)->{other or own}), "size of {ours}.{own}");')
    for ours, theirs in map(str.split, VALUES.strip().splitlines()):
        lines.append(f'_Static_assert((int){ours} == (int){theirs}, "{ours}");')
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines) + "\n")
    flags = ["-std=c11", "-fsyntax-only", f"-I{ROOT / 'src'}", f"-isystem{jax.ffi.include_dir()}"]
    done = subprocess.run([compiler, *flags, source], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    source.write_text(source.read_text().replace("offsetof(XLA_FFI_CallFrame, stage)", "offsetof(XLA_FFI_CallFrame, ctx)"))
    assert subprocess.run([compiler, *flags, source], capture_output=True).returncode  # and it would see a difference
