#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built library exports the header's functions and nothing else, each with the version node of its release.

   check_symbols.py --root TREE --library FILE [--nm NM] [--readelf READELF]
Also: nothing is STB_GNU_UNIQUE, and the image has no large tables (zeros belong into .bss). That the linker map agrees with the header is the job of scripts/generate --check; how
the library is linked, its SONAME and what it needs, that of tests/consumer/check_link.sh.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import generator_path  # noqa: F401
from generator.tree import read_header


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def exported(library, nm):
    """{name: (type letter, version or None)} of the dynamic symbol table, version nodes themselves left out."""
    symbols = {}
    for line in run(nm, "-D", "--defined-only", library).splitlines():
        kind, name = line.split()[-2:]
        base, _, version = name.partition("@")
        if kind != "A":
            symbols[base] = (kind, version.lstrip("@") or None)
    return symbols


# Bytes of .data that the image may have; the tables of slots have to be zero at first. A sanitizer's red zones fit.
MOST_DATA = 256 * 1024


def differences(left, right, left_name, right_name):
    for name in sorted(set(left) - set(right)):
        yield f"{name}: in {left_name}, but not in {right_name}"
    for name in sorted(set(right) - set(left)):
        yield f"{name}: in {right_name}, but not in {left_name}"


def check_library(library, nodes, nm, readelf):
    symbols = exported(library, nm)
    yield from differences(nodes, symbols, "gpustream.h", "the library")
    for name, (kind, version) in sorted(symbols.items()):
        if kind == "u":
            yield f"{name}: is STB_GNU_UNIQUE"
        elif name in nodes and kind != "T":
            yield f"{name}: is of type {kind}, not a function"
        if name in nodes and version != nodes[name]:
            yield f"{name}: has version {version}, its release is {nodes[name]}"
    # A unique symbol that is local to the dynamic table still pins the library's loading order; look at all of them.
    for line in run(readelf, "-sW", library).splitlines():
        columns = line.split()
        if len(columns) >= 8 and columns[4] == "UNIQUE" and columns[7].partition("@")[0] not in symbols:
            yield f"{columns[7]}: is STB_GNU_UNIQUE"


def check_data(library, readelf):
    for line in run(readelf, "-SW", library).splitlines():
        found = re.match(r"\s*\[ *\d+\] \.data\s+PROGBITS\s+\w+ \w+ (\w+)", line)
        if found and int(found[1], 16) > MOST_DATA:
            yield f".data has {int(found[1], 16)} bytes, {MOST_DATA} are allowed: is a table initialised with something other than zeros?"


def findings(arguments):
    functions = read_header(arguments.root).api.functions
    nodes = {function.name: f"GPUSTREAM_{function.since}" for function in functions}
    yield from check_library(arguments.library, nodes, arguments.nm, arguments.readelf)
    yield from check_data(arguments.library, arguments.readelf)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--readelf", default="readelf")
    found = list(findings(parser.parse_args()))
    print("\n".join(found) if found else "symbols: the same set in header and library")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
