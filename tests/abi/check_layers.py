#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the rules of the source tree: who may include whom, what may appear where, how long a file may be.

   check_layers.py --root TREE      prints one line per finding, exits 1 if there is any
   check_layers.py --table          prints the table of layers as CONTRIBUTING.md has it
"""
import argparse
import os
import pathlib
import re
import sys

import backend_names
import generator_path  # noqa: F401
from backend_names import BACKENDS_TABLE, backend_of
from generator.output import is_marked

# The folders of src from the lowest to the highest: what each may include besides itself and the public header, and what
# only it knows. The table in CONTRIBUTING.md is this one (--table prints it).
ROWS = [
    ("base", [], "`dlopen`, the environment, thread blocks, error records, fork state"),
    ("handle", ["base"], "bits, generations, slots, marks and grace periods"),
    ("inventory", ["base"], "the vendors' libraries (NVML), CUDA_VISIBLE_DEVICES"),
    ("backend", ["base", "handle", "inventory"], "`host`: threads as devices; `cuda`: the CUDA driver. Neither includes the other"),
    ("core", ["base", "handle", "inventory", "backend"], "slots behind handles, pools, current streams, elision"),
    ("api", ["base", "handle", "inventory", "backend", "core"], '`extern "C"`'),
    ("tools", ["base", "handle", "inventory", "backend", "core"], "the checker, the recorder, traces, leaks: a library of its own"),
    ("simulated", ["base", "backend"], "the driver's functions on the host engine: the `libcuda.so.1` of `gpustream run --simulate`"),
    ("front", ["base", "handle", "core", "tools"], "the driver's calls of any program: the `libcuda.so.1` of `gpustream run`"),
]
LAYERS = {name: set(includes) for name, includes, _ in ROWS}
# Folders of src/core that the rest of the core does not know, those of src/tools, and which of their layer's they may include.
FEATURES = {
    "core": {"bridge": set(), "completion": set(), "graph": {"completion", "random"}, "random": {"timeline"},
             "seam": {"graph", "timeline"}, "timeline": {"completion"}, "token": set()},
    "tools": {"check": {"recorder", "trace"}, "leaks": set(), "library": {"check", "leaks", "recorder"},
              "recorder": set(), "trace": {"leaks", "recorder"}},
}
TABLE_FILE = "CONTRIBUTING.md"
# (pattern, where it is allowed, what it is); patterns see the source without comments.
PLACES = [
    (r"\bCU[a-z]\w*|\bCU_[A-Z]\w*|\bcu[A-Z]\w*\s*\(", r"src/(?:backend/cuda|front|simulated)/", "the CUDA driver's names"),
    (r"#\s*include\s*<cuda\w*\.h>", r"src/(?:backend/cuda|front|simulated)/", "the CUDA headers"),
    (r"\b(?:k?N|n)vml\w*", r"src/inventory/(?:nvml/|vendors\.cpp$)|src/inventory/entries\.cpp$", "a vendor's library"),
    (r'\bextern\s+"C"', r"^src/(?:api/|tools/library/tool_table\.cpp$|front/front\.cpp$|simulated/functions\.hpp$)", 'extern "C"'),
    (r"\bthread_local\b|\b__thread\b", r"src/(?:base/thread_block\.[ch]pp|simulated/contexts\.cpp)$", "a thread-local variable"),
    (r"<dlfcn\.h>|\bdl(?:open|sym|vsym|close|mopen|error|info|addr)\s*\(", r"src/base/dynlib\.cpp$", "the dynamic loader"),
    (r"\b(?:secure_)?getenv\s*\(", r"src/base/env\.cpp$", "getenv"),
    (r"\bCLOCK_REALTIME\w*|\bpthread_cond_timedwait\b|\bgettimeofday\b|\bsystem_clock\b", r"$^", "the time of day"),
    (r"\b(?:setenv|putenv|unsetenv|clearenv)\s*\(", r"$^", "a change of the environment"),
    (r"#\s*include\s*<(?:iostream|ostream|istream|fstream|sstream|thread)>", r"^src/simulated/api_graphs\.cpp$", "a standard header with run-time cost"),
    (r"\batexit\s*\(|\bon_exit\s*\(|__attribute__\s*\(\(\s*(?:con|de)structor",
     r"^src/(?:tools/leaks/leaks|front/(?:front|watch)|simulated/simulated_settings)\.cpp$", "code that runs at load or exit"),  # there on request, and it calls no driver
]
CODE = {".c", ".cc", ".cpp", ".h", ".hpp", ".inc", ".py", ".pyi", ".sh", ".cmake", ".java", ".rs", ".i", ".js", ".mjs", ".ts", ".go", ".zig", ".f90"}
GENERATED = re.compile(r"(^|/)(\.git|\.venv|\.deps|build[^/]*|node_modules|target|__pycache__|\.[a-z]+_cache|out)(/|$)")
LONGEST = 300
LONGEST_CHAPTER = 1320  # of the public header: its comments are the manual
UNFINISHED_WORDS = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
UNFINISHED = re.compile(r"\b(" + "|".join(UNFINISHED_WORDS) + r")\b")


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


def without_comments(text, keep_texts=False):
    """Same lines, comments and the contents of string literals blanked; quoted includes and extern "C" stay."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        found, before = match.group(), text[: match.start()].rpartition("\n")[2].strip()
        if found[0] == '"' and (re.fullmatch(r"#\s*include", before) or before.endswith("extern")):
            return found
        if found[0] in "\"'":
            return found if keep_texts else found[0] * 2
        return "\n" * found.count("\n") or " "

    return token.sub(blank, text)


