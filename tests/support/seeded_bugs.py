#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the sources that seeded_bugs.txt names into a folder of the build, with the bugs in them.

    seeded_bugs.py FOLDER [--list]

A test switches one bug on (seeded_bug.hpp) and must find it; the sources that ship have none. A hunk of the list whose text is
not in its file exactly once is an error, so the list follows the code. --list prints the names of the files and writes nothing.
"""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_suffix(".txt")


def hunks():
    """{path: [(lines of the source, lines with the bug)]}"""
    found = {}
    for block in re.split(r"^@ ", LIST.read_text(encoding="utf-8"), flags=re.M)[1:]:
        path, *lines = block.rstrip().splitlines()
        for line in lines:
            if line[:1] not in "-+ ":
                sys.exit(f"{LIST.name}: {path}: '{line}' begins with none of - + and a space")
        old = [line[1:] for line in lines if line[0] in "- "]
        found.setdefault(path, []).append((old, [line[1:] for line in lines if line[0] in "+ "]))
    return found


def planted(path, changes, folder):
    """The text of the file with the bugs. Its lines keep their numbers, for debuggers, coverage and the models' lists."""
    name = os.path.relpath(ROOT / path, folder.parent)
    text = source = (ROOT / path).read_text(encoding="utf-8")
    for old, new in changes:
        before = "\n".join(old) + "\n"
        if text.count(before) != 1:
            sys.exit(f"{LIST.name}: {path} has {text.count(before)} times, not once:\n{before}")
        line = source[: source.index(before)].count("\n") + 1 + len(old)
        text = text.replace(before, "\n".join(new) + f'\n#line {line} "{name}"\n')
    return f'#include "support/seeded_bug.hpp"\n#line 1 "{name}"\n{text}'


def main(folder, *options):
    folder = Path(folder).resolve()
    for path, changes in sorted(hunks().items()):
        if options == ("--list",):
            print(path)
            continue
        target, text = folder / path, planted(path, changes, folder)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
