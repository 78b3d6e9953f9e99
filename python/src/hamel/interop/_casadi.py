"""The functions of `function` for casadi: exact Jacobians and gradients, and Hessians from them."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy
from numpy.typing import NDArray

from .._core import Model
from .._optional import need
from ._functions import Function, function

Array = NDArray[numpy.float64]
STEP = 1e-3  # of the fourth-order differences below: their error and rounding are then both near 1e-12


def hessian(f: Function, x: Sequence[Array], weights: Array) -> Array:
    """Σ weights_i ∂²y_i/∂x²: (inputs, inputs, columns of weights).

    Differences of fourth order of the exact Jacobian, all directions in one batch.
    """
    whole = numpy.concatenate(x)
    n = len(whole)
    moves = numpy.concatenate([k * STEP * numpy.eye(n) for k in (1, -1, 2, -2)])
    ends = numpy.cumsum([len(piece) for piece in x])[:-1]
    J = f.jacobian(*numpy.split(whole + moves, ends, axis=-1)).reshape(4, n, -1, n)
    change = (8 * (J[0] - J[1]) - (J[2] - J[3])) / (12 * STEP)  # [direction, output, input]
    H: Array = numpy.einsum("doi,ok->dik", change, weights)
    return (H + H.transpose(1, 0, 2)) / 2


def casadi_function(model: Model, name: str, **options: Any) -> Any:
    """A casadi.Function with its derivatives; see `function`. Keep the object as long as graphs use it.

    Jacobians and gradients are exact. Second derivatives, which the Hessian of a Lagrangian needs, are differences of fourth
    order of the exact Jacobian, with about ten digits: solvers take them as they are, and need no approximation of theirs.
    Quaternions need not be unit, so that a solver may have their numbers as variables.
    """
    casadi = need("casadi", "casadi", "casadi_function")
    f = function(model, name, **options)
    sizes, made = ([n for _, n in f.inputs], [n for _, n in f.outputs]), []  # casadi does not keep what it is given
    inputs, outputs = sizes
    cuts = [int(i) for i in numpy.cumsum(inputs)[:-1]]

    def dense(shape: Tuple[int, int]) -> Any:
        return casadi.Sparsity.dense(*shape)

    class Callback(casadi.Callback):  # type: ignore[misc,name-defined]
        """Dense matrices of given shapes in and out"""

        def __init__(self, title: str, names_in: Sequence[str], names_out: Sequence[str], taken: Any, given: Any) -> None:
            casadi.Callback.__init__(self)
            self.names, self.taken, self.given = (list(names_in), list(names_out)), taken, given
            made.append(self)
            self.construct(title, {})

        def get_n_in(self) -> int:
            return len(self.taken)

        def get_n_out(self) -> int:
            return len(self.given)

        def get_name_in(self, i: int) -> str:
            return str(self.names[0][i])

        def get_name_out(self, i: int) -> str:
            return str(self.names[1][i])

        def get_sparsity_in(self, i: int) -> Any:
            return dense(self.taken[i])

        def get_sparsity_out(self, i: int) -> Any:
            return dense(self.given[i])

        def states(self, x: List[Any]) -> List[Array]:
            return [numpy.array(piece.full()[:, 0]) for piece in x[: len(inputs)]]

        def blocks(self, J: Array) -> List[List[Array]]:
            rows = numpy.cumsum(outputs)[:-1]
            return [numpy.split(part, cuts, axis=1) for part in numpy.split(J, rows)]

    class Value(Callback):
        def eval(self, x: List[Any]) -> List[Any]:
            return [casadi.DM(y) for y in f.value(*self.states(x))]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, title: str, names_in: Any, names_out: Any, options: Any) -> Any:
            taken = [(n, 1) for n in (*inputs, *outputs)]
            return Jacobian(title, names_in, names_out, taken, [(o, i) for o in outputs for i in inputs])

        def has_reverse(self, count: int) -> bool:
            return True

        def get_reverse(self, count: int, title: str, names_in: Any, names_out: Any, options: Any) -> Any:
            taken = [(n, 1) for n in (*inputs, *outputs)] + [(n, count) for n in outputs]
            return Gradient(title, names_in, names_out, taken, [(n, count) for n in inputs])

    class Jacobian(Callback):
        """Inputs: those of f, then its outputs; outputs: the blocks of ∂y/∂x, row by row"""

        def eval(self, x: List[Any]) -> List[Any]:
            return [casadi.DM(block) for row in self.blocks(f.jacobian(*self.states(x))) for block in row]

    class Gradient(Callback):
        """Inputs: those of f, its outputs, weights of these; outputs: Jᵀ weights"""

        def weights(self, x: List[Any]) -> Array:
            return numpy.concatenate([w.full() for w in x[len(inputs) + len(outputs) : len(inputs) + 2 * len(outputs)]])

        def eval(self, x: List[Any]) -> List[Any]:
            whole = f.jacobian(*self.states(x)).T @ self.weights(x)
            return [casadi.DM(piece) for piece in numpy.split(whole, cuts)]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, title: str, names_in: Any, names_out: Any, options: Any) -> Any:
            taken = [*self.taken, *self.given]
            shapes = [(a * b, c * d) for a, b in self.given for c, d in self.taken]
            return Hessian(title, names_in, names_out, taken, shapes)

    class Hessian(Gradient):
        """Of the gradient, by all its inputs; matrices count column by column"""

        def has_jacobian(self) -> bool:
            return False

        def eval(self, x: List[Any]) -> List[Any]:
            states, weights = self.states(x), self.weights(x)
            count = weights.shape[1]
            H, J = hessian(f, states, weights), self.blocks(f.jacobian(*states))
            found: List[NDArray[Any]] = []
            for i, rows in enumerate(numpy.split(H, cuts)):
                for columns in numpy.split(rows, cuts, axis=1):  # (n_i, n_j, count) → (n_i count, n_j)
                    found.append(columns.transpose(2, 0, 1).reshape(-1, columns.shape[1]))
                found += [numpy.zeros((inputs[i] * count, n)) for n in outputs]
                found += [numpy.kron(numpy.eye(count), J[o][i].T) for o in range(len(outputs))]
            return [casadi.DM(block) for block in found]

        def has_reverse(self, count: int) -> bool:
            return False

    value = Value(
        name,
        [word for word, _ in f.inputs],
        [word if word in ("a", "d") else f"{word}_next" for word, _ in f.outputs],
        [(n, 1) for n in inputs],
        [(n, 1) for n in outputs],
    )
    value.kept = made
    return value