def feature_of(path):
    """The folder of a feature, unknown to the rest of its layer; None for other paths."""
    found = re.match(r"src/(\w+)/(\w+)/", path)
    return found.group(2) if found and found.group(2) in FEATURES.get(found.group(1), ()) else None


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
    feature, own = feature_of(f"src/{target}"), feature_of(path.as_posix())
    if feature and layer == other and feature != own and feature not in FEATURES[layer].get(own, ()):
        yield f'includes "{target}", which {f"{layer}/{own}" if own else f"the centre of {layer}"} does not know'
    # The simulated driver is made of the host backend's engine, which knows no backend. The types of the driver's functions are one
    # header's, which includes nothing else of the library.
    common = ("backend/host/engine/", "backend/cuda/driver/driver_types.hpp")
    owner = None if layer == "simulated" and target.startswith(common) else backend_of(f"src/{target}")
    if owner and owner != backend_of(path.as_posix()) and path.as_posix() != BACKENDS_TABLE:
        yield f'includes "{target}", which only the {owner} backend and the table of backends may'


def check_sections(root, paths):
    """A section of the header has a file in src/api, or several, whose names begin with the section's first word."""
    sections = {}
    for chapter in [root / "include/gpustream_tools.h", *sorted((root / "include/gpustream").glob("*.h"))]:
        section = None
        for found in re.finditer(
            r"^/\* ---- ([\w, ]+?) -+ \*/$|^GS_API\b[^;]*?\b(gs_\w+)\(", chapter.read_text(encoding="utf-8"), re.M
        ):
            section = found.group(1) or section
            if found.group(2):
                sections[found.group(2)] = section
    for path in paths:
        if path.parts[1] != "api" or path.suffix != ".cpp":
            continue
        text = (root / path).read_text(encoding="utf-8")
        for found in re.finditer(r"^[\w ]+[ *](gs_\w+)\(", text, re.M):
            section = sections.get(found.group(1), "no section")
            if re.split(r"\W", section)[0] != path.stem.split("_")[0]:
                number = text.count("\n", 0, found.start()) + 1
                yield path, number, f"{found.group(1)} is of the header's section '{section}', not of this file's"


