#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds src/front/driver_names.inc to the driver's headers and, if there is one, to a real driver.

   check_names.py LIST SOURCE...            fails if a name of a source is missing in the list
   check_names.py LIST SOURCE... --write    adds what is missing

A source is a folder with cuda.h, or a driver's library, whose symbols readelf reads.
"""
import pathlib
import re
import subprocess
import sys

DECLARED = re.compile(r"CUresult CUDAAPI\s+(cu[A-Z]\w*)|^ *#define +cu[A-Z]\w* +(?:__CUDA_API_PT[SD][SZ]\()?(cu[A-Z]\w*)", re.M)
TWINS = re.compile(r"__CUDA_API_(PT[SD][SZ])\((cu[A-Z]\w*)\)")
TYPES = re.compile(r"PFN_(cu[A-Z]\w*?)_v\d+_(pt[sd][sz])")


def names_of_headers(folder):
    names = set()
    for header in ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h"):
        path = folder / header
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        names |= {one or other for one, other in DECLARED.findall(text)}
        names |= {f"{name}_{twin.lower()}" for twin, name in TWINS.findall(text)}
    # The form before a _v2 has a twin as well; the list of types names no suffix, so only plain names are taken.
    names |= {f"{name}_{twin}" for name, twin in TYPES.findall((folder / "cudaTypedefs.h").read_text(encoding="utf-8"))}
    return names


def names_of_library(path):
    text = subprocess.run(["readelf", "--dyn-syms", "-W", str(path)], check=True, capture_output=True, text=True).stdout
    return {name for kind, where, name in re.findall(r"(FUNC|IFUNC) +\w+ +\w+ +(\w+) +(cu[A-Z]\w*)", text) if where != "UND"}


def main():
    target, *sources = (argument for argument in sys.argv[1:] if argument != "--write")
    target = pathlib.Path(target)
    listed = set(re.findall(r"F\((\w+)\)", target.read_text(encoding="utf-8"))) if target.exists() else set()
    wanted = set()
    for source in map(pathlib.Path, sources):
        found = names_of_headers(source) if source.is_dir() else names_of_library(source)
        if len(found) < 100:
            sys.exit(f"{source}: only {len(found)} names of driver functions were found")
        wanted |= found
    missing = sorted(wanted - listed)
    if "--write" not in sys.argv[1:]:
        for name in missing:
            print(f"{target}: {name} is missing")
        sys.exit(1 if missing else 0)
    lines, line = [], ""
    for name in sorted(listed | wanted):
        if len(line) + len(name) > 115:
            lines.append(line.rstrip())
            line = ""
        line += f"F({name}) "
    header = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Every function that a CUDA driver exports, sorted; tests/front/check_names.py --write adds those of newer headers. */\n"
    target.write_text(header + "\n".join([*lines, line.rstrip()]) + "\n", encoding="utf-8")


main()
