#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the rules of the source tree: who may include whom, what may appear where, how long a file may be.

   check_layers.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import os
import pathlib
import re
import sys

import generator_path  # noqa: F401
from generator.output import is_marked

# What each layer may include, besides itself and the public header.
LAYERS = {
    "base": set(),
    "handle": {"base"},
    "inventory": {"base"},
    "backend": {"base", "handle", "inventory"},
    "core": {"base", "handle", "inventory", "backend"},
    "api": {"base", "handle", "inventory", "backend", "core"},
}
# (pattern, where it is allowed, what it is); patterns see the source without comments.
PLACES = [
    (r"\bCU[a-z]\w*|\bCU_[A-Z]\w*|\bcu[A-Z]\w*\s*\(", r"src/backend/cuda/", "the CUDA driver's names"),
    (r"#\s*include\s*<cuda\w*\.h>", r"src/backend/cuda/", "the CUDA headers"),
    (r'\bextern\s+"C"', r"src/api/", 'extern "C"'),
    (r"\bthread_local\b|\b__thread\b", r"src/base/thread_block\.[ch]pp$", "a thread-local variable"),
    (r"<dlfcn\.h>|\bdl(?:open|sym|vsym|close|mopen|error|info|addr)\s*\(", r"src/base/dynlib\.cpp$", "the dynamic loader"),
    (r"\b(?:secure_)?getenv\s*\(", r"src/base/env\.cpp$", "getenv"),
    (r"\bCLOCK_REALTIME\w*|\bpthread_cond_timedwait\b|\bgettimeofday\b|\bsystem_clock\b", r"$^", "the time of day"),
    (r"\b(?:setenv|putenv|unsetenv|clearenv)\s*\(", r"$^", "a change of the environment"),
    (r"#\s*include\s*<(?:iostream|ostream|istream|fstream|sstream|thread)>", r"$^", "a standard header with run-time cost"),
    (r"\batexit\s*\(|\bon_exit\s*\(|__attribute__\s*\(\(\s*(?:con|de)structor", r"$^", "code that runs at load or exit"),
]
CODE = {".c", ".cc", ".cpp", ".h", ".hpp", ".py", ".sh", ".cmake", ".java", ".rs", ".i", ".js", ".mjs"}
GENERATED = re.compile(r"(^|/)(\.git|\.venv|\.deps|build[^/]*|node_modules|target|__pycache__|\.[a-z]+_cache|out)(/|$)")
LONGEST = 300
MAY_BE_LONGER = {"include/gpustream.h"}
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")


def files_below(root):
    for folder, folders, names in os.walk(root):
        inside = pathlib.Path(folder).relative_to(root)
        folders[:] = [name for name in folders if not GENERATED.search((inside / name).as_posix())]
        for name in sorted(names):
            yield inside / name


def is_code(root, path):
    if path.suffix in CODE or path.name == "CMakeLists.txt":
        return True
    if path.suffix:
        return False
    with open(root / path, "rb") as file:
        return file.read(2) == b"#!"


def without_comments(text):
    """Same lines, comments and the contents of string literals blanked; quoted includes and extern "C" stay."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        found, before = match.group(), text[: match.start()].rpartition("\n")[2].strip()
        if found[0] == '"' and (re.fullmatch(r"#\s*include", before) or before.endswith("extern")):
            return found
        if found[0] in "\"'":
            return found[0] * 2
        return "\n" * found.count("\n") or " "

    return token.sub(blank, text)


def check_includes(path, line):
    include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
    if not include or include.group(1) == "gpustream.h":
        return
    target, layer = include.group(1), path.parts[1]
    other = target.split("/")[0]
    if "/" not in target or other not in LAYERS:
        yield f'"{target}" does not name a layer\'s folder'
    elif other != layer and other not in LAYERS[layer]:
        yield f'layer {layer} includes "{target}"'
    kinds = re.findall(r"^(?:src/)?backend/(host|cuda)/", f"{target}")
    mine = re.findall(r"^src/backend/(host|cuda)/", path.as_posix())
    if kinds and kinds != mine and path.as_posix() != "src/backend/registry.cpp":
        yield f'includes "{target}", which only the {kinds[0]} backend and the registry may'


def check_source(root, path):
    if len(path.parts) < 3 or path.parts[1] not in LAYERS:
        yield 1, f"src/ has only the layers {', '.join(LAYERS)}"
        return
    text = without_comments((root / path).read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        for finding in check_includes(path, line):
            yield number, finding
        for pattern, allowed, what in PLACES:
            if re.search(pattern, line) and not re.search(allowed, path.as_posix()):
                yield number, f"{what} must not appear here: {line.strip()}"


def check_file(root, path):
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    # scripts/generate --check finds files that carry the mark by mistake.
    if len(lines) > LONGEST and path.as_posix() not in MAY_BE_LONGER and not is_marked("\n".join(lines[:4])):
        yield LONGEST + 1, f"the file has {len(lines)} lines, {LONGEST} are allowed"
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        yield 1, "the SPDX line is missing from the first three lines"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, f"unfinished: {line.strip()}"


def findings(root):
    for path in files_below(root):
        if is_code(root, path):
            yield from ((path, *finding) for finding in check_file(root, path))
        if path.parts[0] == "src" and path.suffix in {".cpp", ".hpp", ".inc", ".c", ".h"}:
            yield from ((path, *finding) for finding in check_source(root, path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root.resolve()))
    for path, line, text in found:
        print(f"{path.as_posix()}:{line}: {text}")
    if not found:
        print("layers: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
