"""Where models come from: files, text, the library itself, and packages that hold robots."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import pathlib
import pkgutil
import warnings
import weakref
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _core
from ._errors import CannotReadError, Error, InvalidArgumentError, ModelWarning, NotFoundError

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
    It is taken as it is written, capitals included: nothing is guessed (`find` says which names there are).

    base        free, fixed, or auto: how the root link of a URDF hangs on the world. auto bolts arms and frees
                what has legs or flight in its names (docs/files.md)
    base_name   name of the free root joint, "base" if not given
    gravity     instead of the file's, (3,)
    mimic       follow, or independent
    passive     False drops armature, damping and springs
    keep_fixed  True keeps fixed joints as bodies
    strict      True makes warnings errors

    Raises BadFileError, UnsupportedError, BadModelError with the file, the line and a sentence; CannotReadError. What is odd
    but not an error is a ModelWarning: `warnings.simplefilter("ignore", hamel.ModelWarning)` silences it.

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
    how = (name, format, base, base_name, gravity, flags)
    return _warn(_remember(_core._load(*how), how), name)


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
    """A model from the text of such a file. The other arguments are those of `load`.

    name is for messages, and its folder is where an MJCF text finds what it includes, there or below.
    """
    model = _core._loads(text, name, format, base, base_name, gravity, _build(mimic, passive, keep_fixed, strict))
    return _warn(model, name or "the text")


def _warn(model: _core.Model, name: str) -> _core.Model:
    """One warning for a file, so that the same line of a program says it once: what matters most, and how many there are"""
    count = len(model.warnings)
    if count:
        more = f" (and {count - 1} more: Model.warnings)" if count > 1 else ""
        first = next((text for text in model.warnings if "bolted to the world" in text), model.warnings[0])
        warnings.warn(f"{name}: {first}{more}", ModelWarning, stacklevel=3)
    return model


_sources: Dict[int, Tuple[Any, ...]] = {}  # by id: models compare by value, and equal ones may come from different files


def _remember(model: _core.Model, how: Tuple[Any, ...]) -> _core.Model:
    _sources[id(model)] = (os.path.abspath(how[0]), *how[1:])
    weakref.finalize(model, _sources.pop, id(model), None)
    return model


def source(model: _core.Model) -> Tuple[Any, ...]:
    """The file a model was loaded from, or None, and how: for what the file says beside the model."""
    return _sources.get(id(model), (None, "auto", "auto", None, None, 0))


def _is_name(name: str) -> bool:
    return not os.path.exists(name) and os.path.basename(name) == name and not os.path.splitext(name)[1]


def find(name: str) -> pathlib.Path:
    """The file of a robot in ``example-robot-data`` or ``robot_descriptions``, by its exact name.

    A robot of ``example-robot-data`` is called like its URDF (``solo12``; ``ur5_robot`` is also ``ur5``), or like its folder
    with or without ``_description``, ``_simple_description``, ``_data`` (``anymal_b``): that is then the only URDF in it, or
    the one with whose name all others begin. A robot of ``robot_descriptions`` is called like its module, with or without
    ``_description`` or ``_mj_description``.

    Raises NotFoundError, which says what was perhaps meant.
    """
    for folder in _example_robots():
        files = _names(folder).get(name, [])
        if len(files) == 1:
            return files[0]
        if files:
            raise NotFoundError(f"{name!r} may be any of {', '.join(sorted(str(f) for f in files))}: say which, by its path")
    found = _described(name)
    if found:
        return found
    raise NotFoundError(
        f"no file and no robot is called {name!r}{_perhaps(name)}; the library has {', '.join(_core.builtin_names())}, "
        "the packages example-robot-data and robot_descriptions have more"
    )


def _perhaps(name: str) -> str:
    """, perhaps … or … is meant"""
    known = set(_core.builtin_names()).union(*(_names(folder) for folder in _example_robots()))
    spec = importlib.util.find_spec("robot_descriptions")
    for module in pkgutil.iter_modules(spec.submodule_search_locations) if spec else ():
        if module.name.endswith("_description"):
            known.add(module.name[: -len("_description")])
    spelled: Dict[str, str] = {k.lower(): k for k in sorted(known)}
    near = difflib.get_close_matches(name.lower(), list(spelled), n=3)
    return f" (perhaps {' or '.join(repr(spelled[k]) for k in near)} is meant)" if near else ""


def _example_robots() -> Iterator[pathlib.Path]:
    """Folders of robots; found without importing the package, which would import Pinocchio."""
    spec = importlib.util.find_spec("example_robot_data") or importlib.util.find_spec("cmeel")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for parent in pathlib.Path(place).parents:
            for folder in (parent, parent / "cmeel.prefix"):
                robots = folder / "share" / "example-robot-data" / "robots"
                if robots.is_dir():
                    yield robots


def _names(robots: pathlib.Path) -> Dict[str, List[pathlib.Path]]:
    """The files that a name may mean; a file's own name comes before its folder's."""
    files: Dict[str, List[pathlib.Path]] = {}
    plain: Dict[str, List[pathlib.Path]] = {}
    folders: Dict[str, List[pathlib.Path]] = {}
    for folder in sorted(d for d in robots.iterdir() if d.is_dir()):
        inside = sorted(folder.rglob("*.urdf"))
        if not inside:
            continue  # a robot in another format
        for path in inside:
            files.setdefault(path.stem, []).append(path)
            plain.setdefault(_without(path.stem, "_robot"), []).append(path)
        main = [path for path in inside if all(other.stem.startswith(path.stem) for other in inside)] or inside
        for word in {folder.name, _without(folder.name, "_simple_description", "_description", "_data")}:
            folders.setdefault(word, []).extend(main)
    return {**folders, **plain, **files}


def _without(name: str, *endings: str) -> str:
    for ending in endings:
        if name.endswith(ending) and name != ending:
            return name[: -len(ending)]
    return name


def _described(name: str) -> Optional[pathlib.Path]:
    """The file that a module of robot_descriptions names."""
    if not name.isidentifier() or not importlib.util.find_spec("robot_descriptions"):
        return None
    for module in (name, f"{name}_description", f"{name}_mj_description"):
        if module.endswith("_description") and importlib.util.find_spec(f"robot_descriptions.{module}"):
            try:  # the module fetches the robot, and fails in its own ways where it cannot
                found = importlib.import_module(f"robot_descriptions.{module}")
                return pathlib.Path(getattr(found, "URDF_PATH", None) or found.MJCF_PATH)
            except Error:
                raise
            except Exception as error:
                raise CannotReadError(f"robot_descriptions cannot provide {name!r}: {error}") from error
    return None
