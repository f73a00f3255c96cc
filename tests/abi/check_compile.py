#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the public header alone, in every language level that users may have, and tests/abi/layout.c, by
which the compiler confirms what the description says of every constant, struct and field.

   check_compile.py --root TREE [--cc CC] [--cxx CXX]      prints the compiler's complaints, exits 1 if there are any
"""
import argparse
import pathlib
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


def findings(root, cc, cxx):
    layout = (root / "tests/abi/layout.c").read_text(encoding="utf-8")
    for chapter in sorted((root / "include/gpustream").glob("*.h")):
        yield from compile_text(cc, "c", "c99", C_EXTRA, root, f"#include <gpustream/{chapter.name}>\n")
    for level in C_LEVELS:
        yield from compile_text(cc, "c", level, C_EXTRA, root, HEADER_ONLY)
    for level in CXX_LEVELS:
        yield from compile_text(cxx, "c++", level, CXX_EXTRA, root, HEADER_ONLY)
    yield from compile_text(cc, "c", "c11", [], root, layout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    arguments = parser.parse_args()
    found = list(findings(arguments.root, arguments.cc, arguments.cxx))
    print("\n".join(found) if found else f"compiles as {', '.join(C_LEVELS + CXX_LEVELS)}; the layout is as described")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
