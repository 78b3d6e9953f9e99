"""``python -m hamel``, and ``hamel`` where the package is installed: the command that the wheel carries."""

from __future__ import annotations

import os
import sys

from ._load import _example_robots
from ._paths import command


def main() -> None:
    program = str(command())
    folders = [str(folder) for folder in _example_robots()]
    if folders:  # robots by their names, as hamel.load has them
        os.environ.setdefault("HAMEL_ROBOTS", ":".join(folders))
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