def check_unique_names(paths):
    """One name, one room: a file of another folder with the same name could be taken for it."""
    rooms = {}
    for path in paths:
        first = rooms.setdefault(path.stem, path)
        if first.parent != path.parent:
            yield path, 1, f"the name {path.stem} is taken by {first.as_posix()}"


def layer_table():
    yield "| layer | folder | may include | what only it knows |"
    yield "|---|---|---|---|"
    for name, includes, knows in ROWS:
        may = ", ".join(includes) or "nothing but the standard library and the public header"
        yield f"| {name} | `src/{name}` | {may} | {knows} |"


def check_layer_table(root):
    lines = (root / TABLE_FILE).read_text(encoding="utf-8").splitlines()
    wanted = list(layer_table())
    start = lines.index(wanted[0]) if wanted[0] in lines else None
    if start is None:
        yield pathlib.Path(TABLE_FILE), 1, "the table of layers is missing (check_layers.py --table prints it)"
        return
    for number, row in enumerate(wanted, start):
        if number >= len(lines) or lines[number] != row:
            yield pathlib.Path(TABLE_FILE), number + 1, f"the table of layers differs here, it should say: {row}"
            return
    if len(lines) > start + len(wanted) and lines[start + len(wanted)].startswith("|"):
        yield pathlib.Path(TABLE_FILE), start + len(wanted) + 1, "the table of layers has a row too many"


def check_source(root, path):
    if len(path.parts) < 3 or path.parts[1] not in LAYERS:
        yield 1, f"src/ has only the layers {', '.join(LAYERS)}"
        return
    source = (root / path).read_text(encoding="utf-8")
    yield from backend_names.in_cpp(root, path, without_comments(source, keep_texts=True))
    text = without_comments(source)
    # Most files have none of these: asking each line for each would take most of the checker's time.
    places = [(pattern, what) for pattern, allowed, what in PLACES
              if re.search(pattern, text) and not re.search(allowed, path.as_posix())]
    for number, line in enumerate(text.splitlines(), 1):
        for finding in check_includes(path, line):
            yield number, finding
        for pattern, what in places:
            if re.search(pattern, line):
                yield number, f"{what} must not appear here: {line.strip()}"


def check_file(root, path):
    text = (root / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    # scripts/generate --check finds files that carry the mark by mistake.
    longest = LONGEST_CHAPTER if path.suffix == ".h" and path.parts[0] == "include" else LONGEST
    if len(lines) > longest and not is_marked("\n".join(lines[:4])):
        yield LONGEST + 1, f"the file has {len(lines)} lines, {longest} are allowed"
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        yield 1, "the SPDX line is missing from the first three lines"
    for number, line in enumerate(lines if any(word in text for word in UNFINISHED_WORDS) else (), 1):
        if UNFINISHED.search(line):
            yield number, f"unfinished: {line.strip()}"


def findings(root):
    sources = []
    for path in files_below(root):
        if is_code(root, path):
            yield from ((path, *finding) for finding in check_file(root, path))
        if backend_names.is_python(path) and not is_marked((root / path).read_text(encoding="utf-8")):
            yield from ((path, *finding) for finding in backend_names.in_python(root, path))
        if path.suffix not in {".cpp", ".hpp", ".inc", ".c", ".h"}:
            continue
        if path.parts[0] == "src":
            sources.append(path)
            yield from ((path, *finding) for finding in check_source(root, path))
        elif backend_names.is_tool_or_extension(path):
            source = (root / path).read_text(encoding="utf-8")
            text = "" if is_marked(source) else without_comments(source, keep_texts=True)
            yield from ((path, *finding) for finding in backend_names.in_tool(root, path, text))
    yield from backend_names.in_table(root)
    yield from check_unique_names(sources)
    yield from check_sections(root, sources)
    yield from check_layer_table(root)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(layer_table()))
        return 0
    if not arguments.root:
        parser.error("--root or --table is needed")
    found = list(findings(arguments.root.resolve()))
    for path, line, text in found:
        print(f"{path.as_posix()}:{line}: {text}")
    if not found:
        print("layers: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
