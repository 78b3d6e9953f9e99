"""Names that people look up, and what they perhaps meant."""

from __future__ import annotations

import difflib
from typing import Any, Dict, Iterable, NoReturn

from ._errors import NotFoundError


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint to end a sentence with, or nothing"""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class NoKeyframeError(NotFoundError, KeyError):
    """No keyframe has this name."""

    __str__ = Exception.__str__  # KeyError's shows the sentence in quotes


class Keyframes(Dict[str, Any]):
    """{name: (q, v)} of a model's keyframes."""

    def __missing__(self, name: str) -> NoReturn:
        there = f": there are {', '.join(self)}" if self else ": there are none"
        raise NoKeyframeError(f"no keyframe is called {name!r}{did_you_mean(str(name), self) or there}")
