# SPDX-License-Identifier: Apache-2.0
"""What the checks of packages read from 64-bit little-endian ELF files: sections, notes, needed libraries, versions."""
import struct
from typing import NamedTuple

MACHINES = {62: "x86_64", 183: "aarch64"}
NOTE, DYNAMIC, VERSION_NEEDS = 7, 6, 0x6FFFFFFE


class Section(NamedTuple):
    name: str
    kind: int
    data: bytes
    link: int


class Note(NamedTuple):
    owner: str
    kind: int
    description: bytes


def text_at(data, at):
    return data[at:data.index(b"\0", at)].decode()


class Elf:
    def __init__(self, path):
        data = path.read_bytes()
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no 64-bit little-endian ELF file")
        machine, = struct.unpack_from("<H", data, 18)
        self.machine = MACHINES.get(machine, str(machine))
        table, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
        strings = data[headers[names][4]:][:headers[names][5]]
        self.sections = [Section(text_at(strings, name), kind, b"" if kind == 8 else data[offset:offset + length], link)
                         for name, kind, _, _, offset, length, link, *_ in headers]

    def named(self, name):
        return next((section for section in self.sections if section.name == name), None)

    def notes(self):
        for section in self.sections:
            at = 0
            while section.kind == NOTE and at + 12 <= len(section.data):
                owner, description, kind = struct.unpack_from("<III", section.data, at)
                begin = at + 12 + (owner + 3 & ~3)
                yield Note(section.data[at + 12:][:owner].rstrip(b"\0").decode(), kind, section.data[begin:begin + description])
                at = begin + (description + 3 & ~3)

    def needed(self):
        for section in self.sections:
            if section.kind == DYNAMIC:
                strings = self.sections[section.link].data
                for tag, value in struct.iter_unpack("<QQ", section.data):
                    if tag == 1:
                        yield text_at(strings, value)

    def dynamic_tags(self):
        return {tag for section in self.sections if section.kind == DYNAMIC for tag, _ in struct.iter_unpack("<QQ", section.data)}

    def needed_versions(self):
        """(library, version) of every symbol version that must be there."""
        for section in self.sections:
            if section.kind != VERSION_NEEDS:
                continue
            strings, at = self.sections[section.link].data, 0
            while True:
                _, count, file, first, following = struct.unpack_from("<HHIII", section.data, at)
                entry = at + first
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<IHHII", section.data, entry)
                    yield text_at(strings, file), text_at(strings, name)
                    entry += step
                if following == 0:
                    break
                at += following
