# SPDX-License-Identifier: Apache-2.0
"""Part of rooms.py: TypeScript, JavaScript and Zig, whose files import each other by relative paths."""
import pathlib
import re

from rooms import files_below, joined, without_comments

# Public types whose signatures name each other are one room, as rooms.JAVA_CONCEPTS has them: a stream records events and an
# event is recorded in streams; a stream's capture ends in a graph, which is launched in streams and runs kernels.
SCRIPT_CONCEPTS = {"stream": {"stream", "event"}}
ZIG_CONCEPTS = {"stream": {"stream", "graph", "module"}}

# `import type` and `export type` are gone before a program runs.
SCRIPT_IMPORT = re.compile(
    r'^\s*(?:import|export)\s+(?!type\b)[^;\'"]*?\bfrom\s*[\'"](\.[^\'"]+)[\'"]|^\s*import\s*[\'"](\.[^\'"]+)[\'"]|'
    r'\b(?:import|require)\(\s*[\'"](\.[^\'"]+)[\'"]', re.M)  # fmt: skip
ZIG_IMPORT = re.compile(r'@import\("([^"]+\.zig)"\)')


def _rooms(folder, endings, pattern, concepts):
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in files_below(folder, *endings)}
    arrows = {}
    for room, path in files.items():
        targets = set()
        for found in pattern.finditer(without_comments(path.read_text(encoding="utf-8"))):
            name = next(part for part in found.groups() if part)
            target = (path.parent / name).resolve()
            if target.is_relative_to(folder.resolve()):
                targets.add(target.relative_to(folder.resolve()).as_posix().removesuffix(".zig").removesuffix(".js").removesuffix(".mjs"))
        arrows["", room] = {("", target) for target in targets if target in files and target != room}
    return joined(arrows, lambda _, room: next((concept for concept, names in concepts.items() if room in names), room))


def script_rooms(folder):
    return _rooms(folder, (".ts", ".mjs", ".js"), SCRIPT_IMPORT, SCRIPT_CONCEPTS)


def zig_rooms(folder):
    return _rooms(folder, (".zig",), ZIG_IMPORT, ZIG_CONCEPTS)
