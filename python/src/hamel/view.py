"""A robot and its motion in three dimensions: in a notebook, in a browser, or as one HTML file.

The page is that of the command ``hamel view``. It holds the robot with its meshes, needs no server and opens no network
connection.
"""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from typing import Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core, _load
from ._errors import InvalidArgumentError

__all__ = ["View"]

Array = NDArray[numpy.float64]
Path = Union[str, "os.PathLike[str]"]
Contacts = Tuple[Sequence[str], ArrayLike, ArrayLike]


class View:
    """A page that shows a robot. The last value of a notebook's cell is shown there; `save` and `open` do the rest.

    model       the robot
    q           its configuration, (nq,); neutral if not given
    trajectory  a motion: configurations, (n, nq), or a .npz or .json file that ``hamel simulate`` has written
    times       of the configurations, (n,), increasing; 0.02 s apart if not given
    contacts    names (m), positions and forces, (n, m, 3) each, in the world: drawn as arrows
    file        the URDF or MJCF file whose visuals are shown; the one the model was loaded from if not given. Models that
                were made otherwise are shown by bones, collision shapes and inertias
    title       the model's name if not given
    ground      True: the floor is the plane z = 0; False: it may lie deeper. True where there are contacts, if not given

    >>> import hamel
    >>> page = hamel.load("drone_arm").view()
    >>> len(page.html) > 500000
    True
    """

    def __init__(
        self,
        model: _core.Model,
        q: Optional[ArrayLike] = None,
        *,
        trajectory: Union[None, ArrayLike, Path] = None,
        times: Optional[ArrayLike] = None,
        contacts: Optional[Contacts] = None,
        file: Optional[Path] = None,
        title: Optional[str] = None,
        ground: Optional[bool] = None,
    ) -> None:
        if q is not None and trajectory is not None:
            raise InvalidArgumentError("give q or a trajectory, not both")
        if isinstance(trajectory, (str, os.PathLike)):
            at, rows, names, positions, forces = _core._trajectory(model, trajectory)
            times = at if times is None else times
            contacts = (names, positions, forces) if names and contacts is None else contacts
        else:
            rows = _rows(model, q, trajectory)
        source = _load.source(model)
        if file is not None:
            source = (os.fspath(file), *source[1:])
        names, positions, forces = contacts if contacts is not None else (None, None, None)
        self.model = model
        self.html: str
        self.warnings: Tuple[str, ...]
        self.html, self.warnings = _core._page(
            model,
            *source,
            title,
            rows,
            _times(rows, times),
            bool(contacts is not None if ground is None else ground),
            None if names is None else tuple(names),
            positions,
            forces,
        )

    def save(self, path: Path) -> None:
        """One HTML file; it needs a browser and nothing else."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def open(self) -> str:
        """Opens the page in a browser, from a file in the temporary folder; returns the file."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hamel-"))
        path = folder / "robot.html"
        self.save(path)
        webbrowser.open(path.as_uri())
        return str(path)

    def _repr_html_(self, height: int = 480) -> str:
        style = f"width:100%;height:{height}px;border:0;border-radius:6px"
        return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{html.escape(self.html)}"></iframe>'


def _rows(model: _core.Model, q: Optional[ArrayLike], trajectory: Optional[ArrayLike]) -> Array:
    """(n, nq)"""
    given = trajectory if trajectory is not None else model.neutral() if q is None else q
    rows = numpy.ascontiguousarray(given, float)
    wanted = 2 if trajectory is not None else 1
    if rows.ndim != wanted or rows.shape[-1] != model.nq or rows.size == 0:
        what = "a trajectory is an array (n, nq)" if wanted == 2 else "q is an array (nq)"
        raise InvalidArgumentError(f"{what}, nq is {model.nq}; the shape is {rows.shape}")
    return rows.reshape(-1, model.nq)


def _times(rows: Array, times: Optional[ArrayLike]) -> Optional[Array]:
    if len(rows) == 1:
        return None
    return numpy.arange(len(rows), dtype=numpy.float64) * 0.02 if times is None else numpy.ascontiguousarray(times, float)
