"""Pictures of models, linearizations and motions, with matplotlib; the tree without it.

Every function draws into ax, or into axes of its own, and returns them. `step_errors` has the numbers of a study alone.
"""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Linearization, Model, Motion
from ._errors import InvalidArgumentError
from ._modes import Modes, for_people
from ._optional import need
from ._tree import Tree

__all__ = ["Tree", "energy", "modes", "momentum", "phase", "sparsity", "spectrum", "step_errors", "step_sizes", "tree"]

Array = NDArray[numpy.float64]


def tree(model: Model) -> Tree:
    """A picture of the tree of bodies; needs no other package."""
    return Tree(model)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    return need("matplotlib.pyplot", "matplotlib", "this picture").subplots()[1]


def _one(x: Linearization) -> None:
    if x.A.ndim > 2:
        raise InvalidArgumentError("a picture is of one state: take one from the batch")


def spectrum(x: Union[Linearization, Modes], ax: Any = None) -> Any:
    """The eigenvalues of A in the complex plane: unstable ones to the right, drawn full; of Modes, crosses on those that no
    input moves."""
    if isinstance(x, Modes):
        ax, values = _axes(ax), x.eigenvalues
        right = values.real > 0
    else:
        _one(x)
        ax, values = _axes(ax), numpy.linalg.eigvals(x.A).astype(complex)
        # a double eigenvalue, as every mode of a group has at rest, is only known to the root of round-off
        right = values.real > 1e-7 * max(1.0, float(numpy.abs(values).max(initial=0)))
    ax.axvline(0, color="0.8", linewidth=1)
    ax.axhline(0, color="0.8", linewidth=1)
    for mark, face, label in ((~right, "none", "stable or marginal"), (right, "C3", "unstable")):
        if mark.any():
            edge = "C3" if face == "C3" else "C0"
            ax.scatter(values[mark].real, values[mark].imag, facecolors=face, edgecolors=edge, label=label)
    lost = numpy.array([m.eigenvalue for m in x if m.controllable is False]) if isinstance(x, Modes) else values[:0]
    if len(lost):
        both = numpy.concatenate([lost, lost[lost.imag != 0].conj()])
        ax.scatter(both.real, both.imag, marker="x", color="0.3", label="no input moves it")
    ax.set_xlabel("real part, 1/s")
    ax.set_ylabel("imaginary part, 1/s")
    ax.set_title("Spectrum of A" if isinstance(x, Modes) else f"Spectrum of A, {x.model.name}")
    ax.legend()
    return ax


