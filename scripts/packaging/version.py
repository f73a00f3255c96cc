# SPDX-License-Identifier: Apache-2.0
"""The version, which include/gpustream.h alone states.

usage: version.py ROOT
"""
import pathlib
import re
import sys


def version(root):
    text = (pathlib.Path(root) / "include/gpustream.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"^#define GS_VERSION_{part} (\d+)$", text, re.MULTILINE)[1] for part in ("MAJOR", "MINOR", "PATCH"))


if __name__ == "__main__":
    print(version(sys.argv[1]))
