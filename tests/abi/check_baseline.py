#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the numbers that the header fixes with the stored baseline of the last release: constants, types, structs with
their offsets, prototypes. abidiff (check_abi.py) sees neither enumerators nor macros.

   check_baseline.py --root TREE [--update]       --update writes the baseline again

Everything may be added, nothing removed or changed. A struct that begins with struct_size may grow at its end.
"""
import argparse
import json
import pathlib
import sys

import generator_path  # noqa: F401
from generator.declarations import prototype
from generator.tree import read_header

BASELINE = "tests/abi/baseline/gpustream-0.json"


def pinned(api):
    """{what: {name: value}} of everything that must stay."""
    entries = {
        "constants": {one.name: one.value for one in api.constants if not one.name.startswith("GS_VERSION_")},
        "types": {one.name: one.kind for one in [*api.handles, *api.scalars]},
        "macros": {one.name: one.text for one in api.macros},
        "functions": {one.name: f"{prototype(one)} since {one.since}" for one in api.functions},
        "sizes": {one.name: one.size for one in api.structs if not one.sized},
    }
    for struct in api.structs:
        fields = {one.name: f"{one.type} at {one.offset}, {one.size} bytes" for one in struct.fields}
        entries[struct.name] = fields
    return entries


def findings(stored, current):
    for what, entries in stored.items():
        for name, value in entries.items():
            found = current.get(what, {}).get(name)
            if found is None:
                yield f"{what}: {name} is gone"
            elif found != value:
                yield f"{what}: {name} was '{value}' and is now '{found}'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    path, current = arguments.root / BASELINE, pinned(read_header(arguments.root).api)
    if arguments.update:
        path.write_text(json.dumps(current, indent=1) + "\n", encoding="utf-8")
        print(f"{BASELINE}: written")
        return 0
    found = list(findings(json.loads(path.read_text(encoding="utf-8")), current))
    print("\n".join(found) if found else "baseline: everything is as it was")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
