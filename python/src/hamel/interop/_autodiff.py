"""The functions of `function` for torch, jax and casadi: their numbers and their derivatives are Hamel's."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

import numpy

from .._core import Model
from ._functions import Function, arrays, function
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


def casadi_function(model: Model, name: str, **options: Any) -> Any:
    """A casadi.Function with its Jacobian; see `function`. Keep the object as long as graphs use it.

    Solvers take it with their exact Jacobian; second derivatives are theirs to approximate
    ("ipopt.hessian_approximation": "limited-memory").
    """
    casadi = need("casadi", "casadi", "casadi_function")
    f = function(model, name, **options)

    class Base(casadi.Callback):  # type: ignore[misc,name-defined]
        def __init__(self, title: str, f: Function) -> None:
            casadi.Callback.__init__(self)
            self.f = f
            self.kept: List[Any] = []  # casadi does not keep what get_jacobian returns
            self.construct(title, {})

        def get_n_in(self) -> int:
            return len(self.f.inputs)

        def get_n_out(self) -> int:
            return len(self.f.outputs)

        def get_name_in(self, i: int) -> str:
            return self.f.inputs[i][0]

        def get_name_out(self, i: int) -> str:
            word = self.f.outputs[i][0]
            return word if word == "a" else f"{word}_next"

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(self.f.inputs[i][1], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(self.f.outputs[i][1], 1)

        def eval(self, x: List[Any]) -> List[Any]:
            return [casadi.DM(y) for y in self.f.value(*_columns(x, len(self.f.inputs)))]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, title: str, names_in: Any, names_out: Any, options: Any) -> Any:
            made = Jacobian(title, self.f, names_in, names_out)
            self.kept.append(made)
            return made

    class Jacobian(casadi.Callback):  # type: ignore[misc,name-defined]
        """Inputs: those of f, then its outputs; outputs: the blocks of ∂y/∂x, row by row."""

        def __init__(self, title: str, f: Function, names_in: Any, names_out: Any) -> None:
            casadi.Callback.__init__(self)
            self.f, self.names = f, (list(names_in), list(names_out))
            self.construct(title, {})

        def get_n_in(self) -> int:
            return len(self.f.inputs) + len(self.f.outputs)

        def get_n_out(self) -> int:
            return len(self.f.inputs) * len(self.f.outputs)

        def get_name_in(self, i: int) -> str:
            return str(self.names[0][i])

        def get_name_out(self, i: int) -> str:
            return str(self.names[1][i])

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense((*self.f.inputs, *self.f.outputs)[i][1], 1)

        def get_sparsity_out(self, i: int) -> Any:
            row, column = divmod(i, len(self.f.inputs))
            return casadi.Sparsity.dense(self.f.outputs[row][1], self.f.inputs[column][1])

        def eval(self, x: List[Any]) -> List[Any]:
            J = self.f.jacobian(*_columns(x, len(self.f.inputs)))
            rows = numpy.cumsum([n for _, n in self.f.outputs])[:-1]
            columns = numpy.cumsum([n for _, n in self.f.inputs])[:-1]
            return [casadi.DM(block) for part in numpy.split(J, rows) for block in numpy.split(part, columns, axis=1)]

    return Base(name, f)


def _columns(x: List[Any], count: int) -> List[Any]:
    return [numpy.array(piece.full()[:, 0]) for piece in x[:count]]
