"""``python -m hamel``, and ``hamel`` where the package is installed: the command that the wheel carries."""

from __future__ import annotations

import os
import sys

from ._paths import command


def main() -> None:
    program = str(command())
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
