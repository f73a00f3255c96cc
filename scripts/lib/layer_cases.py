#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every parity case through a layer (tests/parity/README.md), each in a process of its own, on the host backend.

    layer_cases.py LAYER ROOT JUNIT [--without-forks]

ROOT has the release build. --without-forks leaves out cases with a forked child, in which the layer's language cannot run.
Exit status 1 when a case fails, or none ran.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LONGEST_CASE = 120  # seconds


def run_case(command, environment):
    """The text of a failure, or None."""
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LONGEST_CASE, check=False)
    except subprocess.TimeoutExpired as error:
        return f"still running after {LONGEST_CASE} s\n{error.stdout or ''}"
    return done.stdout or f"exit status {done.returncode}" if done.returncode else None


def main(layer, root, junit, forks=True):
    build, cases = Path(root) / "build/release", Path(root) / "tests/parity/cases.json"
    program = [build / "tests/parity/gpustream_parity_cases", build / "libgpustream.so.0",
               build / "tests/parity/libgpustream_parity_native.so", cases]
    environment = {**os.environ, "GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2"}
    suite = ElementTree.Element("testsuite", name="parity cases")
    failed, all_cases = 0, json.loads(cases.read_text(encoding="utf-8"))["cases"]
    names = [case["name"] for case in all_cases if forks or not any("fork" in step for step in case["steps"])]
    for name in names:
        entry = ElementTree.SubElement(suite, "testcase", classname=Path(layer).parent.name, name=f"parity case {name}")
        failure = run_case([*program, name, layer], environment)
        if failure is not None:
            failed += 1
            print(f"{name}: {failure}")
            ElementTree.SubElement(entry, "failure", message=failure[-2000:])
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    print(f"{len(names)} cases, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 and sys.argv[4:] != ["--without-forks"]:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:4], forks=len(sys.argv) == 4))
