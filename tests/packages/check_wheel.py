#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a wheel as it will be published: tag, the library with its tools and which, extension module, nothing from this machine.

usage: check_wheel.py --machine x86_64 (--glibc 2.17 | --musl 1.2) --library FILE WHEEL
"""
import argparse
import pathlib
import re
import sys
import tempfile
import zipfile

from check_library import not_of_musl, too_new
from elf import Elf

COMMAND = ["gpustream/bin/gpustream", "gpustream/gpustream/front/libcuda.so.1", "gpustream/gpustream/simulated/libcuda.so.1"]
LIBRARIES = ["gpustream/libgpustream.so.0", "gpustream/libgpustream_tools.so.0"]
C_LIBRARY = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}


def objects(wheel, arguments):
    with tempfile.TemporaryDirectory() as folder:
        for name in wheel.namelist():
            if not re.search(r"\.so(\.\d+)*$|/bin/.", name):
                continue
            elf = Elf(pathlib.Path(wheel.extract(name, folder)))
            if elf.machine != arguments.machine:
                yield f"{name} is for {elf.machine}"
            yield from (f"{name} {finding}" for finding in foreign(elf, arguments))


def foreign(elf, arguments):
    """What neither the C library nor the wheel's own library has."""
    if arguments.musl:
        # Versions of the library's own functions are written down, and musl does not read them.
        yield from (finding for finding in not_of_musl(elf) if "libgpustream.so.0" not in finding)
        return
    # It also needs versions of the library's own functions, and that library is in the wheel.
    yield from (finding for finding in too_new(elf, arguments.glibc) if not finding.endswith(" of libgpustream.so.0"))
    for needed in elf.needed():
        if needed not in C_LIBRARY and not needed.startswith("ld-linux") and needed != "libgpustream.so.0":
            yield f"needs {needed}"


def findings(arguments):
    parts = arguments.wheel.stem.split("-")
    minor, abi, platforms = parts[2], parts[3], parts[4].split(".")
    if not re.fullmatch(r"cp3\d+", minor) or not re.fullmatch(minor + "t?", abi):
        yield f"is tagged {minor}-{abi}"
    kind, c_library = ("musllinux", "musl") if arguments.musl else ("manylinux", "gnu")
    tag = f"{kind}_{(arguments.musl or arguments.glibc).replace('.', '_')}_{arguments.machine}"
    if tag not in platforms or any(not one.startswith(kind) for one in platforms):
        yield f"is tagged {'.'.join(platforms)}, not {tag}"
    with zipfile.ZipFile(arguments.wheel) as wheel:
        names = wheel.namelist()
        libraries = sorted(name for name in names if "libgpustream" in name)
        if libraries != LIBRARIES:
            yield f"contains {', '.join(libraries) or 'no library'}, not just {' and '.join(LIBRARIES)}"
        else:
            for name in LIBRARIES:
                released = arguments.library.with_name(name.rpartition("/")[2])
                if wheel.read(name) != released.read_bytes():
                    yield f"its {released.name} is not {released}"
        yield from (f"has no {name}" for name in COMMAND if name not in names)
        wanted = f"gpustream/_core.cpython-{abi[2:]}-{arguments.machine}-linux-{c_library}.so"
        if wanted not in names:
            yield f"has no {wanted}, but {', '.join(name for name in names if '/_core.' in name and name.endswith('.so'))}"
        yield from objects(wheel, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", required=True)
    system = parser.add_mutually_exclusive_group(required=True)
    system.add_argument("--glibc")
    system.add_argument("--musl")
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("wheel", type=pathlib.Path)
    arguments = parser.parse_args()
    found = list(findings(arguments))
    for finding in found:
        print(f"{arguments.wheel.name}: {finding}")
    if not found:
        print(f"{arguments.wheel.name}: as it must be, {arguments.wheel.stat().st_size} bytes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
