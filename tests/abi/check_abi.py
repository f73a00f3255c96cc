#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the binary interface that the header describes with the stored baseline, by abidiff (package abigail-tools).

   check_abi.py --root TREE [--cc CC] [--update]     exits 77 where abidiff is missing; --update writes the baseline again

The interface is a matter of the header alone, so a library of empty functions with the header's prototypes is compared:
that takes a second, needs no debug information in the real library and does not depend on how that is optimised. That
the real library has these functions is check_symbols.py's job; that their types agree, the compiler's.
Functions may be added; nothing may be removed or changed.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import generator_path  # noqa: F401
from generator.declarations import prototype
from generator.tree import read_header

BASELINE = "tests/abi/baseline/gpustream-0.abi"
SKIPPED = 77
CHANGED, INCOMPATIBLE = 4, 8


def build_surface(root, folder, cc):
    bodies = [f"GS_API {prototype(function)} {{ return 0; }}\n" for function in read_header(root).api.functions]
    (folder / "surface.c").write_text('#include "gpustream.h"\n' + "".join(bodies), encoding="utf-8")
    library = folder / "libgpustream.so.0"
    mapping = f"-ffile-prefix-map={folder}=."
    command = [*cc.split(), "-std=c11", mapping, "-g", "-gdwarf-4", "-O0", "-shared", "-fPIC", "-I", str(root / "include")]
    command += [str(folder / "surface.c"), f"-Wl,--version-script={root / 'src/gpustream.map'}"]
    command += ["-Wl,-soname,libgpustream.so.0", "-nostdlib", "-o", str(library)]
    subprocess.run(command, check=True)
    return library


def dump(library, target):
    options = ["--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--type-id-style", "hash"]
    subprocess.run(["abidw", *options, "--out-file", str(target), str(library)], check=True)


def growing_structs(root, folder):
    """The file that tells abidiff what later versions may do: add members at the end of structs that state their size."""
    sized = [one.name.removesuffix("_t") for one in read_header(root).api.structs if one.sized]
    rows = [f"[suppress_type]\ntype_kind = struct\nname = {name}\nhas_data_member_inserted_at = end\nhas_size_change = yes\n" for name in sized]
    path = folder / "growing_structs.ini"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def compare(root, library, folder):
    command = ["abidiff", "--no-added-syms", "--no-show-locs", "--suppressions", str(growing_structs(root, folder))]
    done = subprocess.run([*command, str(root / BASELINE), str(library)], capture_output=True, text=True)
    if done.returncode & ~(CHANGED | INCOMPATIBLE):
        raise RuntimeError(f"abidiff failed: {done.stdout}{done.stderr}")
    return done.stdout if done.returncode else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        print("SKIPPED: no abidiff here (package abigail-tools), so the interface is not compared with the baseline")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="gs-abi-") as folder:
        library = build_surface(arguments.root, pathlib.Path(folder), arguments.cc)
        if arguments.update:
            target = arguments.root / BASELINE
            dump(library, target)
            print(f"wrote {BASELINE}: {len(re.findall('<function-decl ', target.read_text(encoding='utf-8')))} functions")
            return 0
        report = compare(arguments.root, library, pathlib.Path(folder))
    print(report.strip() or "the binary interface contains the baseline unchanged")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
