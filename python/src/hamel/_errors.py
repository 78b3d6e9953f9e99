"""Exceptions: one for each status of the C library, each also one of Python's own."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """What Hamel raises. `file` and `line` say where in a file, when a loader complains."""

    file: Optional[str] = None
    line: Optional[int] = None


class ModelWarning(UserWarning):
    """What is odd in a model but not an error: hamel.load and hamel.loads say it through `warnings`; Model.warnings has all."""


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range or has the wrong shape."""


class NotFiniteError(Error, ValueError):
    """An input holds NaN or infinity, or a result overflows."""


class NotNormalizedError(Error, ValueError):
    """A quaternion is too far from unit, or a matrix from a rotation."""


class SingularError(Error, ArithmeticError):
    """The mass matrix or another matrix is singular, or there is no mass or no derivative."""


class SingularParameterizationError(Error, ArithmeticError):
    """The rotation parameterization is singular here."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class NotFoundError(Error, LookupError):
    """No body, joint, frame, group or robot has this name."""


class BadModelError(Error, ValueError):
    """The model is inconsistent."""


class BadFileError(Error, ValueError):
    """The file is malformed."""


class UnsupportedError(Error, ValueError):
    """Not supported for this model or these arguments, or not by the format of a file."""


class CannotReadError(Error, OSError):
    """The file cannot be read."""


class CannotWriteError(Error, OSError):
    """The file cannot be written."""


class NotConvergedError(Error, ArithmeticError):
    """The iteration did not converge."""


class InconsistentError(Error, ArithmeticError):
    """The constraints contradict each other or the motion."""


class NotStabilizableError(Error, ArithmeticError):
    """A mode is unstable, and no input moves it or no weight sees it."""


class TooManyStepsError(Error, RuntimeError):
    """A motion takes more steps than max_steps allows. It stands where the last one ended."""


# in the order of hml_status
BY_STATUS = (
    Error,
    InvalidArgumentError,
    NotFiniteError,
    NotNormalizedError,
    SingularError,
    SingularParameterizationError,
    Error,  # 6 is not in use
    OutOfMemoryError,
    NotFoundError,
    BadModelError,
    BadFileError,
    UnsupportedError,
    CannotReadError,
    CannotWriteError,
    NotConvergedError,
    InconsistentError,
    NotStabilizableError,
    TooManyStepsError,
)

for _kind in BY_STATUS:
    _kind.__module__ = "hamel"  # where users find them
