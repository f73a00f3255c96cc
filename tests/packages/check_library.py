#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a released library: processor, oldest C library, size, stripped, notes, debug file.

usage: check_library.py (--glibc 2.17 | --musl) --machine x86_64 --largest BYTES [--tools] LIBRARY

How it is linked (SONAME, what it needs) is the job of tests/consumer/check_link.sh, the exported names that of
tests/abi/check_symbols.py.
"""
import argparse
import json
import pathlib
import re
import sys
import zlib

from elf import Elf

DLOPEN_NOTE = 0x407C0C0A
RELATIVE_TABLE = 36  # DT_RELR
OPENED = {"libcuda.so.1", "libnvidia-ml.so.1"}


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def too_new(elf, glibc):
    for library, version in sorted(set(elf.needed_versions())):
        found = re.fullmatch(r"GLIBC_([0-9.]+)", version)
        if not found:
            yield f"needs {version} of {library}"
        elif numbers(found[1]) > numbers(glibc):
            yield f"needs {version} of {library}, which glibc {glibc} does not have"


def not_of_musl(elf):
    """It has no versions of symbols; its loader takes every libc.so for itself, and would look for other files."""
    for library, version in sorted(set(elf.needed_versions())):
        yield f"needs {version} of {library}, and musl has no versions"
    for library in elf.needed():
        if library != "libc.so":
            yield f"needs {library}, which is not musl"
    if RELATIVE_TABLE in elf.dynamic_tags():
        yield "has packed relocations (DT_RELR), which musl before 1.2.4 does not apply"


def opened(elf):
    """What the notes say that it opens; ValueError for what no reader would understand."""
    for note in elf.notes():
        if note.owner == "FDO" and note.kind == DLOPEN_NOTE:
            for entry in json.loads(note.description.rstrip(b"\0")):
                if entry.get("priority") != "recommended":
                    raise ValueError(f"the note of {entry['soname']} has priority {entry.get('priority')}, not recommended")
                yield from entry["soname"]


def notes(elf, wanted):
    if not any(note.owner == "GNU" and note.kind == 3 and len(note.description) == 20 for note in elf.notes()):
        yield "has no build id"
    try:
        found = set(opened(elf))
    except (ValueError, KeyError) as error:
        yield f"its .note.dlopen cannot be read: {error}"
        return
    if found != wanted:
        yield f".note.dlopen names {', '.join(sorted(found)) or 'nothing'}, not {', '.join(sorted(wanted)) or 'nothing'}"


def debug_file(elf, library):
    link = elf.named(".gnu_debuglink")
    if elf.named(".symtab") or elf.named(".debug_info"):
        yield "is not stripped"
    if not link:
        yield "names no debug file"
        return
    name = link.data[:link.data.index(b"\0")].decode()
    path = library.parent / name
    if not path.is_file():
        yield f"its debug file {name} is missing"
        return
    if zlib.crc32(path.read_bytes()) != int.from_bytes(link.data[-4:], "little"):
        yield f"its debug file {name} is of another build"
    debug = Elf(path)
    if not debug.named(".debug_info"):
        yield f"its debug file {name} has no debug information"
    elif re.search(rb"/(home|root|work|tmp|build)/", debug.named(".debug_line_str").data if debug.named(".debug_line_str") else b""):
        yield f"its debug file {name} contains paths of the machine that built it"


def findings(arguments):
    library = arguments.library
    elf = Elf(library)
    if elf.machine != arguments.machine:
        yield f"is for {elf.machine}, not {arguments.machine}"
    if library.stat().st_size > arguments.largest:
        yield f"has {library.stat().st_size} bytes, more than {arguments.largest}"
    yield from not_of_musl(elf) if arguments.musl else too_new(elf, arguments.glibc)
    yield from notes(elf, set() if arguments.tools else OPENED)
    yield from debug_file(elf, library)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--glibc")
    kind.add_argument("--musl", action="store_true")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--largest", required=True, type=int)
    parser.add_argument("--tools", action="store_true", help="the library is that of the tools, which opens no driver")
    parser.add_argument("library", type=pathlib.Path)
    arguments = parser.parse_args()
    found = list(findings(arguments))
    for finding in found:
        print(f"{arguments.library}: {finding}")
    if not found:
        elf = Elf(arguments.library)
        newest = max((numbers(version[6:]) for _, version in elf.needed_versions()), default=())
        system = "musl" if arguments.musl else f"glibc >= {'.'.join(map(str, newest))}"
        print(f"{arguments.library}: {elf.machine}, {system}, {arguments.library.stat().st_size} bytes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
