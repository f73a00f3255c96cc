#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every line which scripts/coverage leaves out says why.

usage: check_exceptions.py [--list] FOLDER...

A line with "// not reached: REASON" is not counted, neither are its branches: no test can reach it. A line with
"// one-sided: REASON" counts, but not its branches: its condition has the same outcome in every test. gcovr's and lcov's own
markers are refused, since they need no reason. A marker on a line of its own is about the next line. --list prints the
exceptions.
"""
import pathlib
import re
import sys

MARKER = re.compile(r"//\s*(not reached|one-sided)\b(.*)$", re.IGNORECASE)
FOREIGN = re.compile(r"\b(?:GCOVR?|LCOV)_EXCL\w*")
FEWEST_WORDS = 3


def exceptions(path, text):
    """(line, kind, reason) of each exception, and one line per defect."""
    found, defects = [], []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if foreign := FOREIGN.search(line):
            defects.append(f"{path}:{number}: {foreign[0]}: write \"// not reached: REASON\" instead")
        if not (marker := MARKER.search(line)):
            continue
        kind, rest = marker[1], marker[2]
        code = line[: marker.start()].strip()
        if not rest.startswith(": ") or kind != kind.lower() or not line[marker.start():].startswith(f"// {kind}:"):
            defects.append(f"{path}:{number}: not of the form \"// {kind.lower()}: REASON\", so it excludes nothing")
        elif len(rest[2:].split()) < FEWEST_WORDS:
            defects.append(f"{path}:{number}: no reason")
        elif not code and (number == len(lines) or re.match(r"\s*(//|$)", lines[number])):
            defects.append(f"{path}:{number}: neither its line nor the next one has code")
        else:
            found.append((number, kind, rest[2:].strip()))
    return found, defects


def main(arguments):
    listing = "--list" in arguments
    folders = [argument for argument in arguments if argument != "--list"]
    if not folders:
        sys.exit(__doc__)
    count, wrong = 0, []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.[ch]pp")):
            found, defects = exceptions(path, path.read_text())
            wrong += defects
            count += len(found)
            if listing:
                print(*(f"{path}:{number}: {kind}: {reason}" for number, kind, reason in found), sep="\n", end="\n" if found else "")
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(f"{count} exceptions, {len(wrong)} without a reason or of no effect")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
