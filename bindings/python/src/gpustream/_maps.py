# SPDX-License-Identifier: Apache-2.0
"""The shared libraries of this process."""
from __future__ import annotations

import os


def loaded_file(name: str) -> str | None:
    """The file of a library that this process has loaded, by a part of its name; else None."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = (line.split(None, 5)[5].strip() for line in maps if line.count(" ") > 5 and "/" in line)
        return next((file for file in files if name in os.path.basename(file)), None)
