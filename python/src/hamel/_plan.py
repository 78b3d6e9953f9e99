"""Optimal control: problems, their solver, and what it finds. Public in hamel.control."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import InvalidArgumentError
from ._holds import Hold

Array = NDArray[numpy.float64]
Own = Callable[[Any, Array, Array, Any], Tuple[ArrayLike, ArrayLike, Optional[ArrayLike]]]

KINDS = (
    "configuration",
    "velocity",
    "input",
    "position",
    "orientation",
    "pose",
    "twist",
    "com",
    "force",
    "cone",
    "limits",
    "momentum",
    "distance",
    "own",
)
ROLES = ("cost", "barrier", "constraint")
ENDS = ("converged", "iterations", "time", "stopped", "stuck", "infeasible", "failed", "slow")
REPRESENTATIONS = ("left", "right", "mixed", "split")
REFERENCES = {"position": (3,), "orientation": (3, 3), "pose": (4, 4), "twist": (6,), "com": (3,)}


@dataclass(frozen=True)
class Phase:
    """A stretch of knots under the same holds (hamel.Hold or names of frames, whose origins are held then).

    step: seconds from knot to knot. impact: one knot at which the holds come into force at once, without time or input.
    scheme: of the steps, "euler", or "rk2" and "rk4" of Munthe-Kaas.
    """

    knots: int
    step: float = 0.0
    holds: Sequence[Union[Hold, str]] = ()
    impact: bool = False
    scheme: str = "euler"


class Progress(NamedTuple):
    """How a solution goes, or went.

    end: why it ended (a word, see docs/optimal-control.md); gap: the largest component of a gap between knots; violation: the
    largest of a constraint, worst_term and worst_knot say where; slope: the expected change of the cost per unit of the step
    that was taken.
    """

    end: str
    iterations: int
    cost: float
    gap: float
    violation: float
    slope: float
    step: float
    regularization: float
    penalty: float
    seconds: float
    worst_term: int
    worst_knot: int


@dataclass(frozen=True)
class Plan:
    """A motion in N steps: time (N + 1), q, v, u (N, inputs), force (N, rows of the holds), the feedback K (N, inputs, 2nv).

    u + K (q' ⊖ q, ν' − ν) is the input for a state (q', ν') nearby. `ok` says whether it converged, `report` how; message is a
    sentence about it.
    """

    time: Array
    q: Array
    v: Array
    u: Array
    force: Array
    K: Array
    report: Progress
    message: str
    ok: bool

    @property
    def cost(self) -> float:
        return self.report.cost

    @property
    def violation(self) -> float:
        return self.report.violation

    @property
    def iterations(self) -> int:
        return self.report.iterations


@dataclass
class Problem:
    """An optimal control problem: a robot, its start, phases, inputs, and terms (add).

    inputs: None (the model's actuated joints), "all", names of joints, or one mark per coordinate. actuation (nv, m): τ =
    actuation · u instead, for rotors and the like. lower and upper bound the inputs: a number, one per input, or (N, m).
    """

    model: _core.Model
    q: ArrayLike
    phases: Sequence[Phase]
    v: Optional[ArrayLike] = None
    inputs: Union[None, str, ArrayLike, Sequence[str]] = None
    actuation: Optional[ArrayLike] = None
    lower: Optional[ArrayLike] = None
    upper: Optional[ArrayLike] = None
    terms: List[Tuple[Any, ...]] = field(default_factory=list)

    @property
    def knots(self) -> int:
        """N: steps of all phases"""
        return sum(phase.knots for phase in self.phases)

    @property
    def columns(self) -> Optional[NDArray[numpy.int32]]:
        """Coordinates that inputs push; None: those of the model's actuated joints, or with an actuation matrix"""
        if self.inputs is None or self.actuation is not None:
            return None
        if isinstance(self.inputs, str):
            if self.inputs != "all":
                raise InvalidArgumentError('inputs is None, "all", names of joints or marks')
            return numpy.arange(self.model.nv, dtype=numpy.int32)
        from .control import _marks

        return numpy.flatnonzero(_marks(self.model, self.inputs)).astype(numpy.int32)

    @property
    def ninputs(self) -> int:
        """m: inputs of a step"""
        if self.actuation is not None:
            return int(numpy.shape(self.actuation)[-1])
        columns = self.columns
        return int(self.model.actuated.sum()) if columns is None else len(columns)

    def _knots_of(self, knots: Union[str, int, Sequence[int]], kind: str) -> Tuple[int, int]:
        last = self.knots - (kind in ("input", "force", "cone"))
        if isinstance(knots, str):
            if knots not in ("all", "end"):
                raise InvalidArgumentError('knots is "all", "end", a number or (first, last)')
            return (0, last) if knots == "all" else (self.knots, self.knots)
        pair = (knots, knots) if isinstance(knots, (int, numpy.integer)) else tuple(int(k) for k in knots)
        if len(pair) != 2 or min(pair) < 0:
            raise InvalidArgumentError('knots is "all", "end", a number or (first, last)')
        return int(pair[0]), int(pair[1])

    def _rows_of(self, kind: str, first: int, hold: int, facets: int, rows: int) -> int:
        """Components of a residual; 0: known to the library alone"""
        sizes = {"configuration": self.model.nv, "velocity": self.model.nv, "input": self.ninputs, "position": 3}
        sizes.update(orientation=3, pose=6, twist=6, com=3, momentum=6, distance=1, cone=(facets or 4) + 1, own=rows)
        return sizes.get(kind, 0)

    def add(
        self,
        kind: str,
        weight: float = 1.0,
        *,
        role: str = "cost",
        knots: Union[str, int, Sequence[int]] = "all",
        frame: Union[None, str, int] = None,
        other: Union[None, str, int] = None,
        hold: int = 0,
        representation: str = "mixed",
        reference: Optional[ArrayLike] = None,
        weights: Optional[ArrayLike] = None,
        knot_weights: Optional[ArrayLike] = None,
        lower: Optional[ArrayLike] = None,
        upper: Optional[ArrayLike] = None,
        friction: float = 0.0,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        facets: int = 0,
        function: Optional[Own] = None,
        rows: int = 0,
        vectorized: bool = False,
        name: Optional[str] = None,
    ) -> Problem:
        """Adds a term, and returns the problem.

        kind: configuration, velocity, input, position, orientation, pose, twist, com, force, cone, limits, momentum, distance
        (between frame and other) or own. role: cost ½ w r², barrier or constraint with lower ≤ r ≤ upper (without bounds: r = 0). knots: all, end, a number or (first,
        last). reference may have one row per knot. An own term has a function(knot, q, v, u) that returns r (rows), r_x
        (rows, 2nv) and r_u (rows, m); u is None at the end. vectorized: it is called once for all its knots, with a first dimension
        more everywhere: knot (K,), q (K, nq), v (K, nv), u (K, m), r (K, rows), r_x (K, rows, 2nv), r_u (K, rows, m), where the
        end has no row in u and r_u.
        """
        words = (("kind", kind, KINDS), ("role", role, ROLES), ("representation", representation, REPRESENTATIONS))
        for what, word, choice in words:
            if word not in choice:
                raise InvalidArgumentError(f"{what} is one of {', '.join(choice)}, not {word!r}")
        first, last = self._knots_of(knots, kind)
        count = last - first + 1
        size = self._rows_of(kind, first, hold, facets, rows)
        if kind == "own" and (function is None or rows < 1):
            raise InvalidArgumentError("an own term needs function= and rows=")
        goal, stride = self._reference(kind, reference, size, count)
        vectors = [None if x is None else numpy.asarray(x, dtype=float) for x in (weights, knot_weights, lower, upper)]
        for i, (what, x) in enumerate(zip(("weights", "knot_weights", "lower", "upper"), vectors)):
            wanted = count if i == 1 else size
            if x is None:
                continue
            if x.ndim == 0 and wanted:
                x = vectors[i] = numpy.full(wanted, x)
            if x.ndim != 1 or (wanted and len(x) != wanted):
                raise InvalidArgumentError(f"{what} of a {kind} has shape {x.shape} where ({wanted},) is needed")
        direction = numpy.asarray(normal, dtype=float)
        if direction.shape != (3,):
            raise InvalidArgumentError("normal has three components")
        numbers = (KINDS.index(kind), ROLES.index(role), first, last, frame, other, int(hold), REPRESENTATIONS.index(representation))
        arrays = (goal, stride, float(weight), *vectors, float(friction), direction)
        self.terms.append((name, *numbers, *arrays, int(facets), int(rows), function, bool(vectorized)))
        return self

    def _reference(
        self, kind: str, reference: Optional[ArrayLike], size: int, count: int
    ) -> Tuple[Optional[Array], int]:
        if reference is None:
            return None, 0
        goal = numpy.asarray(reference, dtype=float)
        shape: Tuple[int, ...] = REFERENCES.get(kind, (size,))
        if kind == "configuration":
            shape = (self.model.nq,)
        if kind == "force":
            shape = goal.shape[-1:]
        if goal.shape == shape:
            return numpy.ascontiguousarray(goal), 0
        if goal.shape == (count, *shape):
            return numpy.ascontiguousarray(goal), int(numpy.prod(shape))
        raise InvalidArgumentError(f"reference of a {kind} has shape {goal.shape} where {shape} or {(count, *shape)} is needed")


def _bound(problem: Problem, bound: Optional[ArrayLike], name: str) -> Optional[Array]:
    if bound is None:
        return None
    m, x = problem.ninputs, numpy.asarray(bound, dtype=float)
    if x.ndim == 0:
        x = numpy.full(m, x)
    if x.shape not in ((m,), (problem.knots, m)):
        raise InvalidArgumentError(f"{name} has shape {x.shape} where ({m},) or {(problem.knots, m)} is needed")
    return numpy.ascontiguousarray(x)


MESSAGES = {
    "converged": "converged",
    "slow": "the constraints are kept, and the cost hardly changes any more",
    "iterations": "not converged in as many iterations as were allowed",
    "time": "the time was up before it converged",
    "stopped": "stopped",
    "stuck": "no step lowers the cost, however much it is regularized",
}


def _arguments(problem: Problem) -> Tuple[Any, ...]:
    """What a problem says, as the library's objects take it"""
    model, v, actuation = problem.model, problem.v, problem.actuation
    q = numpy.asarray(problem.q, dtype=float)
    velocity = None if v is None else numpy.asarray(v, dtype=float)
    if q.shape != (model.nq,) or (velocity is not None and velocity.shape != (model.nv,)):
        raise InvalidArgumentError(f"the start has {model.nq} positions and {model.nv} velocities")
    if actuation is not None:
        actuation = numpy.ascontiguousarray(actuation, dtype=float)
        if actuation.ndim != 2 or actuation.shape[0] != model.nv:
            raise InvalidArgumentError(f"actuation has shape {actuation.shape} where ({model.nv}, inputs) is needed")
    phases = tuple((int(p.knots), float(p.step), list(p.holds), bool(p.impact), str(p.scheme)) for p in problem.phases)
    bounds = (_bound(problem, problem.lower, "lower"), _bound(problem, problem.upper, "upper"))
    return (model, phases, tuple(problem.terms), q, velocity, problem.columns, actuation, *bounds)


def _message(report: Progress, terms: Sequence[Tuple[Any, ...]]) -> str:
    """A sentence about the end; terms begin with their name and the number of their kind"""
    text = MESSAGES.get(report.end, report.end)
    if report.end in ("converged", "slow") or report.worst_term < 0 or not report.violation > 0:
        return text
    name, kind = terms[report.worst_term][:2]
    called = f" ({name})" if name else ""
    where = f"term {report.worst_term}, {KINDS[kind]}{called}, is violated by {report.violation:.3g} at knot {report.worst_knot}"
    return f"{text}: {where}" if report.end == "infeasible" else f"{text}; {where}"


class Solver:
    """Solves a Problem by multiple shooting on the group. It keeps its memory, and begins where it ended the last time.

    threads: how many work on it; the results do not depend on them.
    """

    def __init__(self, problem: Problem, threads: int = 1) -> None:
        self.problem: Optional[Problem] = problem
        self.model = problem.model
        self._terms: Sequence[Tuple[Optional[str], int]] = [(term[0], term[1]) for term in problem.terms]
        self._options: Tuple[Any, ...] = (0, 0.0, 0.0, 0.0, 0.0)
        self._solver = _core._Solver(*_arguments(problem), int(threads))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], threads: int = 1) -> Solver:
        """The solver of a problem in a file, as `hamel plan` reads it (docs/files.md): with its guess and its options."""
        self = cls.__new__(cls)
        self.problem = None
        self._solver, self.model, _, _, self._terms, self._options = _core._Solver.load(os.fspath(path), int(threads))
        return self

    def start(self, q: ArrayLike, v: Optional[ArrayLike] = None) -> None:
        """Another state of knot 0"""
        self._solver.start(q, v)

    def guess(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, u: Optional[ArrayLike] = None) -> None:
        """Where to begin: (N + 1, nq), (N + 1, nv), (N, m). Steps need not lead from knot to knot."""
        self._solver.guess(q, v, u)

    def shift(self, knots: int = 1) -> None:
        """Knot k becomes what knot k + knots was, and the start with it: the next beginning of a loop."""
        self._solver.shift(knots)

    def solve(
        self,
        iterations: int = 0,
        *,
        seconds: float = 0.0,
        tolerance: float = 0.0,
        violation: float = 0.0,
        penalty: float = 0.0,
        progress: Optional[Callable[[Progress], Any]] = None,
    ) -> Plan:
        """Until it converges, or a limit ends it; zeros are the defaults. progress(report) after each iteration; true stops."""

        def tell(numbers: Tuple[Any, ...]) -> Any:
            return progress(_progress(numbers)) if progress else None

        given = (iterations, seconds, tolerance, violation, penalty)
        options = [x or default for x, default in zip(given, self._options)]
        report = _progress(self._solver.solve(*options, tell if progress else None))
        return _found(self._solver.solution(), report, self._terms)


def _found(solution: Tuple[Array, Array, Array, Array, Array, Array], report: Progress, terms: Sequence[Tuple[Any, ...]]) -> Plan:
    return Plan(*solution, report=report, message=_message(report, terms), ok=report.end in ("converged", "slow"))


def _progress(numbers: Tuple[Any, ...]) -> Progress:
    return Progress(ENDS[numbers[0]], *numbers[1:])
