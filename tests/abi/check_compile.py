#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the public header alone, in every language level that users may have, and the layout test, which must pin
every constant, struct and field of the header.

   check_compile.py --root TREE [--cc CC] [--cxx CXX]      prints the compiler's complaints, exits 1 if there are any
"""
import argparse
import pathlib
import re
import subprocess
import sys

STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
HEADER_ONLY = "#include <gpustream.h>\n#include <gpustream.h>\n"
C_LEVELS = ["c99", "c11", "c17"]
CXX_LEVELS = ["c++11", "c++17", "c++20"]
C_EXTRA = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition", "-Wc++-compat"]
CXX_EXTRA = ["-Wold-style-cast"]


def compile_text(compiler, language, level, extra, root, text):
    command = [*compiler.split(), "-x", language, f"-std={level}", *STRICT, *extra, "-I", str(root / "include"), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        yield from (f"{level}: {line}" for line in errors or [done.stderr or "the compiler failed without a word"])


def pins(header):
    """The line that must be in layout.c, up to the number, for everything whose number is part of the interface."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name in re.findall(r"\b(GS_\w+) = \d+", code):
        yield f"NUMBER({name}, "
    for body, struct in re.findall(r"typedef struct gs_\w+ \{(.*?)\} (gs_\w+);", code, re.S):
        yield f"SIZE({struct}, "
        for field in re.findall(r"(\w+)(?:\[\d+\])?\s*[,;]", body):
            yield f"FIELD({struct}, {field}, "


def findings(root, cc, cxx):
    layout = (root / "tests/abi/layout.c").read_text(encoding="utf-8")
    for level in C_LEVELS:
        yield from compile_text(cc, "c", level, C_EXTRA, root, HEADER_ONLY)
    for level in CXX_LEVELS:
        yield from compile_text(cxx, "c++", level, CXX_EXTRA, root, HEADER_ONLY)
    yield from compile_text(cc, "c", "c11", [], root, layout)
    header = (root / "include/gpustream.h").read_text(encoding="utf-8")
    yield from (f"layout.c lacks a line {pin}...)" for pin in pins(header) if pin not in layout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    arguments = parser.parse_args()
    found = list(findings(arguments.root, arguments.cc, arguments.cxx))
    print("\n".join(found) if found else f"compiles as {', '.join(C_LEVELS + CXX_LEVELS)}; the layout is as pinned")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
