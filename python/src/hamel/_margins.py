"""Stability margins of a feedback: what the gain, the phase and the delay of its inputs may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import BY_STATUS, InvalidArgumentError, NotFiniteError, NotStabilizableError

Array = NDArray[numpy.float64]


@dataclass(frozen=True)
class Disk:
    """All inputs at once: stable with all gains between gain[0] and gain[1], or with all phases (rad) below `phase`.

    peak: the largest singular value over all frequencies, of S, T or (S − T)/2; at most 1e-7 of itself too large, never too
    small. frequency (rad/s): where it is.
    """

    peak: float
    frequency: float
    gain: Tuple[float, float]
    phase: float


@dataclass(frozen=True, repr=False)
class Margins:
    """How far u = −K x is from instability; prints as a table.

    Of each input by itself, arrays with one entry per input: gain (m, 2), the factors of its gain between which the loop is
    stable, the first negative where the input may fail; phase (rad) and delay (s), below which it is stable; infinite where
    there is no border. gain_frequency (m, 2), phase_frequency, delay_frequency: those of the oscillation at the border, in
    rad/s. Of all inputs at once: the disks of the sensitivity S, of T = 1 − S and of (S − T)/2.
    """

    gain: Array
    gain_frequency: Array
    phase: Array
    phase_frequency: Array
    delay: Array
    delay_frequency: Array
    sensitivity: Disk
    complementary: Disk
    balanced: Disk
    input_names: Tuple[str, ...] = field(default=())

    def table(self) -> str:
        """A line for each input, and one for each disk"""
        lines = [["input", "least gain", "most gain", "phase, deg", "delay, s"]]
        names = self.input_names or tuple(f"u{i}" for i in range(len(self.gain)))
        for name, gain, phase, delay in zip(names, self.gain, numpy.degrees(self.phase), self.delay):
            lines.append([name, *(f"{x:.4g}" for x in (*gain, phase, delay))])
        for name in ("sensitivity", "complementary", "balanced"):
            x: Disk = getattr(self, name)
            lines.append([f"all, {name} ≤ {x.peak:.4g}", *(f"{g:.4g}" for g in x.gain), f"{numpy.degrees(x.phase):.4g}", ""])
        wide = [max(len(line[i]) for line in lines) for i in range(5)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, wide)).rstrip() for line in lines)

    __repr__ = table


def margins(
    A: ArrayLike,
    B: ArrayLike,
    K: ArrayLike,
    *,
    dt: Optional[float] = None,
    scale: Optional[ArrayLike] = None,
    names: Sequence[str] = (),
) -> Margins:
    """The margins of u = −K x for ẋ = A x + B u, or for x⁺ = A x + B u with steps of dt seconds.

    scale (m): what counts as much of one input as of another, for the disks of all inputs at once; for a regulator 1/√R_ii.
    NotStabilizableError where A − B K is not stable.
    """
    A, B, K = (numpy.asarray(M, dtype=float) for M in (A, B, K))
    if any(M.ndim != 2 for M in (A, B, K)):
        raise InvalidArgumentError("A, B and K are one matrix each: margins are those of one loop")
    if not B.size:
        raise InvalidArgumentError(f"B has shape {B.shape}: a loop has a state and an input at least")
    if dt is not None and not 0 < dt < numpy.inf:
        raise InvalidArgumentError(f"dt is a positive time, not {dt}")
    x = _core._margins(A, B, K, 0.0 if dt is None else dt, scale)
    if x.status:
        kind = BY_STATUS[int(x.status)]
        text = {
            NotStabilizableError: "A − B K is not stable: there are no margins",
            NotFiniteError: "A, B or K holds NaN or infinity",
            InvalidArgumentError: "scale has one positive number for each input",
        }.get(kind, "the largest singular value over all frequencies was not found")
        raise kind(text)
    rows, (S, T, half) = x.inputs, [Disk(row[0], row[1], (row[2], row[3]), row[4]) for row in x.disks.tolist()]
    return Margins(rows[:, :2], rows[:, 2:4], rows[:, 4], rows[:, 5], rows[:, 6], rows[:, 7], S, T, half, tuple(names))
