# SPDX-License-Identifier: Apache-2.0
"""Writes everything that is generated from include/gpustream.h.

   scripts/generate [--check | --built FOLDER] [--only NAME]... [--root TREE]

--built writes what a build needs and the tree does not keep, under the same paths in FOLDER: what tests know of each
function. --check writes nothing: it shows how the files of the tree differ and exits 1 if any does, or if a file carries the mark
of a generated one that no emitter writes. --only takes the name of one emitter, scripts/generator/emit_NAME.py.
"""
import argparse
import difflib
import os
import re
import sys
from pathlib import Path

from .output import ToolError, formatted, is_marked, with_list
from .scanner import HeaderError
from .tree import emitters, read_header

# Folders that are not sources.
SKIPPED = re.compile(r"^build[^/]*$|(^|/)(\.git|\.venv|\.deps|build|node_modules|target|__pycache__|\.[a-z]+_cache|out)$")
MOST_LINES = 12  # of a difference that is shown


def texts(api, chosen, kind):
    """{path: text} of all emitters that have the function `kind`; two emitters never write the same file."""
    found = {}
    for name, module in chosen.items():
        for path, text in getattr(module, kind, lambda _: {})(api).items():
            if str(path) in found:
                raise ToolError(f"emit_{name} writes {path}, which another emitter writes too")
            found[str(path)] = text
    return found


def outputs(api, root, chosen):
    """What the tree keeps, formatted. Lists are parts of files written by hand."""
    found = {path: formatted(path, text, root) for path, text in texts(api, chosen, "outputs").items()}
    for module in chosen.values():
        for path, lines in module.lists(api).items() if hasattr(module, "lists") else ():
            found[path] = with_list(path, (root / path).read_text(encoding="utf-8"), lines)
    return found


def marked_files(root):
    for folder, folders, names in os.walk(root):
        inside = Path(folder).relative_to(root)
        folders[:] = [name for name in folders if not SKIPPED.search((inside / name).as_posix())]
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                with open(path, "rb") as file:
                    if is_marked(file.read(1000).decode("utf-8", "replace")):
                        yield (inside / name).as_posix()


def difference(path, old, new):
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), path, f"{path} (generated)", lineterm="", n=0))
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"... {len(lines) - MOST_LINES} more lines"


def check(root, wanted, whole):
    """Prints what differs; returns the number of files that do."""
    wrong = 0
    for path, text in wanted.items():
        there = (root / path).read_text(encoding="utf-8") if (root / path).exists() else None
        if there is None:
            print(f"{path}: is missing")
        elif there != text:
            print("\n".join([f"{path}: differs", *difference(path, there, text)]))
        wrong += there != text
    for path in sorted(set(marked_files(root)) - set(wanted)) if whole else []:
        print(f"{path}: carries the mark of a generated file, but no emitter writes it")
        wrong += 1
    print(f"{len(wanted)} generated files, {wrong} wrong" + (": run scripts/generate" if wrong else ""))
    return wrong


def write(root, wanted):
    changed = 0
    for path, text in wanted.items():
        target = root / path
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"{path}: written")
            changed += 1
    print(f"{len(wanted)} generated files, {changed} written")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--built", type=Path, metavar="FOLDER", help="write what a build needs, and nothing else")
    parser.add_argument("--only", action="append", metavar="NAME", help="one emitter; may be repeated")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], metavar="TREE")
    options = parser.parse_args(arguments)
    known = emitters()
    unknown = set(options.only or []) - set(known)
    if unknown:
        parser.error(f"no emitter {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    root = options.root.resolve()
    try:
        chosen = {name: module for name, module in known.items() if not options.only or name in options.only}
        api = read_header(root).api
        if options.built:
            write(options.built, texts(api, chosen, "built"))
            return 0
        wanted = outputs(api, root, chosen)
        if options.check:
            return 1 if check(root, wanted, not options.only) else 0
        write(root, wanted)
        return 0
    except (HeaderError, ToolError) as error:
        print(error, file=sys.stderr)
        return 2
