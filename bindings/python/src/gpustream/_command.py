# SPDX-License-Identifier: Apache-2.0
"""The command `gpustream`, which the package contains: a program, not Python."""
from __future__ import annotations

import os
import sys
from typing import NoReturn

PATH = os.path.join(os.path.dirname(__file__), "bin", "gpustream")


def main() -> NoReturn:
    os.execv(PATH, ["gpustream", *sys.argv[1:]])


if __name__ == "__main__":
    main()
