"""Where models come from: files, text, the library itself, and packages that hold robots."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
from typing import Iterator, Optional, Sequence, Union

from . import _core
from ._errors import InvalidArgumentError, NotFoundError

KEEP_FIXED, STRICT, MIMIC_INDEPENDENT, NO_PASSIVE = 1, 2, 4, 8  # HML_BUILD_…


def _build(mimic: str, passive: bool, keep_fixed: bool, strict: bool) -> int:
    if mimic not in ("follow", "independent"):
        raise InvalidArgumentError(f"mimic is one of follow, independent, not {mimic!r}")
    return (
        KEEP_FIXED * bool(keep_fixed)
        | STRICT * bool(strict)
        | MIMIC_INDEPENDENT * (mimic == "independent")
        | NO_PASSIVE * (not passive)
    )


def load(
    path: Union[str, os.PathLike[str]],
    *,
    format: str = "auto",
    base: str = "auto",
    base_name: Optional[str] = None,
    gravity: Optional[Sequence[float]] = None,
    mimic: str = "follow",
    passive: bool = True,
    keep_fixed: bool = False,
    strict: bool = False,
) -> _core.Model:
    """A model from a URDF, MJCF or Hamel JSON file, or a robot by its name.

    A name without a folder and an ending, such as ``"anymal_b"``, that is no file is looked up among the robots of the
    library (`builtin_names`), of the package ``example-robot-data``, and of ``robot_descriptions``, if they are there.

    base        free, fixed, or auto: how the root link of a URDF hangs on the world
    base_name   name of the free root joint, "base" if not given
    gravity     instead of the file's, (3,)
    mimic       follow, or independent
    passive     False drops armature, damping and springs
    keep_fixed  True keeps fixed joints as bodies
    strict      True makes warnings errors

    Raises BadFileError, UnsupportedError, BadModelError with the file, the line and a sentence; CannotReadError.

    >>> import hamel
    >>> hamel.load("quadruped").nv
    18
    """
    flags = _build(mimic, passive, keep_fixed, strict)
    name = os.fspath(path)
    if isinstance(path, str) and _is_name(name):
        if name in _core.builtin_names():
            return _core._builtin(name, base, base_name, gravity, flags)
        name = str(find(name))
    return _core._load(name, format, base, base_name, gravity, flags)


def loads(
    text: Union[str, bytes],
    name: Optional[str] = None,
    *,
    format: str = "auto",
    base: str = "auto",
    base_name: Optional[str] = None,
    gravity: Optional[Sequence[float]] = None,
    mimic: str = "follow",
    passive: bool = True,
    keep_fixed: bool = False,
    strict: bool = False,
) -> _core.Model:
    """A model from the text of such a file; name is for messages. The other arguments are those of `load`."""
    return _core._loads(text, name, format, base, base_name, gravity, _build(mimic, passive, keep_fixed, strict))


def _is_name(name: str) -> bool:
    return not os.path.exists(name) and os.path.basename(name) == name and not os.path.splitext(name)[1]


def find(name: str) -> pathlib.Path:
    """The file of a robot in ``example-robot-data`` or ``robot_descriptions``. Raises NotFoundError."""
    for folder in _example_robots():
        path = _choose(folder, name)
        if path:
            return path
    if importlib.util.find_spec("robot_descriptions"):
        for module in (name, f"{name}_description", f"{name}_mj_description"):
            if importlib.util.find_spec(f"robot_descriptions.{module}"):
                found = importlib.import_module(f"robot_descriptions.{module}")
                return pathlib.Path(getattr(found, "URDF_PATH", None) or found.MJCF_PATH)
    raise NotFoundError(
        f"no file and no robot is called {name!r}; the library has {', '.join(_core.builtin_names())}, "
        "the packages example-robot-data and robot_descriptions have more"
    )


def _example_robots() -> Iterator[pathlib.Path]:
    """Folders of robots; found without importing the package, which would import Pinocchio."""
    spec = importlib.util.find_spec("example_robot_data") or importlib.util.find_spec("cmeel")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for parent in pathlib.Path(place).parents:
            for folder in (parent, parent / "cmeel.prefix"):
                robots = folder / "share" / "example-robot-data" / "robots"
                if robots.is_dir():
                    yield robots


def _choose(robots: pathlib.Path, name: str) -> Optional[pathlib.Path]:
    """<name>.urdf anywhere; else the shortest name of a URDF in a folder <name>…; else the shortest <name>….urdf."""
    folders = sorted((d for d in robots.iterdir() if d.is_dir() and d.name.startswith(name)), key=lambda d: len(d.name))
    groups = [robots.rglob(f"{name}.urdf"), *(d.rglob("*.urdf") for d in folders), robots.rglob(f"{name}*.urdf")]
    for files in groups:
        best = sorted(files, key=lambda p: (len(p.stem), len(p.parts), p))
        if best:
            return best[0]
    return None
