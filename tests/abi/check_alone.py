#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each source file compiles alone, also where a build compiles several files as one.

   check_alone.py --root TREE [--under FOLDER] [--cxx COMPILER] [--generated FOLDER] [--cuda FOLDER]
FOLDER of --under is relative to the tree; default src. --generated names the build's folder. --cuda names the folder of cuda.h; without
it, files that need it are left out.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def findings(root, under, cxx, generated, cuda):
    command = [cxx, "-std=c++20", "-fsyntax-only", "-w", f"-I{root / 'src'}", f"-I{root / 'include'}"]
    command += [f"-I{generated}"] if generated else []
    command += ["-DGPUSTREAM_WITH_CUDA=1", "-isystem", cuda] if cuda else []

    def errors(path):
        done = subprocess.run([*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0 or (not cuda and "cuda.h: No such file" in done.stderr):
            return []
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        return [f"{path.relative_to(root)} does not compile alone: {lines[0]}"]

    files = sorted((root / under).rglob("*.cpp"))
    if not files:
        return [f"{under} has no source file"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        return [found for some in threads.map(errors, files) for found in some]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--under", default="src")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--generated")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    found = findings(options.root.resolve(), options.under, options.cxx, options.generated, options.cuda)
    print("\n".join(found) if found else "alone: each file compiles")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
