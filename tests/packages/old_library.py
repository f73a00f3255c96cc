#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a library as the released version before this one had it: without the functions that came since, and without the
version nodes in which they stand.

usage: old_library.py --root ROOT [--without FUNCTION] LIBRARY OLD

What the old version had stands in packaging/releases/VERSION.abi.json of the newest release; before the first one, the
library of the oldest version node in src/gpustream.map stands for it. Only the dynamic symbols change: what is left is
this library's code, so a test with it shows what programs meet that ask for more than is there, not old behaviour.
"""
import argparse
import json
import pathlib
import re
import struct

SYMBOLS, VERSION_DEFINITIONS = 11, 0x6FFFFFFD
NODE = re.compile(r"^(GPUSTREAM_[0-9.]+) \{(.*?)\}", re.MULTILINE | re.DOTALL)


def nodes(root):
    """{node: functions} in the map's order."""
    text = re.sub(r"/\*.*?\*/", "", (root / "src/gpustream.map").read_text(encoding="utf-8"), flags=re.DOTALL)
    return {name: set(re.findall(r"\b(gs_\w+);", body)) for name, body in NODE.findall(text)}


def numbers(path):
    return tuple(map(int, path.name.removesuffix(".abi.json").split(".")))


def old_functions(root):
    recorded = sorted((root / "packaging/releases").glob("*.abi.json"), key=numbers)
    if recorded:
        return set(json.loads(recorded[-1].read_text(encoding="utf-8"))["functions"])
    return next(iter(nodes(root).values()))


def hashed(name):
    """System V's, by which the loader compares the names of versions."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def text_at(data, at):
    return bytes(data[at:data.index(b"\0", at)]).decode()


class Sections:
    def __init__(self, data):
        table, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]

    def of_kind(self, kind):
        """(offset, size, offset of its strings)"""
        _, _, _, _, offset, size, link, *_ = next(header for header in self.headers if header[1] == kind)
        return offset, size, self.headers[link][4]


def hide_functions(data, sections, kept):
    """Functions that are not in kept get other names; loaders look for names by their hash, so they do not find these either."""
    offset, size, strings = sections.of_kind(SYMBOLS)
    hidden = []
    for at in range(offset, offset + size, 24):
        name, _, _, section = struct.unpack_from("<IBBH", data, at)
        text = text_at(data, strings + name)
        if text.startswith("gs_") and section != 0 and text not in kept:
            hidden.append(text)
            data[strings + name:strings + name + 3] = b"gx_"
    return hidden


def rename_nodes(data, sections, gone):
    """A node that the old version lacks gets another name, one that no program asks for."""
    offset, size, strings = sections.of_kind(VERSION_DEFINITIONS)
    at = offset
    while True:
        _, _, _, count, _, first, following = struct.unpack_from("<HHHHIII", data, at)
        name, _ = struct.unpack_from("<II", data, at + first)
        text = text_at(data, strings + name)
        if text in gone:
            other = text.replace("GPUSTREAM_", "GPUSTREAX_")
            data[strings + name:strings + name + len(text)] = other.encode()
            struct.pack_into("<I", data, at + 8, hashed(other))
        if following == 0:
            return
        at += following


def write_old(root, library, old, without=()):
    kept = old_functions(root) - set(without)
    data = bytearray(library.read_bytes())
    sections = Sections(data)
    hidden = hide_functions(data, sections, kept)
    rename_nodes(data, sections, {node for node, functions in nodes(root).items() if functions and not functions & kept})
    old.write_bytes(data)
    old.chmod(0o755)
    return kept, sorted(hidden)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--without", action="append", default=[], metavar="FUNCTION", help="one more that the old version lacks")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("old", type=pathlib.Path)
    arguments = parser.parse_args()
    kept, hidden = write_old(arguments.root, arguments.library, arguments.old, arguments.without)
    print(f"{arguments.old}: {len(kept)} functions, without {len(hidden)} that came later")


if __name__ == "__main__":
    main()
