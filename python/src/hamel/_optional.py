"""Packages that need not be there."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, package: str, what: str) -> Any:
    """The module; or an ImportError that says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name and module != missing.name and not module.startswith(missing.name + "."):
            raise
        raise ImportError(f"{what} needs the package {package}: pip install {package}", name=module) from None
