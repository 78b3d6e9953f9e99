"""The functions of `function` for torch and jax: their numbers and their derivatives are Hamel's."""

from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy

from .._core import Model
from ._functions import arrays, function
from .._optional import need


def _single(y: Tuple[Any, ...]) -> Any:
    return y if len(y) > 1 else y[0]


def torch_function(model: Model, name: str, **options: Any) -> Callable[..., Any]:
    """A function on torch tensors, with reverse derivatives; see `function` for names and options.

    Leading dimensions are batches. Numbers are computed in float64 on the CPU and come back as they were given.
    """
    torch = need("torch", "torch", "torch_function")
    f = function(model, name, **options)

    def numbers(x: Tuple[Any, ...]) -> Tuple[Any, ...]:
        return arrays(f, [piece.detach().cpu().numpy() for piece in x])

    class Wrapped(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, *x: Any) -> Any:
            ctx.save_for_backward(*x)
            return tuple(torch.as_tensor(y).to(x[0]) for y in f.value(*numbers(x)))

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, *gradients: Any) -> Any:
            x = ctx.saved_tensors
            J = torch.as_tensor(f.jacobian(*numbers(x))).to(x[0])
            rows = torch.cat([g.expand(*J.shape[:-2], g.shape[-1]) for g in gradients], dim=-1)
            whole = (rows[..., None, :] @ J)[..., 0, :]
            pieces = torch.split(whole, [n for _, n in f.inputs], dim=-1)
            return tuple(piece.sum_to_size(own.shape) for piece, own in zip(pieces, x))

    return lambda *x: _single(Wrapped.apply(*x))


def jax_function(model: Model, name: str, **options: Any) -> Callable[..., Any]:
    """A function on jax arrays, with forward and reverse derivatives, under jit and vmap; see `function`.

    Numbers are computed in float64 on the CPU. Say jax.config.update("jax_enable_x64", True), or they are rounded to
    float32 on the way back.
    """
    jax = need("jax", "jax", "jax_function")
    jnp = jax.numpy
    f = function(model, name, **options)

    def call(compute: Callable[..., Any], tail: Tuple[int, ...], x: Tuple[Any, ...]) -> Any:
        kind = jnp.result_type(*x, float)
        lead = jnp.broadcast_shapes(*(jnp.shape(piece)[:-1] for piece in x))

        def numbers(*given: Any) -> Any:
            return numpy.asarray(compute(*arrays(f, given)), kind)

        return jax.pure_callback(numbers, jax.ShapeDtypeStruct((*lead, *tail), kind), *x, vmap_method="broadcast_all")

    rows, columns = sum(n for _, n in f.outputs), sum(n for _, n in f.inputs)

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def whole(*x: Any) -> Any:
        return call(lambda *given: numpy.concatenate(f.value(*given), axis=-1), (rows,), x)

    @whole.defjvp  # type: ignore[untyped-decorator]
    def rule(x: Tuple[Any, ...], dx: Tuple[Any, ...]) -> Any:
        J = call(f.jacobian, (rows, columns), x)
        lead = J.shape[:-2]
        change = jnp.concatenate([jnp.broadcast_to(d, (*lead, d.shape[-1])) for d in dx], axis=-1)
        return whole(*x), jnp.einsum("...ij,...j->...i", J, change)

    def wrapped(*x: Any) -> Any:
        return _single(f.split(whole(*(jnp.asarray(piece, float) for piece in x))))

    return wrapped