def modes(x: Modes, ax: Any = None) -> Any:
    """Who takes part in which mode: a row for each mode, a column for each coordinate; "×" before modes no input moves."""
    ax = _axes(ax)
    image = ax.imshow(x.shares, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    values = [f"{m.eigenvalue.real:.3g}" + (f" ± {m.eigenvalue.imag:.3g}i" if m.eigenvalue.imag else "") for m in x]
    ax.set_yticks(range(len(x)), [("× " if m.controllable is False else "") + value for m, value in zip(x, values)])
    ax.set_xticks(range(len(x.names)), for_people(x.names), rotation=90)
    ax.set_ylabel("eigenvalue, 1/s")
    ax.set_title("Participation in the modes")
    ax.figure.colorbar(image, ax=ax)
    return ax


def sparsity(x: Linearization, ax: Any = None) -> Any:
    """Which entries of A and B are not zero, side by side; thin lines between joints, thick ones between blocks."""
    _one(x)
    ax, n = _axes(ax), x.model.nv
    ax.imshow(numpy.concatenate([x.A, x.B], axis=1) != 0, cmap="Greys", interpolation="nearest", vmax=1.6)
    starts = [joint.v for joint in x.model.joints if joint.nv]
    for half in (0, n):
        for start in starts:
            ax.axhline(half + start - 0.5, color="0.85", linewidth=0.5)
            ax.axvline(half + start - 0.5, color="0.85", linewidth=0.5)
    ax.axhline(n - 0.5, color="C0", linewidth=1)
    ax.axvline(n - 0.5, color="C0", linewidth=1)
    ax.axvline(2 * n - 0.5, color="C3", linewidth=1.5)
    ax.set_xticks([n / 2 - 0.5, 1.5 * n - 0.5, 2 * n + x.B.shape[1] / 2 - 0.5], ["$z_q$", "$z_ν$", "$w$"])
    ax.set_yticks([n / 2 - 0.5, 1.5 * n - 0.5], [r"$\dot z_q$", r"$\dot z_ν$"])
    ax.set_title(f"A and B of {x.model.name}")
    return ax


def step_errors(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    steps: Sequence[float],
    *,
    duration: float = 1.0,
    schemes: Sequence[str] = ("euler", "rk2", "rk4"),
    **options: Any,
) -> Dict[str, Array]:
    """The errors of schemes over step sizes: the norm of [q ⊖ q*; v − v*] at the end, * the motion of dopri5.

    options are those of Motion: tau, force, ….
    """

    def end(**how: Any) -> Tuple[Array, Array]:
        motion = Motion(model, q, v, **how, **options).advance(duration)
        return motion.q, motion.v

    best_q, best_v = end(scheme="dopri5", tolerance=1e-13)

    def error(scheme: str, step: float) -> float:
        at_q, at_v = end(scheme=scheme, step=step)
        return float(numpy.hypot(numpy.linalg.norm(model.difference(best_q, at_q)), numpy.linalg.norm(at_v - best_v)))

    return {scheme: numpy.array([error(scheme, h) for h in steps]) for scheme in schemes}


def step_sizes(model: Model, q: ArrayLike, v: ArrayLike, steps: Sequence[float], ax: Any = None, **options: Any) -> Any:
    """The study of `step_errors` in a double logarithmic picture: a scheme's order is its slope."""
    ax = _axes(ax)
    for scheme, errors in step_errors(model, q, v, steps, **options).items():
        ax.loglog(steps, errors, "o-", label=scheme)
    ax.set_xlabel("step, s")
    ax.set_ylabel("error at the end")
    ax.set_title(f"Step sizes, {model.name}")
    ax.legend()
    return ax


def energy(model: Model, times: ArrayLike, q: ArrayLike, v: ArrayLike, ax: Any = None) -> Any:
    """Kinetic energy, potential energy of gravity, and their sum along a motion, as `simulate` returns it."""
    ax, state = _axes(ax), model.dynamics(q, v)
    kinetic, potential = numpy.asarray(state.kinetic_energy), numpy.asarray(state.potential_energy)
    for label, values in (("kinetic", kinetic), ("potential", potential), ("sum", kinetic + potential)):
        ax.plot(times, values, label=label)
    ax.set_xlabel("time, s")
    ax.set_ylabel("energy, J")
    ax.set_title(f"Energy of {model.name}")
    ax.legend()
    return ax


def momentum(model: Model, times: ArrayLike, q: ArrayLike, v: ArrayLike, ax: Any = None) -> Any:
    """The momentum about the centre of mass in the world's axes: linear lines full, angular ones dashed."""
    values, ax = model.dynamics(q, v).centroidal_momentum, _axes(ax)
    for i, name in enumerate("xyz"):
        ax.plot(times, values[:, i], color=f"C{i}", label=f"linear {name}, kg m/s")
        ax.plot(times, values[:, 3 + i], color=f"C{i}", linestyle="--", label=f"angular {name}, kg m²/s")
    ax.set_xlabel("time, s")
    ax.set_ylabel("momentum")
    ax.set_title(f"Momentum of {model.name}")
    ax.legend()
    return ax


def phase(model: Model, q: ArrayLike, v: ArrayLike, joint: Union[str, int], ax: Any = None) -> Any:
    """Velocity over position of a joint with one coordinate, along a motion (n, nq), (n, nv)."""
    found = [j for i, j in enumerate(model.joints) if joint in (i, j.name)]
    if not found or found[0].nv != 1:
        raise InvalidArgumentError(f"a phase portrait is of a joint with one coordinate, which {joint!r} is not")
    one, ax = found[0], _axes(ax)
    ax.plot(numpy.asarray(q)[..., one.q], numpy.asarray(v)[..., one.v])
    ax.set_xlabel(f"{one.name}, {'m' if one.type == 'prismatic' else 'rad'}")
    ax.set_ylabel(f"velocity, {'m/s' if one.type == 'prismatic' else 'rad/s'}")
    ax.set_title(f"Phase portrait of {model.name}")
    return ax
