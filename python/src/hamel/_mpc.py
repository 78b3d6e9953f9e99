"""Predictive control: a problem over a window that moves with the time. Public in hamel.control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import InvalidArgumentError
from ._holds import Hold
from ._plan import Plan, Problem, Progress, _arguments, _found, _progress

Array = NDArray[numpy.float64]


@dataclass(frozen=True)
class Slot:
    """A part of a gait: how long it lasts, and what is held (hamel.Hold or names of frames, whose origins are held then)."""

    seconds: float
    holds: Sequence[Union[Hold, str]] = ()


@dataclass(frozen=True)
class Tick:
    """What a tick found: the input u (m) of the first step, the feedback K (m, 2nv), the forces of the holds of that step, the
    number of its slot in the gait, and the report.

    u + K (q' ⊖ q, ν' − ν) is the input for a state (q', ν') near the one given; `input` computes it.
    """

    u: Array
    K: Array
    force: Array
    slot: int
    report: Progress
    model: _core.Model
    q: Array
    v: Array

    def input(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The input at a state near that of the tick, until the next one"""
        error = numpy.concatenate([self.model.difference(self.q, q), numpy.asarray(v, dtype=float) - self.v])
        return numpy.asarray(self.u + self.K @ error)


class Statistics(NamedTuple):
    """Of all ticks: how many, how many accepted no step, how many failed; seconds: percentiles to 1 %, mean, longest."""

    ticks: int
    rejected: int
    failed: int
    p50: float
    p90: float
    p99: float
    mean: float
    most: float


class MPC:
    """Predictive control. The problem has one phase: knots and step of the window.

    gait: Slots that follow each other and begin anew after the last one, the first at the time `begin`; then the phase has no
    holds, and terms of forces and cones name the frame that is held (`frame=`) and apply where it is. Without a gait the holds
    are those of the phase. threads: how many work on it; the results do not depend on them.
    """

    def __init__(self, problem: Problem, gait: Sequence[Slot] = (), *, begin: float = 0.0, threads: int = 1) -> None:
        slots = tuple((float(slot.seconds), list(slot.holds)) for slot in gait)
        # copies, so that set_reference and set_knot_weights change nobody else's arrays
        terms = [tuple(numpy.array(x) if isinstance(x, numpy.ndarray) else x for x in term) for term in problem.terms]
        arguments = _arguments(problem)
        self.problem = problem
        self.model = problem.model
        self._mpc = _core._MPC(*arguments[:2], tuple(terms), *arguments[3:], int(threads), slots, float(begin))
        self._time = -numpy.inf

    def tick(
        self,
        time: float,
        q: ArrayLike,
        v: Optional[ArrayLike] = None,
        *,
        iterations: int = 1,
        seconds: float = 0.0,
        tolerance: float = 0.0,
        violation: float = 0.0,
        penalty: float = 0.0,
    ) -> Tick:
        """The window moves to `time`, begins at the state, and the solver goes on from the motion of the last tick."""
        if time < self._time:
            raise InvalidArgumentError(f"the window moves forward only: {time:g} s comes after {self._time:g} s; reset() begins anew")
        velocity = numpy.zeros(self.model.nv) if v is None else numpy.array(v, dtype=float)
        u, K, force, slot, report = self._mpc.tick(time, q, velocity, iterations, seconds, tolerance, violation, penalty)
        self._time = float(time)
        return Tick(u, K, force, slot, _progress(report), self.model, numpy.array(q, dtype=float), velocity)

    def slot(self, time: float) -> Tuple[int, float]:
        """The number of the slot of a time, and how many seconds it lasts from then on"""
        number, left = self._mpc.slot(time)
        return number, left

    def solution(self, tick: Tick) -> Plan:
        """The motion of the window of the last tick, which is given; its times begin at 0"""
        return _found(self._mpc.solution(), tick.report, self.problem.terms)

    def set_reference(self, term: int, reference: ArrayLike) -> None:
        """Another reference of a term, by its number, from the next tick on. As many values as it was added with."""
        self._write(term, "reference", reference)

    def set_knot_weights(self, term: int, weights: ArrayLike) -> None:
        """Other weights of the knots of a term, which was added with knot_weights"""
        self._write(term, "knot_weights", weights)

    def _write(self, term: int, name: str, values: ArrayLike) -> None:
        numbers = numpy.asarray(values, dtype=float)
        if not numpy.isfinite(numbers).all() or (name == "knot_weights" and (numbers < 0).any()):
            raise InvalidArgumentError(f"{name} must be finite, and weights not negative")
        self._mpc.write(term, name, numbers)

    def statistics(self) -> Statistics:
        return Statistics(*self._mpc.statistics())

    def reset(self) -> None:
        """Forgets the motion and the statistics"""
        self._mpc.reset()
        self._time = -numpy.inf
