#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rejects rings of rooms: files that need each other, directly or in a circle, and so cannot be read one by one.

   check_rings.py --root TREE      prints one line per ring, exits 1 if there is any

What a room and an arrow are, per language, stands in rooms.py.
"""
import argparse
import pathlib
import sys

import import_rooms
import rooms

HOUSES = [
    ("C++", rooms.c_rooms, "src"),
    ("C of the Python extension", rooms.c_rooms, "bindings/python/native"),
    ("C of the Java library", rooms.c_rooms, "bindings/java/native"),
    ("C++ layer", rooms.c_rooms, "include"),
    ("Python", rooms.python_rooms, "bindings/python/src"),
    ("Java", rooms.java_rooms, "bindings/java/gpustream/src"),
    ("Java packages", rooms.java_packages, "bindings/java/gpustream/src"),
    ("Rust", rooms.rust_rooms, "bindings/rust/gpustream/src"),
    ("Rust", rooms.rust_rooms, "bindings/rust/gpustream-sys/src"),
    ("TypeScript", import_rooms.script_rooms, "bindings/node/src"),
    ("C++ of the Node addon", rooms.c_rooms, "bindings/node/native"),
    ("Zig", import_rooms.zig_rooms, "bindings/zig/src"),
    ("Zig", import_rooms.zig_rooms, "bindings/zig/examples/pipeline"),
    ("C++ of the device for PyTorch", rooms.c_rooms, "integrations/torch/csrc"),
    ("Python", rooms.python_rooms, "integrations/dask"),
    ("Python", rooms.python_rooms, "integrations/ray"),
    ("C++", rooms.c_rooms, "tools/gpustream"),
    ("C++", rooms.c_rooms, "examples/pipeline"),
    ("C and C++", rooms.c_rooms, "bench"),
    ("Python", rooms.python_rooms, "scripts"),
]


def rings(arrows):
    """Strongly connected components of more than one room (Tarjan's algorithm, without recursion)."""
    order, low, stack, found = {}, {}, [], []
    on_stack = set()
    for start in sorted(arrows):
        if start in order:
            continue
        work = [(start, iter(sorted(arrows[start])))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while work:
            room, rest = work[-1]
            follower = next((other for other in rest if other in arrows), None)
            if follower is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[room])
                if low[room] == order[room]:
                    ring = stack[stack.index(room) :]
                    del stack[stack.index(room) :]
                    on_stack.difference_update(ring)
                    if len(ring) > 1:
                        found.append(sorted(ring))
            elif follower not in order:
                order[follower] = low[follower] = len(order)
                stack.append(follower)
                on_stack.add(follower)
                work.append((follower, iter(sorted(arrows[follower]))))
            elif follower in on_stack:
                low[room] = min(low[room], order[follower])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    root = parser.parse_args().root.resolve()
    total = 0
    for language, read, folder in HOUSES:
        arrows = read(root / folder) if (root / folder).is_dir() else {}
        if not arrows:
            print(f"{folder}: no {language} room was found")
            total += 1
        for ring in rings(arrows):
            total += 1
            inside = "; ".join(
                f"{room} -> {', '.join(sorted(arrows[room] & set(ring)))}" for room in ring if arrows[room] & set(ring)
            )
            print(f"{folder}: ring of {len(ring)} rooms ({language}): {inside}")
    if not total:
        print("rings: none")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
