#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a program that is linked with the library ends without it, and what it says beside one of another ABI.

    linked_library.py PROGRAM ROOT JUNIT WRONG_ABI

PROGRAM prints WRONG_ABI and what is wrong in its first line, and ends well, if every first call was refused for that. It has no run path.
Exit status 1 when a case fails.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

NAME = "libgpustream.so.0"
ABI = 99


def run(program, folder, **variables):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "GPUSTREAM_BACKEND": "host", **variables}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"found: {found!r}\nwanted: {wanted!r}")


def missing(program, _root, _wrong_abi, folder):
    """The loader's message; LD_DEBUG has it list the places."""
    code, text = run(program, folder)
    equal((code, f"{NAME}: cannot open shared object file" in text), (127, True))
    code, text = run(program, folder, LD_DEBUG="libs")
    equal((code, f"trying file={folder / NAME}" in text), (127, True))


def another_abi(program, root, wrong_abi, folder):
    """A library with all functions, of which none but one may be called."""
    script = root / "src" / "gpustream.map"
    functions = sorted(set(re.findall(r"^ +(gs_\w+);", script.read_text(), re.M)) - {"gs_abi_version"})
    source, library = folder / "other.c", folder / NAME
    source.write_text(f"#include <stdlib.h>\nunsigned gs_abi_version(void) {{ return {ABI}; }}\n"
                      + "".join(f"void {name}(void) {{ abort(); }}\n" for name in functions))
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-Wl,-soname,{NAME}", f"-Wl,--version-script={script}",
                    "-o", library, source], check=True, timeout=120)
    code, text = run(program, folder)
    equal((code, text.partition("\n")[0]), (0, f"{wrong_abi}: {library}: its ABI version is {ABI}, wanted is 1"))


def main(program, root, junit, wrong_abi):
    suite = ElementTree.Element("testsuite", name="linked library")
    failed = False
    for case in (missing, another_abi):
        node = ElementTree.SubElement(suite, "testcase", classname="linked_library", name=case.__name__)
        with tempfile.TemporaryDirectory(prefix="gpustream-") as folder:
            try:
                case(Path(program).resolve(), Path(root), wrong_abi, Path(folder).resolve())
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed = True
                ElementTree.SubElement(node, "failure", message=f"{type(error).__name__}: {error}")
                print(f"{case.__name__}: {error}", file=sys.stderr)
            else:
                print(f"{case.__name__}: ok")
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
