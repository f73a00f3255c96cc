#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same set of functions everywhere: header, linker map, manifest, and what the built library exports.

   check_symbols.py --root TREE [--library FILE] [--nm NM] [--readelf READELF]
Also: every export carries the version node of its release, nothing is STB_GNU_UNIQUE. (How the library is linked, its
SONAME and what it needs, is tests/consumer/check_link.sh's job.)
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

from gs_header import Header


def read_map(path):
    """{function: node}; anything but nodes of plain names with one closing 'local: *' is a finding."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    nodes, trouble = {}, []
    found = re.findall(r"(\w+(?:\.\w+)*)\s*\{(.*?)\}\s*([\w.]*)\s*;", text, re.S)
    for node, body, _ in found:
        exported = re.sub(r"local:.*", "", body, flags=re.S)
        for name in re.findall(r"([^\s;:]+)\s*;", exported.replace("global:", "")):
            if not re.fullmatch(r"gs_\w+", name):
                trouble.append(f"src/gpustream.map: {node} exports '{name}', which is no plain gs_* name")
            if name in nodes:
                trouble.append(f"src/gpustream.map: {name} is in two nodes")
            nodes[name] = node
    if not found or not re.search(r"local:\s*\*\s*;", found[0][1]):
        trouble.append("src/gpustream.map: the first node lacks 'local: *'")
    return nodes, trouble


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


def differences(left, right, left_name, right_name):
    for name in sorted(set(left) - set(right)):
        yield f"{name}: in {left_name}, but not in {right_name}"
    for name in sorted(set(right) - set(left)):
        yield f"{name}: in {right_name}, but not in {left_name}"


def check_library(library, nodes, nm, readelf):
    symbols = exported(library, nm)
    yield from differences(nodes, symbols, "src/gpustream.map", "the library")
    for name, (kind, version) in sorted(symbols.items()):
        if kind == "u":
            yield f"{name}: is STB_GNU_UNIQUE"
        elif name in nodes and kind != "T":
            yield f"{name}: is of type {kind}, not a function"
        if name in nodes and version != nodes[name]:
            yield f"{name}: has version {version}, the map says {nodes[name]}"
    # A unique symbol that is local to the dynamic table still pins the library's loading order; look at all of them.
    for line in run(readelf, "-sW", library).splitlines():
        columns = line.split()
        if len(columns) >= 8 and columns[4] == "UNIQUE" and columns[7].partition("@")[0] not in symbols:
            yield f"{columns[7]}: is STB_GNU_UNIQUE"


def findings(arguments):
    functions = [function.name for function in Header(arguments.root / "include/gpustream.h").functions]
    manifest = json.loads((arguments.root / "tests/parity/api.json").read_text(encoding="utf-8"))["functions"]
    nodes, trouble = read_map(arguments.root / "src/gpustream.map")
    yield from trouble
    yield from differences(functions, nodes, "gpustream.h", "src/gpustream.map")
    yield from differences(functions, manifest, "gpustream.h", "tests/parity/api.json")
    for name in sorted(set(nodes) & set(manifest)):
        if nodes[name] != f"GPUSTREAM_{manifest[name]['since']}":
            yield f"{name}: since {manifest[name]['since']}, but in node {nodes[name]}"
    if functions != list(manifest) and set(functions) == set(manifest):
        yield "tests/parity/api.json: the functions are not in the order of gpustream.h"
    if arguments.library:
        yield from check_library(arguments.library, nodes, arguments.nm, arguments.readelf)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--library")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--readelf", default="readelf")
    found = list(findings(parser.parse_args()))
    print("\n".join(found) if found else "symbols: the same set everywhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
